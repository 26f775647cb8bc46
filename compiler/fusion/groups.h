// Groups while fusion puts them together: what each computes, reads and waits for, and the decisions so far.
// `level` rises along every edge from a group to its readers, so a search for a path back is short.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/fusion/can_fuse.h"
#include "compiler/fusion/expression.h"
#include "compiler/ir/group.h"
#include "compiler/ir/node_tables.h"

namespace weft::fusion {

struct Building {
  Space space;
  std::vector<ir::Root> roots;
  std::set<int> before, after;       // groups that it reads, and that read it
  int level = 0;                     // above that of each group in `before`
  std::set<const ir::Node*> inputs;  // arrays and scalars
  int compile_cost = 0;
  ir::NodeRef library;
  bool alone = false;  // nobody joins it (Options::apart)
};

struct Groups {
  std::vector<Building> all;  // one that another took in whole has no roots
  ir::NodeMap<int> group_of;  // each root's
  std::unordered_map<const ir::Node*, std::vector<int>> readers;  // of an array or a root, in order
  std::vector<ir::Decision> decisions;
};

// Lets group `g` wait for the groups `needs`, of which it may be one itself.
void run_after(Groups& groups, int g, const std::set<int>& needs);

// Whether another group that `needs` names reads what `g` computes, by whatever way. Too long a search counts
// as yes.
bool would_cycle(const Groups& groups, int g, const std::set<int>& needs);

// Whether a kernel had better not take that many roots more that only read the same arrays. Small arrays are
// in cache anyway, and several kernels of a few roots are alike and compiled once. More totals than registers
// hold gain nothing by a shared read.
bool enough_siblings(const Building& b, size_t more, const Target& target);

// About how many words of a kernel's arguments an array takes (its pointer, an offset, strides), or a scalar.
int words_of(const ir::Node& n);

}  // namespace weft::fusion
