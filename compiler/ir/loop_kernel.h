// A loop that one kernel runs although its turns take slices or give some: a function of one element, a lane, which walks
// along the loop's axis, and where the lanes find what it reads and leave what it writes.
//
//   %1, %2 = scan body, %state : f64[8], %x : f64[100, 8]
//   lane i   reads x[turn, i] and writes y[turn, i] in each turn; takes state[i], and gives the last one
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "compiler/ir/function.h"
#include "compiler/ir/node.h"

namespace weft::ir {

// Where a lane reads a value, along one axis: at its own position along its axis `axis`, or, where that is -1, at `index`.
struct Along {
  int axis = -1;
  int64_t index = 0;
  auto operator<=>(const Along&) const = default;
};
using Place = std::vector<Along>;

struct LoopKernel {
  // Of the function's series: an array whose first axis counts the turns, and a lane's place along the others.
  struct Walked {
    NodeRef array;  // null: the result of the loop of this number is written
    size_t result = 0;
    Place at;
  };
  FunctionRef function;
  Shape lanes;
  int64_t turns = 0;
  std::vector<NodeRef> operands;  // the function's, each of the lanes' shape
  std::vector<size_t> results;    // which of the loop's its first values are
  std::vector<Walked> series;
};

}  // namespace weft::ir
