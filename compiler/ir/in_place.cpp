#include "compiler/ir/in_place.h"

#include <algorithm>

#include "compiler/ir/access.h"
#include "compiler/ir/print.h"

namespace weft::ir {
namespace {

// Everything that `top` is computed from, down to `base` if that is there.
std::unordered_set<const Node*> below(const Node* top, const Node* base) {
  std::unordered_set<const Node*> seen{top};
  std::vector<const Node*> stack{top};
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    if (n == base) continue;
    for (auto& in : n->inputs)
      if (seen.insert(in.get()).second) stack.push_back(in.get());
  }
  return seen;
}

}  // namespace

InPlaceRule::InPlaceRule(const Graph& graph) {
  for (auto& out : graph.outputs) outputs_.insert(out.get());
  for (const Node* n : topological_order(graph.outputs))
    for (auto& in : n->inputs) users_[in.get()].push_back(n);
}

std::string InPlaceRule::refuse(const Node& update) const {
  const Node* base = update.inputs[0].get();
  if (kind(base->op) == OpKind::Source && base->op != Op::input)
    return "the replaced value must lie in memory: got " + std::string(name(base->op));
  if (base->op == Op::input && !base->as<InputAttr>().strides.empty())
    return "the replaced input must be row-major: got strides";
  if (is_output(base)) return "the replaced value must not be an output";
  if (std::string who = read_elsewhere(update); !who.empty())
    return "nothing else may read the replaced value: " + who + " does";
  if (!reads_aligned(update))
    return "the new elements may be computed from the replaced value at their own positions only";
  return "";
}

// What the replacement is computed from runs before it, unless somebody else asks for it later.
std::string InPlaceRule::read_elsewhere(const Node& update) const {
  const Node* base = update.inputs[0].get();
  const std::unordered_set<const Node*> cone = below(update.inputs[1].get(), base);
  auto other = [&](const Node* read) -> std::string {
    for (const Node* user : users_.at(read))
      if (user != &update && !cone.contains(user)) return describe(*user);
    return "";
  };
  if (std::string who = other(base); !who.empty() || !cone.contains(base)) return who;
  for (const Node* n : cone) {
    if (n == base || kind(n->op) == OpKind::Source) continue;
    if (std::string who = other(n); !who.empty()) return who;
  }
  return "";
}

bool InPlaceRule::reads_aligned(const Node& update) const {
  const Node* base = update.inputs[0].get();
  const NodeRef& value = update.inputs[1];
  const auto& [starts, steps] = update.as<SliceAttr>();
  Variables vars;
  Access own, written;
  for (size_t k = 0; k < value->shape().size(); ++k) {
    own.push_back(vars.of(vars.add_axis(value->shape()[k])));
    written.push_back(vars.shift(vars.scale(own.back(), steps[k]), starts[k]));
  }
  std::unordered_map<const Node*, std::vector<Access>> seen;
  std::vector<std::pair<const Node*, Access>> stack{{value.get(), own}};
  while (!stack.empty()) {
    auto [n, at] = stack.back();
    stack.pop_back();
    if (n == base) {
      if (at != written) return false;
      continue;
    }
    auto& known = seen[n];
    if (std::find(known.begin(), known.end(), at) != known.end()) continue;
    if (known.size() > 16) return false;
    known.push_back(at);
    if (kind(n->op) == OpKind::Source) continue;
    if (kind(n->op) != OpKind::Map && kind(n->op) != OpKind::View) {
      // Reductions, products and gathers take the old value from anywhere.
      if (below(n, base).contains(base)) return false;
      continue;
    }
    for (size_t k = 0; k < n->inputs.size(); ++k) {
      if (n->op == Op::pad && k == 1) continue;
      InputAccess in = input_access(*n, k, at, vars);
      if (!in.never) stack.push_back({n->inputs[k].get(), in.at});
    }
  }
  return true;
}

BrokenAssign find_broken_assign(const Graph& graph) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  if (std::none_of(order.begin(), order.end(), [](const Node* n) { return n->op == Op::assign; })) return {};
  const InPlaceRule rule(graph);
  for (const Node* n : order)
    if (n->op == Op::assign)
      if (std::string why = rule.refuse(*n); !why.empty()) return {n, std::move(why)};
  return {};
}

}  // namespace weft::ir
