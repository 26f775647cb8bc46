// The expressions of all roots, and the work that they would repeat. A value that is read at many positions,
// or computed by many kernels, becomes a root too where storing it costs less.
#pragma once

#include <vector>

#include "compiler/fusion/expression.h"
#include "compiler/fusion/groups.h"
#include "compiler/fusion/roots.h"
#include "compiler/ir/node_tables.h"

namespace weft::fusion {

class RepeatedWork {
 public:
  // Adds to `roots`, which outlives it.
  RepeatedWork(Roots& roots, const Target& target) : roots_(roots), target_(target) {}

  // Finds every root's expression that is not known, and makes roots of values that are read at so many positions that they had
  // better be stored, while roots `may_change`. Whether there were such: then some expressions are to be found anew.
  bool store_repeated_values(bool may_change);
  const Expressions& expressions() const { return expressions_; }

  // Makes roots of costly values that several groups would each compute; whether there are such.
  bool store_shared(const Groups& groups);

 private:
  bool store(const ir::Node* n);  // false where it is a root already
  void drop_outdated();
  bool store_repeated(const Expression& e, std::vector<const ir::Node*>& stored);
  bool store_spread(const ir::Node* root, const Expression& e, std::vector<const ir::Node*>& stored);
  const ir::Node* shared_below(const ir::Node* node, float repeated, const Expression& e) const;
  float work_below(const ir::Node* top, const Expression& e) const;

  Roots& roots_;
  const Target& target_;
  Expressions expressions_;
  std::vector<const ir::Node*> added_;  // roots since expressions were found
  ir::NodeMap<float> bounded_work_;     // below each bound, other bounds included
};

}  // namespace weft::fusion
