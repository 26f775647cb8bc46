// Where the interpreter and kernels give the same bits, and where each rounds in its own way.
#pragma once

#include "compiler/ir/node.h"

namespace weft::ir {

// Whether the interpreter gives the node's elements, from the same operands, with every bit that a kernel
// gives. It does for views, integers, comparisons and float ops that are rounded once.
// It does not for functions with a bound above half a unit. Nor does it for sums of floats, which a kernel adds
// in an order of its own, nor where a product is added to, which a kernel rounds once: also one behind what the passes
// may take away.
bool rounds_as_kernels(const Node& node);

}  // namespace weft::ir
