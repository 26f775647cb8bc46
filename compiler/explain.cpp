#include "compiler/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_set>

#include "compiler/ir/function.h"
#include "compiler/ir/user_kernel.h"

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

std::string_view title_of(const Node& n) {
  return ir::is_user_kernel(n) ? std::string_view(ir::user_kernel_of(n)->title) : ir::called(n);
}

Origin origin_of(std::span<const Node* const> nodes) {
  constexpr size_t kMost = 8;
  ir::Lines lines;
  std::string ops;
  for (size_t k = 0; k < nodes.size(); ++k) {
    lines = lines.united(nodes[k]->lines);
    if (k < kMost) ops += (ops.empty() ? "" : ", ") + std::string(title_of(*nodes[k]));
  }
  if (nodes.size() > kMost) ops += fmt::format(" and {} more", nodes.size() - kMost);
  return {ops, lines.all()};
}

std::string list(std::span<const Node* const> nodes) { return to_string(origin_of(nodes)); }

}  // namespace

const std::string& Titles::operator()(const Node& n) {
  std::string& title = titles_[&n];
  if (!title.empty()) return title;
  const std::string lines = to_string(n.lines);
  title = fmt::format("{} : {}{}{}", title_of(n), name(n.dtype()), to_string(n.shape()),
                      lines.empty() ? "" : " at " + lines);
  if (const int number = ++uses_[title]; number > 1) title += fmt::format(" ({})", number);
  return title;
}

std::string to_string(const Origin& origin) {
  const std::string where = ir::to_string(origin.lines);
  return where.empty() ? origin.ops : where + ": " + origin.ops;
}

Origin origin_of(const ir::Step& step, const std::unordered_set<const Node*>& stored) {
  const std::vector<const Node*> nodes = members(step, stored);
  return nodes.empty() ? Origin{"copy", {}} : origin_of(nodes);
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
    return fmt::format("{} {}\n",
                       kind(step.library->op) == ir::OpKind::Loop     ? "loop"
                       : kind(step.library->op) == ir::OpKind::Kernel ? "kernel of the user's text:"
                                                                      : "library",
                       titles(*step.library));
  std::string out = fmt::format("kernel over {}{}: {}\n", to_string(step.group.outer),
                                step.group.row.empty() ? "" : " with rows " + to_string(step.group.row),
                                to_string(origin_of(step, stored)));
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

std::string explain_repeated_work(const ir::Partition& partition,
                                  const std::unordered_set<const Node*>& stored) {
  std::unordered_map<const Node*, std::vector<size_t>> computed_by;  // kernels
  std::vector<const Node*> order;
  for (size_t k = 0; k < partition.steps.size(); ++k)
    for (const Node* n : members(partition.steps[k], stored)) {
      std::vector<size_t>& kernels = computed_by[n];
      if (kernels.empty()) order.push_back(n);
      kernels.push_back(k);
    }
  std::map<std::vector<size_t>, std::vector<const Node*>> together;
  for (const Node* n : order)
    if (computed_by[n].size() > 1) together[computed_by[n]].push_back(n);
  std::string out;
  for (auto& [kernels, nodes] : together)
    out += fmt::format("computed by {} kernels: {}: less work than to write the value and read it again\n",
                       kernels.size(), list(nodes));
  return out;
}

std::string explain(const ir::Partition& partition) {
  const std::unordered_set<const Node*> stored = stored_nodes(partition);
  Titles titles;
  std::string out;
  int number = 0;
  for (auto& step : partition.steps)
    out += fmt::format("step {}: {}", number++, describe(step, stored, titles));
  return out + explain_decisions(partition, titles) + explain_repeated_work(partition, stored);
}

}  // namespace weft
