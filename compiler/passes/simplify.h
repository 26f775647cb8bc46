// Removes work that changes nothing: neutral operands, casts and views that cancel, reductions over one
// element, values of no elements, slices of what an update has just written. Every rule is exact in floating
// point unless it waits for Numerics::Fast.
//
//   before   %2 = multiply %1, 1   %3 = pow %2, 2
//   after    %3 = square %1
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph simplify(const ir::Graph& graph, const Options& options);

}  // namespace weft::passes
