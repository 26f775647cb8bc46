#include "compiler/fusion/take_in_groups.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::fusion {

using namespace tuning;

namespace {

using ir::Node;

constexpr size_t kReadersTried = 4;  // of each array

// What a group's roots read, but for each other.
struct Arrays {
  ir::NodeSet all;
  ir::NodeSet scalars;
  std::vector<const Node*> large;  // those about as large as the group's loops
  int words = 0;                   // of `all`, of `scalars` and of the roots
};

class TakeIn {
 public:
  TakeIn(Groups& groups, const Expressions& expressions, const Target& target, const Options& options)
      : groups_(groups),
        expressions_(expressions),
        target_(target),
        options_(options),
        arrays_(groups.all.size()) {
    for (size_t k = 0; k < groups.decisions.size(); ++k)
      decisions_of_[groups.decisions[k].consumer][groups.decisions[k].producer].push_back(k);
    for (size_t g = 0; g < arrays_.size(); ++g) gather_arrays(static_cast<int>(g));
  }

  // First what reduces the same rows. Then what reduces over their points, or over sections of them. Last
  // what reduces other results of the same kernel, where loops gain nothing from a launch of their own.
  void run() {
    for (By by : {By::Rows, By::Points, By::Sections, By::Launch})
      for (int g = 0; g < static_cast<int>(groups_.all.size()); ++g) {
        if (!groups_.all[g].space.has_row) continue;
        for (int into : by == By::Launch ? small_readers(g) : candidates(g))
          if (take_in(into, g, by)) break;
      }
  }

 private:
  // What two groups share.
  enum class By { Rows, Points, Sections, Launch };

  // Other groups of few elements that read what a kernel gives which this one reads.
  std::set<int> small_readers(int g) const {
    std::set<int> out;
    if (is_small(g))
      for (int kernel : groups_.all[g].before) {
        size_t tried = 0;
        for (int reader : groups_.all[kernel].after)
          if (reader < g && is_small(reader) && ++tried <= kReadersTried) out.insert(reader);
      }
    return out;
  }

  bool is_small(int g) const {
    const Building& b = groups_.all[g];
    return !b.library && b.space.has_row && element_count(b.space.extents) < kLoopsOfOneLaunch;
  }

  std::set<int> candidates(int g) const {
    std::set<int> out;
    for (auto* array : arrays_[g].all) {
      const std::vector<int>& readers = groups_.readers.at(array);
      out.insert(readers.begin(),
                 readers.begin() + static_cast<int64_t>(std::min(readers.size(), kReadersTried)));
      if (group_of(array) >= 0) out.insert(group_of(array));
    }
    out.erase(g);
    return out;
  }

  void gather_arrays(int g) {
    const Building& b = groups_.all[g];
    for (auto& root : b.roots) {
      arrays_[g].words += words_of(*root.node);
      const Expression& e = expressions_.at(root.node.get());
      for (auto* in : e.inputs) add_array(g, in);
      for (auto* in : e.scalars) add_scalar(g, in);
      for (auto& [producer, reading] : e.readings)
        if (group_of(producer) != g) add_array(g, producer);
    }
  }

  void add_array(int g, const Node* n) {
    if (!arrays_[g].all.insert(n).second) return;
    arrays_[g].words += words_of(*n);
    if (element_count(n->shape()) * 2 > element_count(groups_.all[g].space.extents))
      arrays_[g].large.push_back(n);
  }

  void add_scalar(int g, const Node* n) {
    if (arrays_[g].scalars.insert(n).second) arrays_[g].words += words_of(*n);
  }

  void remove_array(int g, const Node* n) {
    if (arrays_[g].all.erase(n) == 0) return;
    arrays_[g].words -= words_of(*n);
    std::erase(arrays_[g].large, n);
  }

  int group_of(const Node* n) const {
    auto it = groups_.group_of.find(n);
    return it == groups_.group_of.end() ? -1 : it->second;
  }

  // What a group totals beside its rows: the axes of its points, or of sections. Empty: nothing.
  static std::vector<char> other_totals(const Building& b) {
    for (auto& root : b.roots)
      if (ir::is_reduce(*root.node))
        if (std::vector<char> reduced = reduced_axes(root, b.space); reduced != b.space.row) return reduced;
    return {};
  }

  // Whether the roots of a group can go on in the loops of another one, whose rows they reduce too.
  Join can_go_on(const Building& to, const Building& from) const {
    if (to.space.extents != from.space.extents || to.space.row != from.space.row) return {};
    const std::vector<char> others = other_totals(to), more = other_totals(from);
    if (!others.empty() && !more.empty() && others != more)
      return {false, {}, "its rows are totalled otherwise too"};
    for (auto& root : from.roots) {
      if (root.node->op == ir::Op::assign) return {};
      if (ir::scans(*root.node) || to.space.scans) return {};
      for (auto& other : to.roots)
        if (auto* reading = expressions_.at(root.node.get()).reading(other.node.get())) {
          Join join =
              can_fuse(to.space, *other.node, other.axis, *root.node, *reading, target_, options_.numerics);
          if (!join.possible) return join;
          if (join.axis != root.axis) return {};
        }
    }
    return {true, {}, ""};
  }

  // Whether both groups, of equal loops, read some large array, or one of them reads such a value of the
  // other.
  bool share_reading(int into, int group) const {
    return std::ranges::any_of(arrays_[group].large,
                               [&](auto* n) { return arrays_[into].all.contains(n) || group_of(n) == into; });
  }

  bool reads_turned(const Building& b) const {
    return std::ranges::any_of(b.roots, [&](auto& root) { return expressions_.at(root.node.get()).turned; });
  }

  bool reads(int group, int other) const {
    return std::ranges::any_of(arrays_[group].all, [&](auto* n) { return group_of(n) == other; });
  }

  Join joins(const Building& to, const Building& from, By by) const {
    if (by == By::Rows || by == By::Launch) return can_go_on(to, from);
    const auto can_total = by == By::Points ? can_total_across : can_total_sections;
    return can_total(
        {to.space, to.roots}, {from.space, from.roots},
        [&](const Node* reader, const Node* producer) { return expressions_.at(reader).reading(producer); },
        target_);
  }

  bool take_in(int into, int group, By by) {
    Building &to = groups_.all[into], &from = groups_.all[group];
    if (to.roots.empty() || to.library || to.alone || from.alone || to.before.contains(group)) return false;
    Join join = joins(to, from, by);
    // A map of results of both goes on in the loops of either.
    const bool joined = by == By::Launch || (by == By::Rows && reads(group, into));
    if (join.possible && !joined && !share_reading(into, group)) return false;
    if (join.possible && enough_siblings(to, from.roots.size(), target_) && !reads(group, into)) return false;
    if (join.possible && (would_cycle(groups_, into, from.before) || would_cycle(groups_, group, to.before)))
      join = {false, {}, "another kernel has to run between them"};
    const bool in_one_piece = by == By::Sections || (by == By::Points && !machine::is_gpu(target_));
    if (join.possible && in_one_piece && (reads_turned(to) || reads_turned(from)))
      join = {false, {}, "rows of some array do not lie in one piece"};
    if (join.possible && !fits_together(into, group)) join = {false, {}, "the kernel would be too large"};
    if (join.reason.empty() && !join.possible) return false;
    decide(into, group, join, by);
    if (join.possible) move(into, group);
    return join.possible;
  }

  // What roots of `group` decided about those of `into` gives way to what is known of both as a whole.
  void decide(int into, int group, const Join& join, By by) {
    for (auto& root : groups_.all[group].roots) {
      auto decided = decisions_of_.find(root.node.get());
      if (decided == decisions_of_.end()) continue;
      for (auto& other : groups_.all[into].roots) {
        auto about = decided->second.find(other.node.get());
        if (about == decided->second.end()) continue;
        for (size_t k : about->second) {
          ir::Decision& d = groups_.decisions[k];
          d.fused = join.possible;
          d.reason = join.possible ? why_fused(by) : join.reason;
        }
      }
    }
  }

  static const char* why_fused(By by) {
    switch (by) {
      case By::Rows:
        return "both go over the same rows";
      case By::Points:
        return "rows are added to totals as they go by";
      case By::Sections:
        return "sections are summed up as they go by";
      case By::Launch:
        break;
    }
    return "both are small, and one launch computes them";
  }

  void move(int into, int group) {
    Building &to = groups_.all[into], &from = groups_.all[group];
    for (auto& root : from.roots) groups_.group_of[root.node.get()] = into;
    for (auto& root : from.roots) {
      remove_array(into, root.node.get());
      arrays_[into].words += words_of(*root.node);
    }
    for (auto* n : arrays_[group].all)
      if (group_of(n) != into) add_array(into, n);
    for (auto* n : arrays_[group].scalars) add_scalar(into, n);
    arrays_[group] = {};
    std::ranges::move(from.roots, std::back_inserter(to.roots));
    to.inputs.insert(from.inputs.begin(), from.inputs.end());
    to.compile_cost += from.compile_cost;
    std::set<int> before = std::move(from.before), after = std::move(from.after);
    from = {};
    for (int h : before) groups_.all[h].after.erase(group);
    before.erase(into);
    run_after(groups_, into, before);
    for (int h : after) {
      groups_.all[h].before.erase(group);
      run_after(groups_, h, {into});
    }
  }

  bool fits_together(int into, int group) const {
    int words = arrays_[into].words + arrays_[group].words;
    for (auto* n : arrays_[group].all)
      if (arrays_[into].all.contains(n)) words -= words_of(*n);
    for (auto* n : arrays_[group].scalars)
      if (arrays_[into].scalars.contains(n)) words -= words_of(*n);
    return groups_.all[into].compile_cost + groups_.all[group].compile_cost <= options_.max_kernel_cost &&
           words <= options_.max_kernel_words;
  }

  Groups& groups_;
  const Expressions& expressions_;
  const Target& target_;
  const Options& options_;
  std::vector<Arrays> arrays_;  // of each group
  std::unordered_map<const ir::Node*, std::unordered_map<const ir::Node*, std::vector<size_t>>>
      decisions_of_;  // by consumer and producer
};

}  // namespace

void take_in_groups(Groups& groups, const Expressions& expressions, const Target& target,
                    const Options& options) {
  TakeIn(groups, expressions, target, options).run();
}

}  // namespace weft::fusion
