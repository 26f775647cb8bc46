#include "compiler/ir/text/dot_graph.h"
#include "compiler/ir/node_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "compiler/ir/text/print.h"

namespace weft::ir {
namespace {

std::string_view colour(OpKind kind) {
  switch (kind) {
    case OpKind::Source:
      return "#d9d9d9";
    case OpKind::Map:
      return "#cfe2f3";
    case OpKind::View:
      return "#fff2cc";
    case OpKind::Reduce:
    case OpKind::Scan:
      return "#f4cccc";
    case OpKind::Gather:
    case OpKind::Scatter:
      return "#d9ead3";
    case OpKind::Update:
      return "#d0e0e3";
    case OpKind::Dot:
      return "#d9d2e9";
    case OpKind::Loop:
    case OpKind::Kernel:
      return "#fce5cd";
  }
  return "white";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c != '\0')
      out += c;
  }
  return out;
}

}  // namespace

std::string dot(const Graph& graph, const Frames& frames) {
  std::vector<const Node*> order = text_order(graph);
  ValueNames names = value_names(graph);
  NodeMap<size_t> ids;
  std::map<int, std::vector<const Node*>> clusters;
  for (const Node* node : order) {
    ids.emplace(node, ids.size());
    clusters[frames.of ? std::max(frames.of(node), -1) : -1].push_back(node);
  }

  fmt::memory_buffer out;
  auto put = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  const std::string& p = frames.prefix;
  put("{} {{\n", p.empty() ? "digraph weft" : "subgraph cluster_" + p);
  put("  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\"];\n");
  if (!frames.caption.empty()) put("  label=\"{}\";\n", escaped(frames.caption));
  for (const auto& [number, nodes] : clusters) {
    if (number >= 0)
      put("  subgraph cluster_{}{} {{\n    label=\"{}\";\n", p, number,
          escaped(frames.labels[static_cast<size_t>(number)]));
    for (const Node* node : nodes)
      put("{}{}n{} [label=\"{}\\n{}\\n{}\", fillcolor=\"{}\", tooltip=\"{}\"];\n",
          number >= 0 ? "    " : "  ", p, ids.at(node), escaped(names.at(node)), escaped(label(*node)),
          to_string(node->type), colour(kind(node->op)), escaped(to_string(node->lines)));
    if (number >= 0) put("  }}\n");
  }
  for (const Node* node : order)
    for (const NodeRef& in : node->inputs) put("  {0}n{1} -> {0}n{2};\n", p, ids.at(in.get()), ids.at(node));
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    put("  {1}output{0} [label=\"output {0}\", shape=plain, style=\"\"];\n", i, p);
    put("  {0}n{1} -> {0}output{2};\n", p, ids.at(graph.outputs[i].get()), i);
  }
  put("}}\n");
  return fmt::to_string(out);
}

}  // namespace weft::ir
