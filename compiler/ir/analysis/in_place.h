// Whether an update may write into the memory of the value that it changes, and so be an `assign`. Nothing
// that could run later may read that value. The update's own operand may read it only at the positions that
// are replaced, element by element, or for a copy that is made before. Slices of elements that neither this
// update nor later ones in the same memory replace may be read at any time. A value and its reshapes are one
// memory.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/analysis/users.h"
#include "compiler/ir/build.h"
#include "compiler/ir/node.h"
#include "compiler/ir/node_index.h"
#include "compiler/ir/node_tables.h"

namespace weft::ir {

// The node whose memory a value lies in: a reshape moves nothing.
const Node* memory_of(const Node* node);
// The node whose memory a value is stored in: an assign has none of its own.
const Node* written_into(const Node* node);

class InPlaceRule {
 public:
  explicit InPlaceRule(const Graph& graph);

  // These updates count as assigns: whoever asks makes them so, or asks again with fewer.
  void assume(NodeSet assigned) { assumed_ = std::move(assigned); }

  // Slices of values that memory held, which may be read at any time: what an update of that memory has to
  // spare.
  using Spared = std::vector<const Node*>;

  bool is_output(const Node* node) const { return outputs_.contains(node); }
  // Why this update or assign must not replace its first operand in memory; empty when it may. `spared` is
  // what the updates before it in the same memory left; when it may, what this one leaves is added.
  std::string refuse(const Node& update, Spared& spared) const;
  // Slices of the replaced value, small beside it, that are wanted before and after the update: were they
  // copied, it could be done in place. Empty where that would not do.
  std::vector<const Node*> worth_keeping(const Node& update) const;

 private:
  // Whether a value lies in memory of its own once it is computed, and is never computed anew: a copy, or what is
  // written in place.
  bool is_stored(const Node* node) const {
    return is_copy(*node) || node->op == Op::assign || assumed_.contains(node);
  }

  // Whether it is an assign of this memory.
  bool writes_to(const Node& user, const Node* memory) const;

  // Nodes that are computed from the replaced value for the update, up to stored ones, and that value.
  using Readers = NodeSet;
  // What is computed from the replaced value and from `taken`, up to stored values and to the update.
  // `elsewhere` is one that is read for something else; the walk ends there.
  Readers readers_of(const Node& update, const Spared& taken, const Node*& elsewhere) const;
  // Which of `wanted` the new elements are computed from, in other ways than through the replaced value or
  // `taken`.
  Readers needed_by(const Node& update, const Readers& taken, const Readers& wanted) const;
  // The replaced value under any shape on the way from its memory.
  using Values = std::vector<const Node*>;
  static Values replaced_by(const Node& update);
  bool spares(const Node& update, const Node* reader) const;
  // Whether a node is computed for nothing but what the update writes.
  bool serves_alone(const Node& update, const Node* node) const;
  bool reads_aligned(const Node& update, const Readers& readers, const Spared& taken) const;

  size_t number_of(const Node* node) const { return static_cast<size_t>(number_.find(node)); }
  // Post-dominators: the first node through which everything goes that is computed from a node, as a tree
  // whose root is what leaves the graph. A node is numbered before all that it is the end of.
  void find_ends(const std::vector<const Node*>& order);

  NodeSet outputs_, assumed_;
  NodeIndex number_;  // in topological order
  Users users_;
  // By number in topological order: where a node's part of the tree begins, and one past where it ends.
  std::vector<size_t> begin_, end_;
};

// The first assign of the graph that must not be one, and why; null where there is none.
struct BrokenAssign {
  const Node* node = nullptr;
  std::string why;
};
BrokenAssign find_broken_assign(const Graph& graph);

}  // namespace weft::ir
