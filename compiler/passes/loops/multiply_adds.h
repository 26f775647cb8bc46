// Multiply-adds of f32 and f64 that are rounded once, where kernels of the same graph round them so
// (plan/rewrite/contract.h): scalar functions round each operation that they have.
//
//   before   %2 = multiply %0, %1   %3 = add %2, %x
//   after    %3 = fma %0, %1, %x
#pragma once

#include "compiler/ir/node.h"

namespace weft::passes {

ir::Graph multiply_adds(const ir::Graph& graph);

}  // namespace weft::passes
