// Computes values in the shape of which both of two shapes are coarser forms, where maps read what was
// computed from rows in another shape: loops of one kernel then walk both. The groups of a group norm are
// rows of several channels, each with a gain of its own:
//
//   before   %s = sum %x : f32[N, G, K], axes=[2]  ...  %y = multiply (reshape %h : f32[N, C, H, W]) %gain
//   after    %s = sum %x : f32[N, G, C/G, H, W], axes=[2, 3, 4]  ...  %y = multiply %h %gain, then reshaped
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph refine_shapes(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
