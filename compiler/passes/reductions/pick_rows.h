// Reduces and scans only those rows that a gather picks, where these are few. The gather moves up through
// maps and views, and through reductions and scans along the axes that these keep.
//
//   before   %s = sum %x : f32[1000], axes=[1]   %t = gather %s, %i, axis=0 : f32[10]
//   after    %j = reshape %i : i64[10, 1]   %y = gather %x, %j, axis=0 : f32[10, 400]
//            %t = sum %y : f32[10], axes=[1]
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph pick_rows(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
