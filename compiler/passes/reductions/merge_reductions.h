// Joins a reduction of a reduction into one, where nothing else reads the first and both together reduce rows
// that lie in one piece.
//
//   before   %s = sum %x : f32[8, 4], axes=[2]   %t = sum %s : f32[8], axes=[1]
//   after    %t = sum %x : f32[8], axes=[1, 2]
//
// Integers, extrema, any and all give the same bits. Floats are added in the order of one sum over all these
// axes, and not rounded in between. So Numerics::Strict leaves them as they are. Halves, where the rounding
// in between shows, wait for Numerics::Fast. So do sums with a factor between them, as sums of means, which
// overflow sooner when they are scaled down last.
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph merge_reductions(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
