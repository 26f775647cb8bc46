// When an update may write into the memory of the value that it changes, and so be an `assign`: that value is
// read by nothing that could run later, and by the update's own operand only at the positions that are
// replaced, element by element, or for a copy that is made before.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::ir {

class InPlaceRule {
 public:
  explicit InPlaceRule(const Graph& graph);

  bool is_output(const Node* node) const { return outputs_.contains(node); }
  // Why this update or assign must not replace its first operand in memory; empty when it may.
  std::string refuse(const Node& update) const;

 private:
  // Nodes that are computed from `base`, and `base`.
  using Readers = std::unordered_set<const Node*>;
  Readers between(const Node* base, const Node* value) const;
  std::string read_elsewhere(const Node& update, const Readers& readers) const;
  bool reads_aligned(const Node& update, const Readers& readers) const;

  std::unordered_set<const Node*> outputs_;
  std::unordered_map<const Node*, size_t> number_;  // in topological order
  std::unordered_map<const Node*, std::vector<const Node*>> users_;
};

// The first assign of the graph that must not be one, and why; null where there is none.
struct BrokenAssign {
  const Node* node = nullptr;
  std::string why;
};
BrokenAssign find_broken_assign(const Graph& graph);

}  // namespace weft::ir
