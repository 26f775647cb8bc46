#include "compiler/fusion/repeated_work.h"
#include "compiler/ir/function.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::fusion {

using namespace tuning;

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

constexpr size_t kPassingOn = 16;  // views and updates that are followed from a value to who needs it

// Whether the lanes along the last axis each read from a place of their own.
bool gathers_lanes(const Node* n) {
  return n->op == Op::gather && !n->inputs[1]->shape().empty() && n->inputs[1]->shape().back() > 1;
}

// Each part of a concat, pad or update is a guarded load and a choice, wherever it is read.
float cost(const Node* n, const Target& target) {
  if (!machine::is_gpu(target) && gathers_lanes(n)) return kGatherWork;
  if (n->op == Op::concat || n->op == Op::pad || n->op == Op::update)
    return kPartWork * static_cast<float>(n->inputs.size());
  return kind(n->op) == OpKind::Map ? std::max(ir::cost_of(*n), 0.25f) : 0;
}

bool repeats(const Expression& e, const Target& target) {
  float repeated = 0;
  for (auto& [node, times] : e.times) repeated += static_cast<float>(times - 1) * cost(node, target);
  return repeated > kRepeatedWork;
}

}  // namespace

bool RepeatedWork::store_repeated_values(bool may_change) {
  bool changed = false;
  drop_outdated();
  for (auto* root : roots_.order) {
    if (!roots_.contains(root)) continue;
    // What is stored may repeat what it reads as its reader did.
    std::vector<const Node*> left{root};
    while (!left.empty()) {
      const Node* n = left.back();
      left.pop_back();
      const auto [at, unknown] = expressions_.try_emplace(n);
      Expression& e = at->second;
      if (unknown || (e.glanced && !may_change)) e = analyze(n, roots_.all, may_change);
      bool stored = may_change && repeats(e, target_) && store_repeated(e, left);
      if (e.glanced && !stored) {
        // Long, but nothing near the root repeats.
        e = analyze(n, roots_.all, false);
        stored = repeats(e, target_) && store_repeated(e, left);
      }
      changed |= stored || (may_change && store_spread(n, e, left));
    }
  }
  return changed;
}

bool RepeatedWork::store(const Node* n) {
  if (!roots_.all.insert(n).second) return false;
  added_.push_back(n);
  return true;
}

// An expression ends at roots, so only one that goes on through a new root is another one now.
void RepeatedWork::drop_outdated() {
  std::erase_if(expressions_, [&](const auto& of) {
    return std::ranges::any_of(added_, [&](const Node* n) { return of.second.times.contains(n); });
  });
  added_.clear();
}

// Stores the values at which repetition begins: those read more often than one of their readers is
// computed.
bool RepeatedWork::store_repeated(const Expression& e, std::vector<const Node*>& stored) {
  const size_t before = stored.size();
  for (auto& [node, times] : e.times) {
    if (times == 1 || cost(node, target_) == 0) continue;
    // Views that repeat as often are no place to begin: it is what they view that is stored.
    bool begins = false;
    size_t read_by = 1;  // how often a reader is computed at which repetition begins
    std::vector<const Node*> stack{node};
    while (!stack.empty() && !begins) {
      const Node* top = stack.back();
      stack.pop_back();
      for (auto* user : roots_.users.of(top)) {
        auto u = e.times.find(user);
        if (u == e.times.end() || u->second < times)
          begins = true, read_by = u == e.times.end() ? 1 : static_cast<size_t>(u->second);
        else if (cost(user, target_) == 0 && u->second == times)
          stack.push_back(user);
      }
    }
    // The root's bound is for all that it repeats together: one value of several that exceed it has half of it.
    if (!begins || static_cast<float>(times - 1) * work_below(node, e) <= kRepeatedWork / 2) continue;
    const Node* kept = shared_below(node, static_cast<float>(times) / static_cast<float>(read_by) - 1, e);
    if (store(kept)) {
      roots_.repeated.insert(kept);
      stored.push_back(kept);
    }
  }
  return stored.size() > before;
}

// What to store in the place of a value that is repeated: if little work makes it of one value that others read as
// well, that one, which would be stored beside it.
const Node* RepeatedWork::shared_below(const Node* node, float repeated, const Expression& e) const {
  float work = 0;
  bool shared = false;
  for (const Node* n = node;;) {
    if (kind(n->op) != OpKind::Map && kind(n->op) != OpKind::View) return node;
    work += cost(n, target_);
    if (work * repeated > kRepeatedWork / 2) return node;
    const Node* of = nullptr;
    for (const NodeRef& in : n->inputs) {
      if (kind(in->op) == OpKind::Source || in.get() == of) continue;
      if (of) return node;
      of = in.get();
    }
    if (!of || !e.times.contains(of)) return node;
    shared |= std::ranges::any_of(roots_.users.of(of), [&](const Node* user) { return user != n; });
    if (shared && kind(of->op) != OpKind::View) return of;
    n = of;
  }
}

// Stores costly values of few elements that would be computed again and again, as those of a table that is
// repeated along an axis.
bool RepeatedWork::store_spread(const Node* root, const Expression& e, std::vector<const Node*>& stored) {
  if (machine::is_gpu(target_) || e.glanced) return false;
  const size_t before = stored.size();
  const auto points = static_cast<float>(element_count(ir::space_of(*root)));
  for (const Node* node : e.spread) {
    // Of a chain of them, the last.
    bool last = false;
    std::vector<const Node*> stack{node};
    while (!stack.empty() && !last) {
      const Node* top = stack.back();
      stack.pop_back();
      for (const Node* user : roots_.users.of(top)) {
        if (kind(user->op) == OpKind::View && e.times.contains(user))
          stack.push_back(user);
        else
          last |= !e.spread.contains(user);
      }
    }
    const float parts = kind(node->dtype()) == DTypeKind::Complex ? kComplexWork : 1;
    const float work = last ? work_below(node, e) * parts : 0;
    const bool spares = work > kSpreadWork || (work > kSpreadOfMany && work * points > kSparedInAll);
    if (spares && store(node)) stored.push_back(node);
  }
  return stored.size() > before;
}

float RepeatedWork::work_below(const Node* top, const Expression& e) const {
  float sum = 0;
  ir::NodeSet seen{top};
  std::vector<const Node*> stack{top};
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    sum += cost(n, target_);
    for (auto& in : n->inputs) {
      if (!seen.insert(in.get()).second) continue;
      if (e.times.contains(in.get())) stack.push_back(in.get());
      if (auto bound = bounded_work_.find(in.get()); bound != bounded_work_.end()) sum += bound->second;
    }
  }
  return sum;
}

bool RepeatedWork::store_shared(const Groups& groups) {
  struct Use {
    std::unordered_set<int> groups;
    size_t beyond = 0;  // roots that would compute it too, were their expressions not bounded
    size_t count() const { return groups.size() + beyond; }
    const Expression* in = nullptr;  // one that computes it
  };
  for (auto* n : roots_.order)
    if (roots_.bounds.contains(n)) bounded_work_[n] = work_below(n, expressions_.at(n));
  // How many roots would compute what a bound computes, were it none.
  ir::NodeMap<size_t> beyond;
  for (auto root = roots_.order.rbegin(); root != roots_.order.rend() && !roots_.bounds.empty(); ++root)
    if (auto e = expressions_.find(*root); e != expressions_.end())
      for (auto& [producer, reading] : e->second.readings)
        if (roots_.bounds.contains(producer)) {
          const size_t of_root = beyond[*root];
          size_t& of_producer = beyond[producer];
          of_producer = std::min(of_producer + of_root + 1, roots_.order.size());
        }
  std::unordered_map<const ir::Node*, Use> used;
  for (auto* root : roots_.order) {
    auto e = expressions_.find(root);
    if (e == expressions_.end()) continue;
    for (auto& [node, times] : e->second.times) {
      Use& u = used[node];
      u.groups.insert(groups.group_of.at(root));
      if (auto b = beyond.find(root); b != beyond.end()) u.beyond += b->second;
      if (!u.in) u.in = &e->second;
    }
  }
  bool changed = false;
  for (auto* n : roots_.order) {
    auto u = used.find(n);
    if (u == used.end() || u->second.count() < 2 || kind(n->op) != OpKind::Map) continue;
    const size_t kernels = u->second.count();
    // Views and updates that are shared as widely only pass it on.
    bool top = false;
    std::vector<const Node*> passing{n};
    for (size_t k = 0; k < passing.size() && k < kPassingOn && !top; ++k)
      for (auto* user : roots_.users.of(passing[k])) {
        auto w = used.find(user);
        top |= w == used.end() || w->second.count() < kernels;
        if (kind(user->op) != OpKind::Map) passing.push_back(user);
      }
    if (top && work_below(n, *u->second.in) * static_cast<float>(kernels - 1) > kSharedWork)
      changed |= store(n);
  }
  return changed;
}

}  // namespace weft::fusion
