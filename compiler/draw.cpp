#include "compiler/draw.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/compile.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/dot_graph.h"

namespace weft {

std::string draw_kernels(const ir::Graph& graph, const Target& target, const Options& options) {
  const ir::Graph ready = prepare(graph, target, options);
  const ir::Partition partition = fusion::fuse(ready, target, options);
  std::unordered_set<const ir::Node*> in_memory;
  for (auto& step : partition.steps) {
    if (step.library) in_memory.insert(step.library.get());
    for (auto& root : step.group.roots)
      if (root.stored) in_memory.insert(root.node.get());
  }
  std::unordered_map<const ir::Node*, int> group;
  int number = 0;
  for (auto& step : partition.steps) {
    std::vector<const ir::Node*> pending;
    pending.reserve(step.group.roots.size());
    if (step.library) group.emplace(step.library.get(), number);
    for (auto& root : step.group.roots) {
      group.emplace(root.node.get(), number);
      pending.push_back(root.node.get());
    }
    while (!pending.empty()) {
      const ir::Node* n = pending.back();
      pending.pop_back();
      for (auto& in : n->inputs)
        if (kind(in->op) != ir::OpKind::Source && !in_memory.contains(in.get()) &&
            group.emplace(in.get(), number).second)
          pending.push_back(in.get());
    }
    ++number;
  }
  return ir::dot(ready, [&](const ir::Node* n) {
    const auto it = group.find(n);
    return it == group.end() ? -1 : it->second;
  });
}

}  // namespace weft
