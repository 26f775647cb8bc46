// Graphs as Graphviz text: one box a node, coloured by its kind, with its provenance as tooltip.
#pragma once

#include <functional>
#include <string>

#include "compiler/ir/node.h"

namespace weft::ir {

// With `group`, nodes of the same number of 0 or more are drawn together in one labelled cluster; a negative
// number leaves a node outside. Render with `dot -Tsvg`.
std::string dot(const Graph& graph, const std::function<int(const Node*)>& group = {});

}  // namespace weft::ir
