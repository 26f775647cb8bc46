// Gives the loops of a kernel one shape, where maps read in one shape what was computed from rows in another.
// Both are then computed in the shape of which theirs are coarser forms. The groups of a group norm are such
// rows: each has several channels, and each channel a gain of its own.
//
//   before   %s = sum %x : f32[N, G, K], axes=[2]  ...  %y = multiply (reshape %h : f32[N, C, H, W]) %gain
//   after    %s = sum %x : f32[N, G, C/G, H, W], axes=[2, 3, 4]  ...  %y = multiply %h %gain, then reshaped
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph refine_shapes(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
