#include "compiler/passes/pass.h"

#include <vector>

#include "compiler/passes/rewritten.h"

namespace weft::passes {

ir::Graph rewrite(const ir::Graph& graph, const std::function<ir::NodeRef(const ir::NodeRef&)>& rule) {
  return rewrite_from(graph, [&](const ir::NodeRef& now, const ir::Node&) { return rule(now); });
}

ir::Graph rewrite_from(const ir::Graph& graph,
                       const std::function<ir::NodeRef(const ir::NodeRef& now, const ir::Node& was)>& rule) {
  const std::vector<const ir::Node*> order = topological_order(graph.outputs);
  Rewritten out(order.size());
  for (const ir::Node* n : order) out.set(n, rule(out.with_new_inputs(*n), *n));
  return out.graph(graph);
}

}  // namespace weft::passes
