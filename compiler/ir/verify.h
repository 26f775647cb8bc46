// Checks that a graph is one: what every pass may rely on and must leave behind.
#pragma once

#include <string_view>

#include "compiler/ir/node.h"

namespace weft::ir {

// Every node has the type that infer() gives for its op, inputs and attribute; no node is its own input's
// input; the graph's inputs are input and scalar nodes, each listed once, and no other input or scalar is
// reached; no assign writes over what is still needed. Throws InternalError that names `after` (the pass that
// made the graph), the rule and the node, printed among its inputs.
void verify(const Graph& graph, std::string_view after);

}  // namespace weft::ir
