// Integers divided by powers of two: a shift is the quotient's floor, and a mask the remainder, of negative ones too.
//
//   before   %2 = floor_divide %1, 8             %3 = remainder %1, 8
//   after    %2 = bitwise_right_shift %1, 3      %3 = bitwise_and %1, 7
#pragma once

#include <optional>

#include "compiler/ir/function.h"

namespace weft::passes {

struct WithoutDivision {
  ir::Op op;
  int64_t operand;
};
// What computes the same as `op` by this divisor.
std::optional<WithoutDivision> without_division(ir::Op op, const Scalar& divisor);

// The function with such instructions; itself where it has none.
ir::FunctionRef with_simple_divisions(const ir::FunctionRef& function);

}  // namespace weft::passes
