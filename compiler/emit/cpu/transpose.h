// Loads that run along another axis than the lanes, as those of a transposed operand. A square of them after
// the other is transposed in registers and laid into the task's scratch memory, from which the rows of the
// tile read it as contiguous memory.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// The functions that transpose squares.
std::string transposing_functions(const plan::RowProgram& program, const CpuLayout& layout);
// At an outer point: transposes squares where a row begins that none of the last holds.
std::string fill_tiles(const Entry& entry);
// Where a transposed load's current row lies, less the position on the lane axis where it begins.
std::string tile_row(const Entry& entry, const plan::Load& load);

}  // namespace weft::emit::cpu
