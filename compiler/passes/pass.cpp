#include "compiler/passes/pass.h"

#include <unordered_map>

#include "compiler/ir/build.h"

namespace weft::passes {

ir::Graph rewrite(const ir::Graph& graph, const std::function<ir::NodeRef(const ir::NodeRef&)>& rule) {
  return rewrite_from(graph, [&](const ir::NodeRef& now, const ir::Node&) { return rule(now); });
}

ir::Graph rewrite_from(const ir::Graph& graph,
                       const std::function<ir::NodeRef(const ir::NodeRef& now, const ir::Node& was)>& rule) {
  std::unordered_map<const ir::Node*, ir::NodeRef> replaced;
  std::vector<ir::NodeRef> inputs;
  for (const ir::Node* n : topological_order(graph.outputs)) {
    bool changed = false;
    inputs.clear();
    for (auto& in : n->inputs) {
      inputs.push_back(replaced.at(in.get()));
      changed |= inputs.back() != in;
    }
    replaced[n] = rule(changed ? with_inputs(*n, inputs) : ir::NodeRef(n), *n);
  }
  ir::Graph out{graph.inputs, {}};
  for (auto& o : graph.outputs) out.outputs.push_back(replaced.at(o.get()));
  return out;
}

}  // namespace weft::passes
