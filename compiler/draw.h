// A program as a drawing: the nodes of each kernel in a cluster of its own; and the data of such a drawing, with the
// graph before and after each pass.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/source_line.h"

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft {

// Graphviz's text of the graph that compile() hands to fusion, with a frame for each step. On it stand the numbers that
// steps have in explanations, the bytes that they read and write, and the time that this takes at `memory_speed`, bytes a
// second (0: not known). A value that several kernels compute is drawn in the first of them. Render with `dot -Tsvg`.
std::string draw_kernels(const ir::Graph& graph, const Target& target, const Options& options,
                         double memory_speed);

// One of the programs that a drawing has beside each other.
struct DrawnPart {
  int number = 0;     // its own in the drawing
  std::string title;  // below it
};
// It goes into the braces of one `digraph weft {}`.
std::string draw_kernels(const ir::Graph& graph, const Target& target, const Options& options,
                         double memory_speed, const DrawnPart& part);

// Numbers of nodes are places in `nodes`, where each comes after its inputs.
struct GraphStages {
  struct Node {
    std::string op, type;  // "exp", "f32[1024, 4096]"
    bool is_given = false, is_view = false;
    std::vector<SourceLine> lines;
    std::vector<int> inputs;
  };
  struct Stage {
    std::string name;  // "recorded", or the pass that gave it
    std::vector<int> outputs;
  };
  // What the graph that fusion got became: a kernel, or a step of another kind.
  struct Step {
    std::string text;        // as the explanation has it
    std::vector<int> nodes;  // that it computes; a value may be computed by several
  };
  std::vector<Node> nodes;    // of all stages: passes share most of them
  std::vector<Stage> stages;  // those where a pass changed something
  std::vector<Step> steps;    // of the last stage
};
GraphStages graph_stages(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft
