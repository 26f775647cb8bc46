// Graphs as Graphviz text: one box a node, coloured by its kind, with its provenance as tooltip.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::ir {

// Nodes that are drawn together in one labelled frame.
struct Frames {
  std::function<int(const Node*)> of;  // the frame of a node, from 0; a negative number leaves it outside
  std::vector<std::string> labels;     // of each frame; may have several lines
  std::string caption;                 // below the drawing; empty: none
  // Where the graph is a part of a drawing of several, what its names begin with, as "p1_"; empty: a whole drawing.
  std::string prefix;
};

// Render with `dot -Tsvg`. Parts go into the braces of one `digraph weft {}`.
std::string dot(const Graph& graph, const Frames& frames = {});

}  // namespace weft::ir
