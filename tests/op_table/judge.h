// Judges one computed element by the row of its op: exactly where the row promises it, else by the distance
// in ulp from the same evaluation in a wider type.
#pragma once

#include <span>
#include <string>

#include "compiler/base/dtype.h"
#include "compiler/ir/ops/op.h"

namespace weft::test {

// Whether the row's bound speaks of these arguments: each part is an edge value or lies in the row's domain.
bool bound_holds(ir::Op op, std::span<const Scalar> args);

// What is wrong with `got`, the result of a map op on `args`; empty when nothing is. Special values must
// agree in kind: NaN, infinities and zeros with their signs.
std::string judge(ir::Op op, std::span<const Scalar> args, const Scalar& got);

}  // namespace weft::test
