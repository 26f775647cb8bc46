// Makes a failing graph small: what `weft reduce` and the fuzzers report instead of the graph that they were given.
#pragma once

#include <functional>

#include "compiler/ir/node.h"

namespace weft::ir {

// The graph with `to` in place of `from`; everything else as it was, nothing folded, and inputs that nobody reads any
// more stay.
Graph replaced(const Graph& graph, const Node* from, const NodeRef& to);

// A graph for which `still_fails` holds, like the one given, from which nothing more can be taken: no output
// dropped or moved to an operand, no value made the only output, no node replaced by an operand of its type
// or by a new input (named "cut0", …). Unused inputs go as well. Asks about as often as the graph has nodes,
// a few times over.
// `on_cut` hears of each new input, and of the node that it takes the place of, before `still_fails` is asked.
Graph shrink(Graph graph, const std::function<bool(const Graph&)>& still_fails,
             const std::function<void(const NodeRef& input, const NodeRef& node)>& on_cut = {});

}  // namespace weft::ir
