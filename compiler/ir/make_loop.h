// Makes loops: checks that bodies fit together, and gives the nodes of all results.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/ir/loop.h"

namespace weft::ir {

// The number of the turn, as the last input of a body.
NodeRef turn_input();

// The loop with what follows from its bodies. Error where these do not fit together.
LoopRef checked(Loop loop);
// All results of the loop on these operands.
std::vector<NodeRef> results_of(const LoopRef& loop, std::span<const NodeRef> operands, const Lines& lines);

// Hears which node stands for which, where one is made anew.
using Remade = std::function<void(const NodeRef& was, const NodeRef& now)>;
// The graph's outputs with these nodes in the places of its inputs.
std::vector<NodeRef> inlined(const Graph& graph, std::span<const NodeRef> inputs, const Remade& remade = {});

}  // namespace weft::ir
