// Writes reductions over few elements as maps, where others reduce or scan their results and where the arrays
// that they read are smaller than these. An example: the distances of points from centres, of which the least
// is looked for. They are then computed where they are compared, and never lie in memory.
//
//   before   %d = sum %q : f32[1000, 50, 2], axes=[2]   %i = argmin %d, axes=[1]
//   after    %d = add (%q at 0 of its last axis) (%q at 1)   %i = argmin %d, axes=[1]
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph write_out_reductions(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
