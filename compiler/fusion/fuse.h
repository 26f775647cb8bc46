// Cuts a graph into groups that each become one kernel, and library steps between them.
//
//   before   m = max a;  e = exp(a - m);  s = sum e;  y = e / s
//   after    one group: the outer axes of m, the row axes that m reduces, the roots m, s and y;
//            e is recomputed in each sweep, or kept in the row
#pragma once

#include "compiler/ir/group.h"
#include "compiler/program/options.h"

namespace weft::fusion {

ir::Partition fuse(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::fusion
