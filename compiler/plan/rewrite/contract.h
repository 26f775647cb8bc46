// Multiply-adds that are rounded once, as the program says them and not as a compiler finds them: whoever
// runs the program gives the same bits.
#pragma once

#include "compiler/plan/plan.h"

namespace weft::plan {

// Sums whose term is a product that nobody else reads become one fma, of f32 and f64.
//     %p = multiply %a, %b
//     %s = add %p, %c          =>     %s = fma %a, %b, %c
//     fold a0 sum %p           =>     fold a0 sum %a times %b
// Only what stands in one list of statements: a product that is the same all along a row stays outside of it.
// A fold takes its product where it adds in the product's dtype, which `fold_dtype` tells.
void contract(RowProgram& program, const std::function<DType(const Accumulator&)>& fold_dtype);

}  // namespace weft::plan
