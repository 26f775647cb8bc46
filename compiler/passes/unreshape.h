// Outputs that are a computed value in another shape become that value on the CPU: its memory holds the same
// elements in the same order, and loops along its own axes need no divisions to find what they read.
//
//   before   %2 = add %a, %b : f32[6, 4]   %3 = reshape %2 : f32[24]   return %3
//   after    %2 = add %a, %b : f32[6, 4]   return %2
#pragma once

#include "compiler/ir/node.h"
#include "compiler/options.h"

namespace weft::passes {

ir::Graph unreshape(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
