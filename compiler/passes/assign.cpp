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

// A chain of this many updates is worth a copy of what it starts from: as one expression, each of them would
// cost a test and a choice for every element.
constexpr size_t kWorthACopy = 8;

class InPlace {
 public:
  InPlace(const ir::Graph& graph, const Options& options)
      : graph_(graph), order_(topological_order(graph.outputs)) {
    for (auto* n : order_)
      for (auto& in : n->inputs) users_[in.get()].push_back(n);
    int number = 0;
    for (auto& in : graph.inputs) {
      if (in->op != Op::input) continue;
      if (std::find(options.donated.begin(), options.donated.end(), number++) != options.donated.end())
        donated_.insert(in.get());
    }
  }

  // The updates that can be assignments, and the values that have to lie in memory of their own for it.
  struct Found {
    std::unordered_set<const Node*> updates, copied;
  };
  Found find() const {
    Found out;
    std::unordered_set<const Node*> seen;
    for (auto top = order_.rbegin(); top != order_.rend(); ++top) {
      if ((*top)->op != Op::update || seen.contains(*top)) continue;
      std::vector<const Node*> chain;
      const Node* n = *top;
      do {
        seen.insert(n);
        chain.push_back(n);
        n = n->inputs[0].get();
      } while (n->op == Op::update && !is_output(n) && !seen.contains(n));
      bool output = std::count_if(graph_.outputs.begin(), graph_.outputs.end(),
                                  [&](auto& o) { return o.get() == *top; }) == 1;
      bool given = output && donated_.contains(n) && !is_output(n) && n->as<ir::InputAttr>().strides.empty();
      if (!given && chain.size() < kWorthACopy) continue;
      // From the start on: the first update that needs its old value elsewhere ends the run.
      size_t from = chain.size();
      while (from > 0 && overwrites(chain[from - 1], given)) --from;
      if (!given && chain.size() - from < kWorthACopy) continue;
      out.updates.insert(chain.begin() + static_cast<int64_t>(from), chain.end());
      if (!given) out.copied.insert(chain.back());
    }
    return out;
  }

 private:
  bool is_output(const Node* n) const {
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(), [&](auto& o) { return o.get() == n; });
  }

  // Whether the old value is read by this update alone, and there only at the positions that it replaces,
  // element by element.
  bool overwrites(const Node* update, bool given) const {
    const Node *base = update->inputs[0].get(), *value = update->inputs[1].get();
    // The first update of a copy leaves the original to whoever reads it.
    if (!given && base->op != Op::update) return true;
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
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::vector<const Node*>> users_;
  std::unordered_set<const Node*> donated_;
};

}  // namespace

ir::Graph assign_in_place(const ir::Graph& graph, const Options& options) {
  InPlace::Found found = InPlace(graph, options).find();
  if (found.updates.empty()) return graph;
  std::unordered_map<const Node*, NodeRef> replaced;
  ir::Graph out{graph.inputs, {}};
  for (const Node* n : topological_order(graph.outputs)) {
    std::vector<NodeRef> inputs;
    bool changed = false;
    for (auto& in : n->inputs) {
      inputs.push_back(replaced.at(in.get()));
      changed |= inputs.back() != in;
    }
    // A broadcast to the same shape is a copy: its own node, with memory of its own.
    if (found.copied.contains(n))
      inputs[0] = ir::make(Op::broadcast, std::span(inputs.data(), 1), {}, inputs[0]->type, n->lines);
    if (found.updates.contains(n))
      replaced[n] = ir::make(Op::assign, inputs, n->attr, n->type, n->lines);
    else
      replaced[n] = changed ? with_inputs(*n, inputs) : NodeRef(n);
  }
  for (auto& o : graph.outputs) out.outputs.push_back(replaced.at(o.get()));
  return out;
}

}  // namespace weft::passes
