// The values of a graph that are roots from the start. Structure alone decides: what has to lie in memory
// whatever it costs, and where expressions are cut that are too long, or too large for one kernel.
#pragma once

#include <vector>

#include "compiler/ir/analysis/users.h"
#include "compiler/ir/node.h"
#include "compiler/ir/node_tables.h"
#include "compiler/program/options.h"

namespace weft::fusion {

struct Roots {
  std::vector<const ir::Node*> order;  // every node after its inputs
  ir::Users users;
  ir::NodeSet all;
  ir::NodeSet bounds;    // those that only keep others' expressions short
  ir::NodeSet repeated;  // those that would be computed at many positions

  bool contains(const ir::Node* n) const { return all.contains(n); }
};

Roots first_roots(const ir::Graph& graph, const Options& options);

}  // namespace weft::fusion
