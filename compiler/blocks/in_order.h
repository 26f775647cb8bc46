// Scatters of single elements, as blocks run them.
//
//   before   row 20000, ordered: p = load positions[row], v = load values[row], store out[p] = v
//   after    outer 20000:        p = load positions[outer], v = load values[outer], store out[p] = v
#pragma once

#include "compiler/plan/plan.h"

namespace weft::blocks {

// Whether the row is walked in order for its stores alone: nothing that it stores is read, so that a block of elements
// may be loaded before they are stored in order.
bool is_map_in_order(const plan::RowProgram& program);

// Such a program without a row, for one task.
plan::RowProgram map_in_order(const plan::RowProgram& program);

}  // namespace weft::blocks
