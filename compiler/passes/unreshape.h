// Drops reshapes that cost more than they give, in three ways.
//
// An output that is a computed value in another shape becomes that value. Its memory holds the same elements
// in the same order, and loops along its own axes find what they read without divisions. On CUDA this is done
// only for what is computed from reductions and scans, which share their loops then; other maps run best in
// the shape that has fewer axes.
//
//   before   %2 = add %a, %b : f32[6, 4]   %3 = reshape %2 : f32[24]   return %3
//   after    %2 = add %a, %b : f32[6, 4]   return %2
//
// Maps of such values from reductions and scans are computed in the value's shape too, with inputs that lie
// in the other shape and with numbers.
//
//   before   %3 = reshape %2 : f32[24]   %4 = add %3, %c : f32[24]   return %4
//   after    %3 = reshape %c : f32[6, 4]   %4 = add %2, %3 : f32[6, 4]   return %4
//
// Maps between two reshapes that undo each other need neither, wherever they are.
//
//   before   %2 = reshape %1 : f32[24]   %3 = exp %2 : f32[24]   %4 = reshape %3 : f32[6, 4]
//   after    %4 = exp %1 : f32[6, 4]
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph unreshape(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
