#include "compiler/passes/share.h"
#include "compiler/ir/node_tables.h"

#include <unordered_map>

#include "compiler/passes/pass.h"

namespace weft::passes {

namespace {

using ir::Lines;
using ir::Node;
using ir::NodeRef;

// `graph` with the given lines on the given nodes.
ir::Graph with_lines(const ir::Graph& graph, const std::unordered_map<const ir::Node*, Lines>& lines) {
  std::unordered_map<const ir::Node*, NodeRef> replaced;
  auto now = [&](const NodeRef& n) {
    auto it = replaced.find(n.get());
    return it == replaced.end() ? n : it->second;
  };
  std::vector<NodeRef> inputs;
  for (const Node* n : topological_order(graph.outputs)) {
    bool changed = false;
    inputs.clear();
    for (auto& in : n->inputs) {
      inputs.push_back(now(in));
      changed |= inputs.back() != in;
    }
    auto own = lines.find(n);
    if (!changed && own == lines.end()) continue;
    replaced[n] = NodeRef(
        new Node(n->op, n->type, ir::Inputs(inputs), n->attr, own == lines.end() ? n->lines : own->second));
  }
  ir::Graph out{graph.inputs, {}};
  for (auto& o : graph.outputs) out.outputs.push_back(now(o));
  return out;
}

}  // namespace

ir::Graph share(const ir::Graph& graph, const Options&) {
  std::unordered_multimap<uint64_t, NodeRef> known;
  std::unordered_map<const ir::Node*, Lines> united;
  ir::Graph shared = rewrite(graph, [&](const NodeRef& n) {
    if (is_given(n->op)) return n;
    const uint64_t hash = hash_but_lines(*n);
    auto [first, last] = known.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      const NodeRef& kept = it->second;
      if (!same_but_lines(*kept, *n)) continue;
      if (kept != n && !n->lines.empty()) {
        Lines& lines = united.try_emplace(kept.get(), kept->lines).first->second;
        lines = lines.united(n->lines);
      }
      return kept;
    }
    known.emplace(hash, n);
    return n;
  });
  // Nodes are immutable: those that got lines are made again, once all merges are known.
  std::erase_if(united, [](auto& u) { return u.second.all() == u.first->lines.all(); });
  return united.empty() ? shared : with_lines(shared, united);
}

}  // namespace weft::passes
