// Cuts a reduction over several axes in two, where it reads another reduction over some of them. The first
// half then runs with the other's rows while they are at hand; the second half reads one number a row. So a
// loss that is summed over all elements of a softmax reads memory once, as do the gradients of an instance
// norm.
//
//   before   %s = sum %e, axes=[1]   ...   %t = sum %p, axes=[0, 1]            where %p reads %s
//   after    %s = sum %e, axes=[1]   ...   %r = sum %p, axes=[1]   %t = sum %r, axes=[0]
//
// Reductions of the same kind that read the same arrays are cut with it, so that they stay in one kernel.
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph split_reductions(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
