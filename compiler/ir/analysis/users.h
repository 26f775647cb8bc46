// Who reads each node of a graph, as often as it does: one table for all nodes, for passes over graphs of many
// thousands of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/ir/node_index.h"

namespace weft::ir {

class Users {
 public:
  Users() = default;
  // `order`: every node after its inputs. Users are in this order.
  explicit Users(std::span<const Node* const> order);

  // None of a node that is not of the graph.
  std::span<const Node* const> of(const Node* node) const;

 private:
  NodeIndex number_;
  std::vector<uint32_t> begin_;
  std::vector<const Node*> users_;
};

}  // namespace weft::ir
