// The values of a graph that are roots from the start. Structure alone decides: what has to lie in memory
// whatever it costs, and where expressions are cut that are too long, or too large for one kernel.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/analysis/users.h"
#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::fusion {

struct Roots {
  std::vector<const ir::Node*> order;  // every node after its inputs
  ir::Users users;
  std::unordered_set<const ir::Node*> all;
  std::unordered_set<const ir::Node*> bounds;    // those that only keep others' expressions short
  std::unordered_set<const ir::Node*> repeated;  // those that would be computed at many positions

  bool contains(const ir::Node* n) const { return all.contains(n); }
};

Roots first_roots(const ir::Graph& graph, const Options& options);

}  // namespace weft::fusion
