// Where the interpreter and kernels give the same bits, and where each rounds in its own way.
#pragma once

#include "compiler/ir/node.h"

namespace weft::ir {

// Whether the interpreter gives the node's elements, from the same operands, with every bit that a kernel
// gives. So it is of views, integers, comparisons and of float ops that are rounded once. It is not of
// functions with a bound above half a unit, of sums of floats (a kernel has an order of its own) and of sums
// whose term is a product (a kernel rounds once).
bool rounds_as_kernels(const Node& node);

}  // namespace weft::ir
