// Multiplies halves as f32 on the CPU, and rounds once: OpenBLAS has no half formats.
//
//   before   %2 = dot %a, %b : f16[4, 4]
//   after    %2 = cast %a : f32[4, 4]   %3 = cast %b : f32[4, 4]   %4 = dot %2, %3 : f32[4, 4]
//            %5 = cast %4 : f16[4, 4]
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph widen_products(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
