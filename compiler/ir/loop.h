// Loops and branches: nodes whose bodies are graphs. A loop with several results is as many nodes, which share the
// bodies and have the same operands; whoever runs one of them runs it for all.
//
//   scan        operands: carried values, sliced values, others.  body -> carried values, values that are stacked
//   while_loop  operands: carried values, others.                 condition -> bool[]; body -> carried values
//   branch      operands: i64[], others.                          each body -> the results
//
// A body's inputs are what the operands are in one turn: a sliced operand has lost its first axis. But for branches,
// which do not get their first operand, a last input follows: the scalar i64[] that is the number of the turn, of a
// reversed scan that of the slices.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "compiler/base/hash.h"
#include "compiler/ir/node.h"

namespace weft::ir {

struct Loop {
  Op op = Op::scan;
  std::vector<Graph> bodies;  // scan: one; while_loop: condition and body; branch: any number
  size_t carries = 0, sliced = 0;
  int64_t length = 0;
  bool reverse = false;
  // Made by checked() of make_loop.h.
  std::vector<TensorType> operands, results;
  Hash hash;  // equal for loops that do the same
  int64_t work =
      0;  // elements that all turns compute together; of a while_loop, of which nobody knows, very many
};
using LoopRef = std::shared_ptr<const Loop>;

inline bool is_loop(const Node& node) { return kind(node.op) == OpKind::Loop; }
inline const LoopRef& loop_of(const Node& node) { return node.as<LoopAttr>().loop; }
inline size_t result_number(const Node& node) { return static_cast<size_t>(node.as<LoopAttr>().result); }
// Whether the two are results of one loop on the same operands.
inline bool same_loop(const Node& a, const Node& b) {
  return a.op == b.op && is_loop(a) && loop_of(a)->hash == loop_of(b)->hash &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end());
}

}  // namespace weft::ir
