#include "compiler/fusion/fuse.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/fusion/groups.h"
#include "compiler/fusion/place_roots.h"
#include "compiler/fusion/repeated_work.h"
#include "compiler/fusion/roots.h"
#include "compiler/fusion/take_in_groups.h"

namespace weft::fusion {

namespace {

using ir::is_reduce;
using ir::Node;

// Rounds that may add roots: values that are read at many positions, and those that several groups compute.
constexpr int kRounds = 8, kRoundsOfSharing = 3;

void mark_stored(Groups& groups, const Node* n) {
  auto g = groups.group_of.find(n);
  if (g == groups.group_of.end()) return;
  for (auto& root : groups.all[g->second].roots)
    if (root.node.get() == n) root.stored = true;
}

// Groups are nearly in order: an earlier one may have been joined by a root that needs a later one.
std::vector<int> run_order(const Groups& groups) {
  std::vector<int> out;
  std::vector<size_t> waits(groups.all.size());
  std::set<int> ready;
  for (size_t g = 0; g < groups.all.size(); ++g) {
    waits[g] = groups.all[g].before.size();
    if (waits[g] == 0) ready.insert(static_cast<int>(g));
  }
  while (!ready.empty()) {
    int g = *ready.begin();
    ready.erase(ready.begin());
    out.push_back(g);
    for (int h : groups.all[g].after)
      if (--waits[h] == 0) ready.insert(h);
  }
  if (out.size() < groups.all.size()) throw InternalError("fuse: groups wait for each other");
  return out;
}

ir::Step step(const Building& b) {
  ir::Step s;
  if (b.library) {
    s.library = b.library;
    return s;
  }
  std::vector<int> place(b.space.extents.size());
  int outer = 0;
  for (size_t k = 0; k < place.size(); ++k)
    if (!b.space.row[k]) place[k] = outer++, s.group.outer.push_back(b.space.extents[k]);
  for (size_t k = 0; k < place.size(); ++k)
    if (b.space.row[k])
      place[k] = outer + static_cast<int>(s.group.row.size()), s.group.row.push_back(b.space.extents[k]);
  for (auto root : b.roots) {
    // Nobody reads it from memory: it is recomputed where it is used, as any other value.
    if (!root.stored && !is_reduce(*root.node) && !ir::scans(*root.node)) continue;
    for (auto& a : root.axis)
      if (a >= 0) a = place[a];
    s.group.roots.push_back(std::move(root));
  }
  return s;
}

ir::Partition cut(const ir::Graph& graph, const Expressions& expressions, Groups groups) {
  for (auto& out : graph.outputs) mark_stored(groups, out.get());
  for (auto& [root, e] : expressions)
    for (auto& [producer, reading] : e.readings)
      if (reading.only_memory || groups.group_of.at(producer) != groups.group_of.at(root))
        mark_stored(groups, producer);
  ir::Partition out;
  for (int g : run_order(groups)) {
    const Building& b = groups.all[g];
    // What only unread parts of views ask for is not computed.
    if (b.library || std::any_of(b.roots.begin(), b.roots.end(), [](auto& r) { return r.stored; }))
      out.steps.push_back(step(b));
  }
  out.decisions = std::move(groups.decisions);
  return out;
}

}  // namespace

ir::Partition fuse(const ir::Graph& graph, const Target& target, const Options& options) {
  Roots roots = first_roots(graph, options);
  RepeatedWork work(roots, target);
  Groups groups;
  // Values worth storing show only once the groups are known; each round adds some, and there are few rounds.
  for (int round = 0, sharing = 0;; ++round) {
    if (work.store_repeated_values(round < kRounds)) continue;
    groups = place_roots(roots, work.expressions(), target, options);
    if (options.fuse) take_in_groups(groups, work.expressions(), target, options);
    if (sharing++ >= kRoundsOfSharing || !work.store_shared(groups)) break;
  }
  return cut(graph, work.expressions(), std::move(groups));
}

}  // namespace weft::fusion
