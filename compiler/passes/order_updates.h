// Makes long chains of updates fit for writing in place. Where the elements are the same, what an update
// writes is then computed from the value that it replaces, and from none before it. It is copied first where
// it is read at other positions than those replaced, or where others need it too.
//
//   before   %u = update %a, %v, starts=[1]        after   the same
//            %s = slice %a, starts=[4] : f32[2]            %s = slice %u, starts=[4] : f32[2]
//            %e = exp %s                                   %e = exp %s
//            %w = update %u, %e, starts=[5]                %c = broadcast %e : f32[2]
//                                                          %w = update %u, %c, starts=[5]
#pragma once

#include <cstddef>

#include "compiler/ir/node.h"

namespace weft::passes {

// Chains of fewer than `least` updates are left as they are.
ir::Graph order_updates(const ir::Graph& graph, size_t least);

}  // namespace weft::passes
