// Writes what is done for each element of a short axis one after another, so that the axis is gone; where it
// is the row, its reductions become chains of operations, in order, and the program a map.
//   before: outer i0<1000, row r1<3: %0 = b0[i0*3 + r1]; fold a0 max %0; %1 = finish a0
//   after:  outer i0<1000: %0 = b0[i0*3]; %2 = b0[i0*3 + 1]; %3 = b0[i0*3 + 2]; %4 = maximum %0, %2; ...
// Totals across rows, one for each element then, are left: the points become the row that they reduce. Of few
// columns that are reduced, each gets a reduction of its own.
#pragma once

#include "compiler/plan/plan.h"

namespace weft::plan {

// Whether unroll_axis() can do so: a map's axis, not its only one, the whole row of a program without
// argmax and argmin, scans and scatters, or an outer axis where such a row is swept once.
bool can_unroll(const RowProgram& program, int axis);

// Accesses that lie side by side along the axis, and follow one another along another one, are a Run.
void unroll_axis(RowProgram& program, int axis);

}  // namespace weft::plan
