// How a row program's accesses lie along an axis that a CPU's lanes could run along.
#pragma once

#include <cstdint>

#include "compiler/plan/plan.h"

namespace weft::plan {

// Bytes for each element of the row that lanes along an axis move contiguously, less those that they gather.
double contiguity(const RowProgram& program, int axis);

// Whether some load steps over memory along the lane axis that another outer axis walks contiguously.
bool reads_across(const RowProgram& program, int lane_axis);

// Whether nothing cuts rows along the axis, and all that they access there are neighbours.
bool in_one_piece(const RowProgram& program, int axis);

// Whether some stores are of long rows that do not begin where lines of memory do.
bool crosses_lines(const RowProgram& program, int lane_axis);

// Whether a load walks on through an array of at least `bytes`: along a row as long as that, or as rows go by
// that are short enough to feel what happens at their ends.
bool reads_ahead(const RowProgram& program, const Load& load, int lane_axis, int64_t bytes);

// Makes steps of two to four elements between lanes part of the source, where loads deal them from whole
// vectors: which lane is where, the source has to know.
void name_small_steps(RowProgram& program, int lane_axis);

}  // namespace weft::plan
