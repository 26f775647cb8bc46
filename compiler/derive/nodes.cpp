#include "compiler/derive/nodes.h"

namespace weft::derive {

using ir::Lines;
using ir::NodeRef;

NodeRef number(const ir::TensorType& type, double value, const Lines& lines) {
  return ir::constant(type, Scalar::of(value), lines);
}

NodeRef zeros(const ir::TensorType& type) { return number(type, 0, {}); }

NodeRef or_zeros(const NodeRef& tangent, const ir::TensorType& type) {
  return tangent ? tangent : zeros(type);
}

NodeRef expanded(const NodeRef& reduced, const Shape& shape, const Dims& axes, const Lines& lines) {
  Shape with_ones = shape;
  for (const int64_t axis : axes) with_ones[static_cast<size_t>(axis)] = 1;
  return ir::broadcast(ir::reshape(reduced, with_ones, lines), shape, lines);
}

NodeRef flipped(const NodeRef& x, size_t axis, const Lines& lines) {
  const Shape& shape = x->shape();
  Dims starts(shape.size(), 0), steps(shape.size(), 1);
  if (shape[axis] == 0) return x;
  starts[axis] = shape[axis] - 1;
  steps[axis] = -1;
  return ir::slice(x, starts, Dims(shape), steps, lines);
}

NodeRef shifted(const NodeRef& x, size_t axis, int64_t by, double fill, const Lines& lines) {
  const Shape& shape = x->shape();
  const int64_t left = shape[axis] - by;
  if (left <= 0) return number(x->type, fill, lines);
  Dims extents = shape, before(shape.size(), 0);
  extents[axis] = left;
  before[axis] = by;
  const NodeRef kept = ir::slice(x, Dims(shape.size(), 0), extents, Dims(shape.size(), 1), lines);
  return ir::pad(kept, number({x->dtype(), {}}, fill, lines), before, Dims(shape.size(), 0), lines);
}

}  // namespace weft::derive
