// Outputs that are a computed value in another shape become that value: its memory holds the same elements in
// the same order, and loops along its own axes need no divisions to find what they read. On CUDA this is left
// to what is computed from reductions and scans, which share their loops then; other maps run best in the
// shape that has fewer axes.
//
//   before   %2 = add %a, %b : f32[6, 4]   %3 = reshape %2 : f32[24]   return %3
//   after    %2 = add %a, %b : f32[6, 4]   return %2
//
// So do maps of such values from reductions and scans, with inputs in the other shape and numbers.
//
//   before   %3 = reshape %2 : f32[24]   %4 = add %3, %c : f32[24]   return %4
//   after    %3 = reshape %c : f32[6, 4]   %4 = add %2, %3 : f32[6, 4]   return %4
// Maps between two reshapes of which the second undoes the first need neither, wherever they are.
//
//   before   %2 = reshape %1 : f32[24]   %3 = exp %2 : f32[24]   %4 = reshape %3 : f32[6, 4]
//   after    %4 = exp %1 : f32[6, 4]
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph unreshape(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
