// Constants as scalar inputs: a kernel's code then does not hold them, and another number needs no other
// program.
//
//   before   %0 = constant 0.3 : f32[8];  %1 = multiply %a, %0
//   after    %0 = scalar "0.3" : f32[8];  %1 = multiply %a, %0     and 0.3 in the values
#pragma once

#include <vector>

#include "compiler/ir/node.h"

namespace weft {

// `graph` with every constant that is special to no user (see is_special) as a scalar, added after its inputs
// and named by its value. `values` gets their values, in that order. Equal constants of one type are one
// scalar, so that what is computed from them is still shared.
ir::Graph lift_constants(const ir::Graph& graph, std::vector<Scalar>& values);

}  // namespace weft
