#include "frontend/cpp/weft/scans.h"

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/record/record.h"

namespace weft {
namespace {

using detail::Recording;
using ir::NodeRef;
using ir::Op;

int64_t scanned_axis(std::string_view op, const NodeRef& x, std::optional<int64_t> axis) {
  const size_t rank = x->shape().size();
  if (!axis && rank != 1) {
    throw Error(std::string(op) + ": the axis must be given but for arrays of one axis: got shape " +
                to_string(x->shape()));
  }
  return normalize_axis(op, axis.value_or(0), rank);
}

// The dtype that sum() would give.
DType widened(DType t) {
  const DTypeKind k = kind(t);
  if (k == DTypeKind::Bool || k == DTypeKind::Signed) return DType::I64;
  return k == DTypeKind::Unsigned ? DType::U64 : t;
}

Array accumulated(Op op, const Operand& x, std::optional<int64_t> axis, std::optional<DType> dtype,
                  bool include_initial) {
  Recording r(ir::name(op), x);
  NodeRef node = r.node(x);
  const int64_t along = scanned_axis(r.op(), node, axis);
  node = ir::cast(node, dtype.value_or(widened(node->dtype())), r.lines());
  if (include_initial) {
    const size_t rank = node->shape().size();
    Dims before(rank, 0);
    before[static_cast<size_t>(along)] = 1;
    const Scalar initial = Scalar::of(int64_t{op == Op::cumulative_prod});
    node = ir::pad(node, ir::constant({node->dtype(), {}}, initial, r.lines()), before, Dims(rank, 0),
                   r.lines());
  }
  return r.finish(ir::scan(op, node, along, r.lines()), 4);
}

Array extreme(Op op, const Operand& x, std::optional<int64_t> axis) {
  Recording r(ir::name(op), x);
  const NodeRef node = r.node(x);
  return r.finish(ir::scan(op, node, scanned_axis(r.op(), node, axis), r.lines()));
}

}  // namespace

Array cumulative_sum(const Operand& x, std::optional<int64_t> axis, std::optional<DType> dtype,
                     bool include_initial) {
  return accumulated(Op::cumulative_sum, x, axis, dtype, include_initial);
}
Array cumulative_prod(const Operand& x, std::optional<int64_t> axis, std::optional<DType> dtype,
                      bool include_initial) {
  return accumulated(Op::cumulative_prod, x, axis, dtype, include_initial);
}
Array cumulative_max(const Operand& x, std::optional<int64_t> axis) {
  return extreme(Op::cumulative_max, x, axis);
}
Array cumulative_min(const Operand& x, std::optional<int64_t> axis) {
  return extreme(Op::cumulative_min, x, axis);
}

}  // namespace weft
