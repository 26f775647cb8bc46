#include "frontend/cpp/array/regroup.h"

#include "compiler/ir/build.h"

namespace weft::detail {
namespace {

using ir::NodeRef;
using ir::Op;

DType bits_of(size_t bytes) {
  return bytes == 1 ? DType::U8 : bytes == 2 ? DType::U16 : bytes == 4 ? DType::U32 : DType::U64;
}

// The shape with its last axis in groups of so many, along a new axis.
Shape grouped(Shape shape, int64_t groups, int64_t size) {
  shape[shape.size() - 1] = groups;
  shape.push_back(size);
  return shape;
}

Shape with_last(Shape shape, int64_t extent) {
  shape[shape.size() - 1] = extent;
  return shape;
}

// One element of each group.
NodeRef element(const NodeRef& groups, int64_t k, const ir::Lines& lines) {
  const size_t last = groups->shape().size() - 1;
  Dims starts(last + 1, 0);
  starts[last] = k;
  Shape extents = groups->shape();
  extents[last] = 1;
  const NodeRef one = ir::slice(groups, starts, extents, Dims(last + 1, 1), lines);
  extents.erase(last);
  return ir::reshape(one, extents, lines);
}

NodeRef split(const NodeRef& x, DType to, const ir::Lines& lines) {
  const int64_t count = x->shape()[x->shape().size() - 1];
  const auto axis = static_cast<int64_t>(x->shape().size());
  if (is_complex(x->dtype())) {
    const Shape apart = grouped(x->shape(), count, 1);
    const NodeRef parts[] = {ir::reshape(ir::map(Op::real, {x}, lines), apart, lines),
                             ir::reshape(ir::map(Op::imag, {x}, lines), apart, lines)};
    return regroup(ir::reshape(ir::concat(parts, axis, lines), with_last(x->shape(), 2 * count), lines), to,
                   lines);
  }
  const DType large = bits_of(size_of(x->dtype())), small = bits_of(size_of(to));
  const auto ratio = static_cast<int64_t>(size_of(large) / size_of(small));
  const Shape groups = grouped(x->shape(), count, ratio);
  const NodeRef bits = ir::reshape(ir::bitcast(x, large, lines), grouped(x->shape(), count, 1), lines);
  const NodeRef width = ir::broadcast(
      ir::constant({large, {}}, Scalar::of(static_cast<int64_t>(8 * size_of(small))), lines), groups, lines);
  const NodeRef by = ir::map(Op::multiply, {ir::iota({large, groups}, axis, lines), width}, lines);
  const NodeRef part = ir::map(Op::bitwise_right_shift, {ir::broadcast(bits, groups, lines), by}, lines);
  const NodeRef cut = ir::bitcast(ir::cast(part, small, lines), to, lines);
  return ir::reshape(cut, with_last(x->shape(), count * ratio), lines);
}

NodeRef join(const NodeRef& x, DType to, const ir::Lines& lines) {
  const int64_t count = x->shape()[x->shape().size() - 1];
  if (is_complex(x->dtype())) return join(split(x, real_of(x->dtype()), lines), to, lines);
  if (is_complex(to)) {
    const NodeRef reals = regroup(x, real_of(to), lines);
    const NodeRef pairs =
        ir::reshape(reals, grouped(x->shape(), reals->shape()[reals->shape().size() - 1] / 2, 2), lines);
    return ir::map(Op::complex, {element(pairs, 0, lines), element(pairs, 1, lines)}, lines);
  }
  const DType small = bits_of(size_of(x->dtype())), large = bits_of(size_of(to));
  const auto ratio = static_cast<int64_t>(size_of(large) / size_of(small));
  const Shape groups = grouped(x->shape(), count / ratio, ratio);
  const NodeRef wide = ir::cast(ir::reshape(ir::bitcast(x, small, lines), groups, lines), large, lines);
  NodeRef joined = element(wide, 0, lines);
  for (int64_t k = 1; k < ratio; ++k) {
    const NodeRef by = ir::broadcast(
        ir::constant({large, {}}, Scalar::of(k * static_cast<int64_t>(8 * size_of(small))), lines),
        joined->shape(), lines);
    joined = ir::map(Op::bitwise_or,
                     {joined, ir::map(Op::bitwise_left_shift, {element(wide, k, lines), by}, lines)}, lines);
  }
  return ir::bitcast(joined, to, lines);
}

}  // namespace

NodeRef regroup(const NodeRef& x, DType to, const ir::Lines& lines) {
  const size_t from = size_of(x->dtype()), size = size_of(to);
  return from == size ? ir::bitcast(x, to, lines) : from > size ? split(x, to, lines) : join(x, to, lines);
}

}  // namespace weft::detail
