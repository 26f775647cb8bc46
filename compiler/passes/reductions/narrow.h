// Reduces and scans only those rows that somebody reads. Slices move up through maps and views, and through
// reductions and scans along the axes that these keep. Several slices become the smallest range that holds
// them.
//
//   before   %s = sum %x : f32[1000], axes=[1]   %r = sqrt %s   %t = slice %r, starts=[5] : f32[10]
//   after    %y = slice %x, starts=[5, 0] : f32[10, 400]   %s = sum %y : f32[10], axes=[1]   %t = sqrt %s
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph narrow(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
