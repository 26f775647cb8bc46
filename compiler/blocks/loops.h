// The numbers of the loops that are compiled with the library: one for each map op and dtype, each cast and
// each bitcast. prepare() asks for them, and the generator of the loops writes them in this order.
#pragma once

#include "compiler/base/dtype.h"
#include "compiler/ir/ops/op.h"

namespace weft::blocks {

// Of a cast and a bitcast from one dtype to another.
constexpr int loop_of_cast(DType from, DType to) {
  return ir::kOpCount * kDTypeCount + static_cast<int>(from) * kDTypeCount + static_cast<int>(to);
}
constexpr int loop_of_bitcast(DType from, DType to) {
  return loop_of_cast(from, to) + kDTypeCount * kDTypeCount;
}
// Of a map op, by the dtype of its operands: for select, of those that it chooses from.
constexpr int loop_of(ir::Op op, DType dtype) {
  return static_cast<int>(op) * kDTypeCount + static_cast<int>(dtype);
}
constexpr int kLoopCount = (ir::kOpCount + 2 * kDTypeCount) * kDTypeCount;

}  // namespace weft::blocks
