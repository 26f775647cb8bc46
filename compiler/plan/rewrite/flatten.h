// Short rows that lie one behind the other, walked as one long row: vectors and neighbouring threads do not
// stop where a row ends. What is not read that way is found by the element's row and its place in it.
#pragma once

#include "compiler/plan/plan.h"

namespace weft::plan {

// Joins the two axes of a pointwise program.
//     outer [n, 7]                                 outer [7 n]
//     %x = load a[7 i + j]                         %x = load a[i]
//     %c = load c[i]                        =>     %i = position i
//                                                  %r = %i / 7
//                                                  %c = load c[%r]
// False, and nothing is changed, where the program has other axes, no store walks both as one, or something
// is read elsewhere that is not the same all along an axis.
bool flatten_rows(RowProgram& program);

}  // namespace weft::plan
