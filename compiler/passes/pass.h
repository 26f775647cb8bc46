// What a pass is, and the bottom-up rewriter that passes over nodes share.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

struct Pass {
  std::string_view name;
  ir::Graph (*run)(const ir::Graph&, const Target&, const Options&);
  std::optional<ir::OpKind> of = {};  // it leaves a graph as it is that has no op of this kind
  bool required = false;              // fusion and the targets rely on it, so it cannot be left out
};
inline constexpr bool kRequired = true;

// Rebuilds a graph from its inputs up. `rule` gets each node with its new inputs in place and returns what
// stands for it: the node itself, or another of the same type. Nodes that do not change are kept. Lines of a
// replaced node are handed to what replaces it by the rule.
ir::Graph rewrite(const ir::Graph& graph, const std::function<ir::NodeRef(const ir::NodeRef&)>& rule);

// The same for a rule that asks what the node was in `graph`.
ir::Graph rewrite_from(const ir::Graph& graph,
                       const std::function<ir::NodeRef(const ir::NodeRef& now, const ir::Node& was)>& rule);

}  // namespace weft::passes
