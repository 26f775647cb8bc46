// Running sums, products and extremes along an axis.
#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using Tangents = std::span<const NodeRef>;

size_t place_of(const Node& n) { return static_cast<size_t>(axis_of(n)); }

NodeRef sum_forward(const Node& n, Tangents t) {
  return ir::scan(Op::cumulative_sum, t[0], axis_of(n), n.lines);
}
NodeRef sum_back(const Node& n, size_t, const NodeRef& c) {
  const NodeRef turned = flipped(c, place_of(n), n.lines);
  return flipped(ir::scan(Op::cumulative_sum, turned, axis_of(n), n.lines), place_of(n), n.lines);
}

// s[i] = a[i] * s[i - 1] + b[i] from s[-1] = 0, in a number of steps that is the logarithm of the length: step
// k joins pairs (a, b) that stand 2^k apart.
NodeRef recurrence(NodeRef a, NodeRef b, size_t axis, const ir::Lines& lines) {
  const int64_t length = b->shape()[axis];
  for (int64_t apart = 1; apart < length; apart *= 2) {
    b = op(Op::add, b, op(Op::multiply, a, shifted(b, axis, apart, 0, lines), lines), lines);
    if (apart * 2 < length) a = op(Op::multiply, a, shifted(a, axis, apart, 1, lines), lines);
  }
  return b;
}

// y[i] = x[i] * y[i - 1], so its tangent is a recurrence whose factors are x; nothing is divided, so zeros
// need no case of their own.
NodeRef prod_forward(const Node& n, Tangents t) {
  const NodeRef before = shifted(NodeRef(&n), place_of(n), 1, 1, n.lines);
  return recurrence(n.inputs[0], op(Op::multiply, t[0], before, n.lines), place_of(n), n.lines);
}
NodeRef prod_back(const Node& n, size_t, const NodeRef& c) {
  const size_t axis = place_of(n);
  const NodeRef factors = shifted(flipped(n.inputs[0], axis, n.lines), axis, 1, 0, n.lines);
  const NodeRef turned = recurrence(factors, flipped(c, axis, n.lines), axis, n.lines);
  const NodeRef before = shifted(NodeRef(&n), axis, 1, 1, n.lines);
  return op(Op::multiply, flipped(turned, axis, n.lines), before, n.lines);
}

// The position of the first element that is the extreme up to each.
NodeRef holders(const Node& n) {
  const NodeRef before = shifted(NodeRef(&n), place_of(n), 1, 0, n.lines);
  const Op beyond = n.op == Op::cumulative_max ? Op::greater : Op::less;
  const ir::TensorType positions{DType::I64, n.shape()};
  const NodeRef at = choose(op(beyond, n.inputs[0], before, n.lines),
                            ir::iota(positions, axis_of(n), n.lines), zeros(positions), n.lines);
  return ir::scan(Op::cumulative_max, at, axis_of(n), n.lines);
}
NodeRef extreme_forward(const Node& n, Tangents t) {
  return ir::gather(t[0], holders(n), axis_of(n), n.lines);
}
NodeRef extreme_back(const Node& n, size_t, const NodeRef& c) {
  return ir::scatter(Op::scatter_add, zeros(n.type), holders(n), c, axis_of(n), n.lines);
}

}  // namespace

const Rule* rule_of_scan(Op op) {
  static constexpr Rule kSum{sum_forward, sum_back}, kProd{prod_forward, prod_back},
      kExtreme{extreme_forward, extreme_back};
  switch (op) {
    case Op::cumulative_sum:
      return &kSum;
    case Op::cumulative_prod:
      return &kProd;
    case Op::cumulative_max:
    case Op::cumulative_min:
      return &kExtreme;
    default:
      return nullptr;
  }
}

}  // namespace weft::derive
