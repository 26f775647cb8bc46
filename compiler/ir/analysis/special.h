// Which numbers are part of a graph, and which are given to its program.
#pragma once

#include <cstddef>

#include "compiler/ir/node.h"

namespace weft::ir {

// Whether a constant stays in the graph because the passes, or the compiler of the kernel, make more of
// `user` when they know this operand: a factor 1, a square, a remainder of a division by 2. Every other
// constant is better given as a scalar, so that another value needs no other program.
bool is_special(const Scalar& value, const Node& user, size_t operand);

// Of integers.
bool is_power_of_two(const Scalar& value);

}  // namespace weft::ir
