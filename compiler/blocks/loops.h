// The numbers of the loops that are compiled with the library. prepare() asks for them, and the generator of
// the loops writes them in this order.
#pragma once

#include "compiler/base/dtype.h"
#include "compiler/ir/ops/op.h"

namespace weft::blocks {

// Of a map op, by the dtype of its operands (for select, of those that it chooses from); of a reduction, by
// the dtype of what it folds. Those of fma fold products.
constexpr int loop_of(ir::Op op, DType dtype) {
  return static_cast<int>(op) * kDTypeCount + static_cast<int>(dtype);
}
// Of a cast and a bitcast from one dtype to another.
constexpr int loop_of_cast(DType from, DType to) {
  return ir::kOpCount * kDTypeCount + static_cast<int>(from) * kDTypeCount + static_cast<int>(to);
}
constexpr int loop_of_bitcast(DType from, DType to) {
  return loop_of_cast(from, to) + kDTypeCount * kDTypeCount;
}
constexpr int kLoopCount = (ir::kOpCount + 2 * kDTypeCount) * kDTypeCount;
constexpr int kFoldCount = ir::kOpCount * kDTypeCount;

// Whether there is one, of maps but casts.
inline bool has_loop(ir::Op op, DType dtype) {
  return ir::kind(op) == ir::OpKind::Map && op != ir::Op::cast && op != ir::Op::bitcast &&
         op != ir::Op::apply && (op == ir::Op::select || ir::accepts(op, dtype));
}
inline bool has_fold(ir::Op op, DType dtype) {
  if (op == ir::Op::fma) return dtype == DType::F32 || dtype == DType::F64;
  return ir::kind(op) == ir::OpKind::Reduce && ir::accepts(op, dtype);
}

}  // namespace weft::blocks
