#include "compiler/passes/assign.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/access.h"
#include "compiler/ir/build.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

namespace {

using ir::Access;
using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

class InPlace {
 public:
  InPlace(const ir::Graph& graph, const Options& options) : graph_(graph) {
    for (auto* n : topological_order(graph.outputs))
      for (auto& in : n->inputs) users_[in.get()].push_back(n);
    int number = 0;
    for (auto& in : graph.inputs) {
      if (in->op != Op::input) continue;
      if (std::find(options.donated.begin(), options.donated.end(), number++) != options.donated.end())
        donated_.insert(in.get());
    }
  }

  // The updates that can be assignments.
  std::unordered_set<const Node*> find() const {
    std::unordered_set<const Node*> out;
    for (auto& o : graph_.outputs) {
      if (std::count(graph_.outputs.begin(), graph_.outputs.end(), o) > 1) continue;
      std::vector<const Node*> chain;
      const Node* n = o.get();
      for (; n->op == Op::update && !(n != o.get() && is_output(n)); n = n->inputs[0].get())
        chain.push_back(n);
      if (!donated_.contains(n) || is_output(n) || !n->as<ir::InputAttr>().strides.empty()) continue;
      // From the input on: the first update that needs its old value elsewhere ends the run.
      for (size_t k = chain.size(); k-- > 0 && overwrites(chain[k]);) out.insert(chain[k]);
    }
    return out;
  }

 private:
  bool is_output(const Node* n) const {
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(), [&](auto& o) { return o.get() == n; });
  }

  // Whether the old value is read by this update alone, and there only at the positions that it replaces,
  // element by element.
  bool overwrites(const Node* update) const {
    const Node *base = update->inputs[0].get(), *value = update->inputs[1].get();
    std::unordered_set<const Node*> cone = below(value, base);
    if (cone.contains(base))
      for (const Node* n : cone) {
        if (n == base || kind(n->op) == OpKind::Source) continue;
        for (const Node* user : users_.at(n))
          if (user != update && !cone.contains(user)) return false;
      }
    for (const Node* user : users_.at(base))
      if (user != update && !cone.contains(user)) return false;
    return reads_aligned(update);
  }

  // Everything that `top` is computed from, and `base` if that is there.
  std::unordered_set<const Node*> below(const Node* top, const Node* base) const {
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

  bool reads_aligned(const Node* update) const {
    const Node* base = update->inputs[0].get();
    const NodeRef& value = update->inputs[1];
    const auto& [starts, steps] = update->as<ir::SliceAttr>();
    ir::Variables vars;
    Access own, written;
    for (size_t k = 0; k < value->shape().size(); ++k) {
      own.push_back(vars.of(vars.add_axis(value->shape()[k])));
      written.push_back(vars.shift(vars.scale(own.back(), steps[k]), starts[k]));
    }
    std::unordered_map<const Node*, std::vector<Access>> seen;
    std::vector<std::pair<const Node*, Access>> stack{{value.get(), own}};
    std::unordered_map<const Node*, bool> reads;
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
      bool walks = kind(n->op) == OpKind::Map || kind(n->op) == OpKind::View;
      if (!walks) {
        // Reductions, products and gathers take the old value from anywhere.
        if (below(n, base).contains(base)) return false;
        continue;
      }
      for (size_t k = 0; k < n->inputs.size(); ++k) {
        if (n->op == Op::pad && k == 1) continue;
        ir::InputAccess in = input_access(*n, k, at, vars);
        if (!in.never) stack.push_back({n->inputs[k].get(), in.at});
      }
    }
    return true;
  }

  const ir::Graph& graph_;
  std::unordered_map<const Node*, std::vector<const Node*>> users_;
  std::unordered_set<const Node*> donated_;
};

}  // namespace

ir::Graph assign_in_place(const ir::Graph& graph, const Options& options) {
  if (options.donated.empty()) return graph;
  std::unordered_set<const Node*> found = InPlace(graph, options).find();
  if (found.empty()) return graph;
  // Only the ends of chains change, so the nodes that rewrite() hands over are those that were found, or made
  // from them.
  std::unordered_map<const Node*, NodeRef> replaced;
  ir::Graph out{graph.inputs, {}};
  for (const Node* n : topological_order(graph.outputs)) {
    std::vector<NodeRef> inputs;
    bool changed = false;
    for (auto& in : n->inputs) {
      inputs.push_back(replaced.at(in.get()));
      changed |= inputs.back() != in;
    }
    if (found.contains(n))
      replaced[n] = ir::make(Op::assign, inputs, n->attr, n->type, n->lines);
    else
      replaced[n] = changed ? with_inputs(*n, inputs) : NodeRef(n);
  }
  for (auto& o : graph.outputs) out.outputs.push_back(replaced.at(o.get()));
  return out;
}

}  // namespace weft::passes
