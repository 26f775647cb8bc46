#include "compiler/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace weft {

namespace {

using ir::Node;
using ir::OpKind;

// The computing nodes of a step, down to what other steps and inputs give it.
std::vector<const Node*> members(const ir::Step& step, const std::unordered_set<const Node*>& stored) {
  std::vector<const Node*> out;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack;
  auto add = [&](const Node* n) {
    if (seen.insert(n).second) stack.push_back(n);
  };
  if (step.library) return {step.library.get()};
  for (auto& root : step.group.roots) add(root.node.get());
  std::unordered_set<const Node*> own;
  for (auto& root : step.group.roots) own.insert(root.node.get());
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    if (kind(n->op) == OpKind::Source) continue;
    if (stored.contains(n) && !own.contains(n)) continue;
    if (kind(n->op) != OpKind::View) out.push_back(n);
    for (auto& in : n->inputs) add(in.get());
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

const std::string& Titles::operator()(const Node& n) {
  std::string& title = titles_[&n];
  if (!title.empty()) return title;
  const std::string lines = to_string(n.lines);
  title = fmt::format("{} : {}{}{}", name(n.op), name(n.dtype()), to_string(n.shape()),
                      lines.empty() ? "" : " at " + lines);
  if (const int number = ++uses_[title]; number > 1) title += fmt::format(" ({})", number);
  return title;
}

std::string summarize(const ir::Step& step, const std::unordered_set<const Node*>& stored) {
  ir::Lines lines;
  std::string ops;
  int count = 0;
  for (const Node* n : members(step, stored)) {
    lines = lines.united(n->lines);
    if (++count <= 8) ops += (ops.empty() ? "" : ", ") + std::string(name(n->op));
  }
  if (count > 8) ops += fmt::format(" and {} more", count - 8);
  if (ops.empty()) ops = "copy";
  std::string where = to_string(lines);
  return where.empty() ? ops : where + ": " + ops;
}

std::unordered_set<const Node*> stored_nodes(const ir::Partition& partition) {
  std::unordered_set<const Node*> out;
  for (auto& s : partition.steps) {
    if (s.library) out.insert(s.library.get());
    for (auto& root : s.group.roots)
      if (root.stored) out.insert(root.node.get());
  }
  return out;
}

std::string describe(const ir::Step& step, const std::unordered_set<const Node*>& stored, Titles& titles) {
  if (step.library)
    return fmt::format("{} {}\n", kind(step.library->op) == ir::OpKind::Loop ? "loop" : "library",
                       titles(*step.library));
  std::string out = fmt::format("kernel over {}{}: {}\n", to_string(step.group.outer),
                                step.group.row.empty() ? "" : " with rows " + to_string(step.group.row),
                                summarize(step, stored));
  for (auto& root : step.group.roots)
    out += fmt::format("  {} {}\n", root.stored ? "writes" : "keeps", titles(*root.node));
  return out;
}

std::string explain_decisions(const ir::Partition& partition, Titles& titles) {
  std::string out;
  for (auto& d : partition.decisions) {
    if (d.fused)
      out += fmt::format("fused: {} -> {}\n", titles(*d.producer), titles(*d.consumer));
    else
      out += fmt::format("not fused: {} -> {}: {}\n", titles(*d.producer), titles(*d.consumer), d.reason);
  }
  return out;
}

std::string explain(const ir::Partition& partition) {
  const std::unordered_set<const Node*> stored = stored_nodes(partition);
  Titles titles;
  std::string out;
  int number = 0;
  for (auto& step : partition.steps)
    out += fmt::format("step {}: {}", number++, describe(step, stored, titles));
  return out + explain_decisions(partition, titles);
}

}  // namespace weft
