#include "compiler/fusion/place_roots.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"

namespace weft::fusion {

namespace {

using ir::is_reduce;
using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::space_of;

constexpr size_t kSiblingsTried = 4;

class Placer {
 public:
  Placer(const Roots& roots, const Expressions& expressions, const Target& target, const Options& options)
      : roots_(roots), expressions_(expressions), target_(target), options_(options) {}

  Groups run() {
    for (auto* n : roots_.order)
      if (roots_.contains(n)) place(n);
    return std::move(groups_);
  }

 private:
  void place(const Node* n) {
    const Expression& e = expressions_.at(n);
    std::set<int> needs;
    for (auto& [producer, reading] : e.readings) needs.insert(groups_.group_of.at(producer));
    int joined = -1;
    const size_t decided = groups_.decisions.size();
    const bool alone = options_.apart && options_.apart(*n);
    if (!runs_alone(*n) && options_.fuse && !alone) {
      for (auto g = needs.rbegin(); g != needs.rend() && joined < 0; ++g)
        if (join_producers(n, e, *g, needs)) joined = *g;
      if (joined < 0) joined = join_siblings(n, e, needs);
    }
    if (joined < 0) {
      joined = start(n, e, needs);
      groups_.all[joined].alone = alone;
    }
    groups_.group_of[n] = joined;
    decide(n, e, joined, decided);
    for (auto* in : e.inputs) groups_.readers[in].push_back(joined);
    for (auto& [producer, reading] : e.readings) groups_.readers[producer].push_back(joined);
  }

  // A decision for each value that n reads, but for those refused while n was placed: they begin at
  // `decided`.
  void decide(const Node* n, const Expression& e, int joined, size_t decided) {
    ir::NodeSet known;
    std::unordered_map<int, std::string> refusals;  // of whole groups
    for (size_t k = decided; k < groups_.decisions.size(); ++k) {
      known.insert(groups_.decisions[k].producer);
      if (auto g = groups_.group_of.find(groups_.decisions[k].producer); g != groups_.group_of.end())
        refusals.try_emplace(g->second, groups_.decisions[k].reason);
    }
    for (auto& [producer, reading] : e.readings) {
      const int g = groups_.group_of.at(producer);
      if (g == joined) {
        groups_.decisions.push_back({producer, n, true, why_fused(*producer, reading)});
      } else if (!known.contains(producer)) {
        auto refused = refusals.find(g);
        groups_.decisions.push_back({producer, n, false,
                                     !options_.fuse          ? "fusion is switched off"
                                     : !reading.aligned      ? why_apart(producer, reading)
                                     : runs_alone(*producer) ? because_it_computes(*producer)
                                     : refused != refusals.end()
                                         ? refused->second
                                         : "its reader is computed with other values that it reads"});
      }
    }
  }

  static std::string why_fused(const Node& producer, const Reading& reading) {
    if (reading.only_memory) return "both write other elements of the same memory";
    const bool of_rows = is_reduce(producer) || ir::kind(producer.op) == ir::OpKind::Scan;
    return of_rows ? "its rows are computed in the kernel that reads it"
                   : "its elements are read in the loop that computes them";
  }

  // Values at other positions are computed there, unless that takes longer than to read them.
  std::string why_apart(const Node* producer, const Reading& reading) const {
    return roots_.repeated.contains(producer)
               ? "it is read at many positions: computed at each, it would take longer than stored once"
               : reading.reason;
  }

  // Adds what an expression makes arguments of the group's kernel: arrays, scalars, and what other groups
  // compute.
  void add_inputs(int g, const Expression& e, std::set<const Node*>& inputs) const {
    inputs.insert(e.inputs.begin(), e.inputs.end());
    inputs.insert(e.scalars.begin(), e.scalars.end());
    for (auto& [producer, reading] : e.readings)
      if (groups_.group_of.at(producer) != g) inputs.insert(producer);
  }

  bool fits(int g, const Node* n, const Expression& e) const {
    const Building& b = groups_.all[g];
    std::set<const Node*> inputs = b.inputs;
    add_inputs(g, e, inputs);
    int words = words_of(*n);
    for (auto* in : inputs) words += words_of(*in);
    for (auto& root : b.roots) words += words_of(*root.node);
    return b.compile_cost + e.compile_cost <= options_.max_kernel_cost && words <= options_.max_kernel_words;
  }

  // Copies are made so that they read before an assign replaces it.
  static const Node* copy_before(const Node& n, const Building& b) {
    if (n.op != Op::assign) return nullptr;
    for (auto& root : b.roots)
      if (is_copy(*root.node)) return root.node.get();
    return nullptr;
  }

  // The assigns of a group that write the memory that this one writes after them, the last one first.
  std::vector<const Node*> assigns_before(const Node& n, int g) const {
    std::vector<const Node*> out;
    const Node* before = ir::memory_of(n.inputs[0].get());
    for (; before->op == Op::assign; before = ir::memory_of(before->inputs[0].get())) {
      auto group = groups_.group_of.find(before);
      if (group == groups_.group_of.end() || group->second != g) break;
      out.push_back(before);
    }
    return out;
  }

  // As ir::written_into, of chains that are each walked once.
  const Node* written_into(const Node* n) {
    std::vector<const Node*> chain;
    while (n->op == Op::assign && !memory_.contains(n)) {
      chain.push_back(n);
      n = ir::memory_of(n->inputs[0].get());
    }
    const auto known = memory_.find(n);
    const Node* memory = known == memory_.end() ? n : known->second;
    for (const Node* assign : chain) memory_[assign] = memory;
    return memory;
  }

  // Whether this assign replaces elements that those before it read, of the same memory: other points of the
  // loops would meet what it wrote. What other groups compute was stored before.
  bool replaces_what_is_read(const Node& n, const std::vector<const Node*>& before, int g) {
    const Node* memory = written_into(&n);
    std::vector<const Node*> left;
    ir::NodeSet seen;
    left.reserve(before.size());
    for (const Node* assign : before) left.push_back(assign->inputs[1].get());
    while (!left.empty()) {
      const Node* reader = left.back();
      left.pop_back();
      if (!seen.insert(reader).second) continue;
      if (written_into(ir::memory_of(reader)) == memory) return true;
      if (const auto group = groups_.group_of.find(reader);
          group != groups_.group_of.end() && group->second != g)
        continue;
      for (auto& in : reader->inputs) {
        const bool spared = reader->op == Op::slice && in->shape() == n.shape() &&
                            written_into(ir::memory_of(in.get())) == memory &&
                            ir::disjoint(reader->as<ir::SliceAttr>(), reader->shape(), n.as<ir::SliceAttr>(),
                                         n.inputs[1]->shape());
        if (!spared) left.push_back(in.get());
      }
    }
    return false;
  }

  bool join_producers(const Node* n, const Expression& e, int g, const std::set<int>& needs) {
    Building& b = groups_.all[g];
    auto refused = [&](const Node* producer, const std::string& reason) {
      groups_.decisions.push_back({producer, n, false, reason});
      return false;
    };
    if (b.library) return refused(b.library.get(), because_it_computes(*b.library));
    if (b.alone) return refused(b.roots[0].node.get(), "it is kept apart");
    if (const Node* copy = copy_before(*n, b)) return refused(copy, "it is written in place, after the copy");
    if (n->op == Op::assign && replaces_what_is_read(*n, assigns_before(*n, g), g))
      return refused(ir::memory_of(n->inputs[0].get()), "it is written in place, and read at other points");
    std::vector<int> axis;
    const Node* first = nullptr;
    for (auto& root : b.roots) {
      const Reading* reading = e.reading(root.node.get());
      if (!reading) continue;
      Join join = reading->only_memory
                      ? can_assign_beside(b.space, *n, assigns_before(*n, g), target_)
                      : can_fuse(b.space, *root.node, root.axis, *n, *reading, target_, options_.numerics);
      if (!join.possible)
        return refused(root.node.get(), reading->aligned || reading->only_memory
                                            ? join.reason
                                            : why_apart(root.node.get(), *reading));
      if (first && join.axis != axis)
        return refused(root.node.get(), "it lines up otherwise than " + std::string(name(first->op)));
      first = root.node.get();
      axis = join.axis;
    }
    if (would_cycle(groups_, g, needs)) return refused(first, "another kernel has to run between them");
    if (!fits(g, n, e)) return refused(first, "the kernel would be too large");
    add(g, n, axis, e, needs);
    return true;
  }

  int join_siblings(const Node* n, const Expression& e, const std::set<int>& needs) {
    std::set<int, std::greater<>> candidates;
    auto offer = [&](const Node* in) {
      auto it = groups_.readers.find(in);
      if (it == groups_.readers.end()) return;
      size_t tried = 0;
      for (auto g = it->second.rbegin(); g != it->second.rend() && tried < kSiblingsTried; ++g, ++tried)
        candidates.insert(*g);
    };
    for (auto* in : e.inputs) offer(in);
    for (auto& [producer, reading] : e.readings) offer(producer);
    for (int g : candidates) {
      Building& b = groups_.all[g];
      if (b.library || b.alone || needs.contains(g) || copy_before(*n, b) || enough_siblings(b, 1, target_))
        continue;
      Join join = can_join_siblings(b.space, *n, target_);
      if (!join.possible || would_cycle(groups_, g, needs) || !fits(g, n, e)) continue;
      add(g, n, join.axis, e, needs);
      return g;
    }
    return -1;
  }

  int start(const Node* n, const Expression& e, const std::set<int>& needs) {
    groups_.all.emplace_back();
    int g = static_cast<int>(groups_.all.size()) - 1;
    Building& b = groups_.all[g];
    if (runs_alone(*n)) {
      b.library = NodeRef(n);
      run_after(groups_, g, needs);
      b.roots.push_back({NodeRef(n), {}, true});
      return g;
    }
    std::vector<int> axis;
    for (int64_t extent : space_of(*n)) {
      axis.push_back(extent == 1 ? -1 : static_cast<int>(b.space.extents.size()));
      if (extent == 1) continue;
      b.space.extents.push_back(extent);
      b.space.row.push_back(0);
    }
    add(g, n, axis, e, needs);
    return g;
  }

  void add(int g, const Node* n, const std::vector<int>& axis, const Expression& e,
           const std::set<int>& needs) {
    Building& b = groups_.all[g];
    b.roots.push_back({NodeRef(n), axis, false});
    if (is_reduce(*n)) {
      for (int64_t k : n->as<ir::AxesAttr>().axes)
        if (axis[k] >= 0) b.space.row[axis[k]] = 1;
      b.space.has_row = true;
    }
    if (ir::scans(*n)) {
      b.space.row[axis[n->as<ir::AxisAttr>().axis]] = 1;
      b.space.has_row = b.space.scans = true;
    }
    b.compile_cost += e.compile_cost;
    add_inputs(g, e, b.inputs);
    run_after(groups_, g, needs);
  }

  const Roots& roots_;
  const Expressions& expressions_;
  const Target& target_;
  const Options& options_;
  Groups groups_;
  ir::NodeMap<const Node*> memory_;  // of assigns
};

}  // namespace

Groups place_roots(const Roots& roots, const Expressions& expressions, const Target& target,
                   const Options& options) {
  return Placer(roots, expressions, target, options).run();
}

}  // namespace weft::fusion
