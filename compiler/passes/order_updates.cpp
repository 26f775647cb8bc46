#include "compiler/passes/order_updates.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/build.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/rewritten.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

// So far back a value that is read is looked for among those that an update replaces.
constexpr int kUpdatesLookedAt = 4096;
// So many nodes are walked below what an update writes: where turns depend on all turns before them, each would walk all.
constexpr size_t kNodesLookedAt = 256, kNodesExpected = 16;

// A place in a chain: the value after `index` updates; `base` of the first update has index 0.
struct Place {
  int chain = -1, index = 0;
};

class Orderer {
 public:
  Orderer(const ir::Graph& graph, size_t least)
      : graph_(graph), order_(topological_order(graph.outputs)), replaced_(order_.size()) {
    for (auto* n : order_)
      for (auto& in : n->inputs) ++uses_[in.get()];
    for (auto& out : graph.outputs) ++uses_[out.get()];
    find_chains(least);
  }

  ir::Graph run() {
    if (chains_.empty()) return graph_;
    find_dependent();
    for (auto* n : order_) replaced_.set(n, rebuilt(n));
    return replaced_.graph(graph_);
  }

 private:
  void find_chains(size_t least) {
    ir::NodeMap<bool> seen;
    for (auto top = order_.rbegin(); top != order_.rend(); ++top) {
      if ((*top)->op != Op::update || seen[*top]) continue;
      std::vector<const Node*> chain;  // from the base up
      const Node* n = *top;
      for (; n->op == Op::update && !seen[n]; n = n->inputs[0].get()) {
        seen[n] = true;
        chain.push_back(n);
      }
      if (chain.size() < least || kind(n->op) == OpKind::Update) continue;
      chain.push_back(n);
      std::reverse(chain.begin(), chain.end());
      const int number = static_cast<int>(chains_.size());
      for (size_t i = 0; i < chain.size(); ++i)
        places_.try_emplace(chain[i], Place{number, static_cast<int>(i)});
      for (size_t i = 1; i < chain.size(); ++i)
        written_.try_emplace(chain[i]->inputs[1].get(), Place{number, static_cast<int>(i)});
      chains_.push_back(std::move(chain));
    }
  }

  // Only what depends on a chain has to be looked at.
  void find_dependent() {
    for (auto* n : order_) {
      bool& now = dependent_[n];
      now = places_.contains(n);
      for (auto& in : n->inputs) now |= dependent_.at(in.get());
    }
  }

  const Node* place_of(const Place& at, int index) const {
    return chains_[static_cast<size_t>(at.chain)][static_cast<size_t>(index)];
  }

  NodeRef rebuilt(const Node* n) {
    auto at = written_.find(n);
    if (at == written_.end() || !dependent_.at(n)) return replaced_.with_new_inputs(*n);
    // What the update replaces may be computed from these very elements, or come later in this order.
    const bool known = replaced_.contains(place_of(at->second, at->second.index - 1));
    return known ? anchored(n, at->second) : replaced_.with_new_inputs(*n);
  }

  // The new elements of update `at`, from the value that it replaces.
  NodeRef anchored(const Node* top, const Place& at) {
    const Node *update = place_of(at, at.index), *base = place_of(at, at.index - 1);
    const auto& range = update->as<ir::SliceAttr>();
    Rewritten made(kNodesExpected);
    bool reads = false, aligned = true;
    std::vector<std::pair<const Node*, bool>> stack{{top, false}};
    while (!stack.empty()) {
      auto [n, ready] = stack.back();
      stack.pop_back();
      if (made.contains(n)) continue;
      if (made.size() + stack.size() > kNodesLookedAt) return replaced_.with_new_inputs(*top);
      auto place = places_.find(n);
      const bool on_chain = place != places_.end() && place->second.chain == at.chain;
      if (on_chain || (n != top && written_.contains(n)) || !dependent_.at(n)) {
        made.set(n, replaced_.at(n));
        reads |= on_chain, aligned &= !on_chain;
        continue;
      }
      if (n->op == Op::slice) {
        auto of = places_.find(n->inputs[0].get());
        if (of != places_.end() && of->second.chain == at.chain && of->second.index < at.index &&
            untouched(*n, of->second.index, at)) {
          const auto& read = n->as<ir::SliceAttr>();
          made.set(n, ir::make(Op::slice, std::vector{replaced_.at(base)}, n->attr, n->type, n->lines));
          reads = true;
          aligned &= read.starts == range.starts && read.steps == range.steps &&
                     n->shape() == update->inputs[1]->shape();
          continue;
        }
      }
      if (ready) {
        // What reads nothing anew stays one node with what the rest of the graph uses.
        const bool same = std::all_of(n->inputs.begin(), n->inputs.end(),
                                      [&](auto& in) { return made.at(in.get()) == replaced_.at(in.get()); });
        made.set(n, same && n != top ? replaced_.at(n) : made.with_new_inputs(*n));
        aligned &= kind(n->op) == OpKind::Map;
        continue;
      }
      stack.emplace_back(n, true);
      for (auto& in : n->inputs) stack.emplace_back(in.get(), false);
    }
    const NodeRef& value = made.at(top);
    // A copy of new elements is written and read again, which is worth it where they are a small part.
    const bool small = kSmallUpdate * element_count(top->shape()) <= element_count(update->shape());
    if (!reads || (aligned && uses_.at(top) == 1) || !small) return value;
    return ir::copy(value, value->lines);
  }

  // Whether no update after the value at `index` and before `at` writes what the slice reads.
  bool untouched(const Node& slice, int index, const Place& at) const {
    if (at.index - index > kUpdatesLookedAt) return false;
    for (int k = index + 1; k < at.index; ++k) {
      const Node* u = place_of(at, k);
      if (!disjoint(slice.as<ir::SliceAttr>(), slice.shape(), u->as<ir::SliceAttr>(), u->inputs[1]->shape()))
        return false;
    }
    return true;
  }

  const ir::Graph& graph_;
  std::vector<const Node*> order_;
  ir::NodeMap<size_t> uses_;
  std::vector<std::vector<const Node*>> chains_;
  std::unordered_map<const ir::Node*, Place> places_, written_;
  ir::NodeMap<bool> dependent_;
  Rewritten replaced_;
};

}  // namespace

ir::Graph order_updates(const ir::Graph& graph, size_t least) { return Orderer(graph, least).run(); }

}  // namespace weft::passes
