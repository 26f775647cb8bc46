#include "compiler/passes/unreshape.h"

#include <unordered_map>

namespace weft::passes {

ir::Graph unreshape(const ir::Graph& graph, const Target& target, const Options&) {
  if (target.kind != TargetKind::Cpu) return graph;
  std::unordered_map<const ir::Node*, int> users;
  for (const ir::Node* n : topological_order(graph.outputs))
    for (const ir::NodeRef& in : n->inputs) ++users[in.get()];
  ir::Graph out = graph;
  for (ir::NodeRef& output : out.outputs) {
    ir::NodeRef value = output;
    // What others read in that shape is computed with them.
    for (int of_chain = 0; value->op == ir::Op::reshape && users[value.get()] == of_chain; of_chain = 1)
      value = value->inputs[0];
    if (value->op != ir::Op::reshape && kind(value->op) != ir::OpKind::Source) output = value;
  }
  return out;
}

}  // namespace weft::passes
