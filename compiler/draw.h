// A program as a drawing: the nodes of each kernel in a cluster of its own.
#pragma once

#include <string>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft {

// Graphviz's text of the graph that compile() hands to fusion, with a cluster for each step. A value that several
// kernels compute is drawn in the first of them. Render with `dot -Tsvg`.
std::string draw_kernels(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft
