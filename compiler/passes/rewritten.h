// A graph that is rebuilt from its inputs up: what each node has become. One table for all nodes, since every
// pass builds one, for graphs of many thousands of nodes.
#pragma once

#include <vector>

#include "compiler/ir/node.h"
#include "compiler/ir/node_index.h"

namespace weft::passes {

class Rewritten {
 public:
  explicit Rewritten(size_t nodes) : number_(nodes) { now_.reserve(nodes); }

  void set(const ir::Node* was, ir::NodeRef now);
  size_t size() const { return now_.size(); }
  bool contains(const ir::Node* was) const { return number_.find(was) >= 0; }
  // Stays until the next `set`. The node must have become something.
  const ir::NodeRef& at(const ir::Node* was) const;
  // The node, reading what its inputs have become; itself where none has changed.
  ir::NodeRef with_new_inputs(const ir::Node& was) const;
  // The graph whose outputs are what those of `was` have become.
  ir::Graph graph(const ir::Graph& was) const;

 private:
  ir::NodeIndex number_;
  std::vector<ir::NodeRef> now_;
};

}  // namespace weft::passes
