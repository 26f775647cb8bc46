// Bodies of functions as graphs of their own: what they use from outside becomes inputs.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/make_loop.h"

namespace weft::ir {

struct Closed {
  std::vector<Graph> bodies;  // their inputs: `own`, an input for each captured value, and the turn, if any
  std::vector<NodeRef> captured;  // values from outside
};

// The graphs of these lists of outputs, all with the same inputs. `own` are input nodes; `turn`, if it is not null, is
// one that becomes the scalar of a loop's turn. Numbers and positions stay inside. `remade` hears which node stands for
// which that used something from outside.
Closed close(std::span<const std::vector<NodeRef>> outputs, std::span<const NodeRef> own, const NodeRef& turn,
             const Remade& remade = {});

}  // namespace weft::ir
