// Sums, products and extremes over axes.
#include <algorithm>

#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using Tangents = std::span<const NodeRef>;

const Dims& axes_of(const Node& n) { return n.as<ir::AxesAttr>().axes; }
NodeRef back(const Node& n, const NodeRef& reduced) {
  return expanded(reduced, n.inputs[0]->shape(), axes_of(n), n.lines);
}

NodeRef sum_jvp(const Node& n, Tangents t) { return ir::reduce(Op::sum, t[0], axes_of(n), n.lines); }
NodeRef sum_vjp(const Node& n, size_t, const NodeRef& c) { return back(n, c); }

// The product of all other elements that the reduction joins with each: what comes before it times what
// comes after it, so that zeros need no case of their own.
NodeRef product_of_others(const Node& n) {
  const NodeRef& x = n.inputs[0];
  const Dims& axes = axes_of(n);
  Dims order;
  Shape rows;
  int64_t length = 1;
  for (size_t i = 0; i < x->shape().size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end()) continue;
    order.push_back(static_cast<int64_t>(i));
    rows.push_back(x->shape()[i]);
  }
  for (const int64_t axis : axes) {
    order.push_back(axis);
    length *= x->shape()[static_cast<size_t>(axis)];
  }
  const size_t last = rows.size();
  rows.push_back(length);
  const NodeRef moved = ir::permute(x, order, n.lines);
  const NodeRef row = ir::reshape(moved, rows, n.lines);
  const auto before = [&](const NodeRef& one) {
    const auto axis = static_cast<int64_t>(last);
    return shifted(ir::scan(Op::cumulative_prod, one, axis, n.lines), last, 1, 1, n.lines);
  };
  const NodeRef after = flipped(before(flipped(row, last, n.lines)), last, n.lines);
  const NodeRef others = op(Op::multiply, before(row), after, n.lines);
  Dims inverse(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return ir::permute(ir::reshape(others, moved->shape(), n.lines), inverse, n.lines);
}

NodeRef prod_jvp(const Node& n, Tangents t) {
  return ir::reduce(Op::sum, op(Op::multiply, t[0], product_of_others(n), n.lines), axes_of(n), n.lines);
}
NodeRef prod_vjp(const Node& n, size_t, const NodeRef& c) {
  return op(Op::multiply, back(n, c), product_of_others(n), n.lines);
}

// Equal extremes share a tangent evenly. The number of them is counted in the value's own dtype, but for
// halves, which count to 2048 alone.
struct Extremes {
  NodeRef where, count;  // `count` of the reduced shape
};
Extremes extremes(const Node& n) {
  const NodeRef& x = n.inputs[0];
  const DType wide = is_half(x->dtype()) ? DType::F32 : x->dtype();
  NodeRef where = op(Op::equal, x, back(n, NodeRef(&n)), n.lines);
  NodeRef count = ir::reduce(Op::sum, ir::cast(where, wide, n.lines), axes_of(n), n.lines);
  return {std::move(where), ir::cast(count, x->dtype(), n.lines)};
}
NodeRef extreme_jvp(const Node& n, Tangents t) {
  const Extremes all = extremes(n);
  const NodeRef chosen = choose(all.where, t[0], zeros(t[0]->type), n.lines);
  return op(Op::divide, ir::reduce(Op::sum, chosen, axes_of(n), n.lines), all.count, n.lines);
}
NodeRef extreme_vjp(const Node& n, size_t, const NodeRef& c) {
  const Extremes all = extremes(n);
  const NodeRef share = back(n, op(Op::divide, c, all.count, n.lines));
  return choose(all.where, share, zeros(share->type), n.lines);
}

}  // namespace

const Rule* rule_of_reduction(Op op) {
  static constexpr Rule kSum{sum_jvp, sum_vjp}, kProd{prod_jvp, prod_vjp}, kExtreme{extreme_jvp, extreme_vjp};
  switch (op) {
    case Op::sum:
      return &kSum;
    case Op::prod:
      return &kProd;
    case Op::max:
    case Op::min:
      return &kExtreme;
    default:
      return nullptr;
  }
}

}  // namespace weft::derive
