// Gathers, scatters, updates and products.
#include <algorithm>

#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using Tangents = std::span<const NodeRef>;

// ---- gather
NodeRef gather_jvp(const Node& n, Tangents t) { return ir::gather(t[0], n.inputs[1], axis_of(n), n.lines); }

// Along the axes on which x has one element and the index several, elements of x are read again and again:
// these axes join the indexed one, so that all that was read goes back to where it came from.
NodeRef gather_vjp(const Node& n, size_t, const NodeRef& c) {
  const NodeRef &x = n.inputs[0], &index = n.inputs[1];
  const auto axis = static_cast<size_t>(axis_of(n));
  const size_t rank = x->shape().size();
  Dims order, stay;
  int64_t joined = 1;
  const auto repeats = [&](size_t i) { return i != axis && x->shape()[i] == 1 && n.shape()[i] != 1; };
  for (size_t i = 0; i < rank; ++i) {
    if (i == axis) {
      for (size_t k = 0; k < rank; ++k)
        if (repeats(k)) order.push_back(static_cast<int64_t>(k)), joined *= n.shape()[k];
    }
    if (!repeats(i)) order.push_back(static_cast<int64_t>(i)), stay.push_back(static_cast<int64_t>(i));
  }
  if (stay.size() == rank) return ir::scatter(Op::scatter_add, zeros(x->type), index, c, axis_of(n), n.lines);
  Shape target, parts;
  size_t new_axis = 0;
  for (const int64_t i : stay) {
    const auto k = static_cast<size_t>(i);
    if (k == axis) new_axis = target.size();
    target.push_back(x->shape()[k]);
    parts.push_back(k == axis ? n.shape()[k] * joined : n.shape()[k]);
  }
  const auto join = [&](const NodeRef& whole) {
    return ir::reshape(ir::permute(whole, order, n.lines), parts, n.lines);
  };
  const NodeRef wide = join(ir::broadcast(index, n.shape(), n.lines));
  const NodeRef total = ir::scatter(Op::scatter_add, zeros({x->dtype(), target}), wide, join(c),
                                    static_cast<int64_t>(new_axis), n.lines);
  return ir::reshape(total, x->shape(), n.lines);
}

// ---- scatters
NodeRef scatter_jvp(const Node& n, Tangents t) {
  return ir::scatter(n.op, or_zeros(t[0], n.type), n.inputs[1], or_zeros(t[2], n.inputs[2]->type), axis_of(n),
                     n.lines);
}

// Of values that go to one element the last one stays, and has its cotangent: each value's own number, stored
// as the values are, tells which it is.
NodeRef kept_values(const Node& n, const NodeRef& values) {
  const Shape& shape = n.inputs[2]->shape();
  const ir::TensorType flat{DType::I64, {element_count(shape)}};
  const NodeRef own = ir::reshape(ir::iota(flat, 0, n.lines), shape, n.lines);
  const NodeRef none = ir::constant({DType::I64, n.shape()}, Scalar::of(int64_t{-1}), n.lines);
  const NodeRef stayed = ir::scatter(Op::scatter, none, n.inputs[1], own, axis_of(n), n.lines);
  const NodeRef here = ir::gather(stayed, n.inputs[1], axis_of(n), n.lines);
  return choose(op(Op::equal, here, own, n.lines), values, zeros(values->type), n.lines);
}

NodeRef scatter_vjp(const Node& n, size_t input, const NodeRef& c) {
  if (input == 0) {
    if (n.op == Op::scatter_add) return c;
    return ir::scatter(n.op, c, n.inputs[1], zeros(n.inputs[2]->type), axis_of(n), n.lines);
  }
  const NodeRef read = ir::gather(c, n.inputs[1], axis_of(n), n.lines);
  return n.op == Op::scatter ? kept_values(n, read) : read;
}

// ---- updates
NodeRef update_jvp(const Node& n, Tangents t) {
  const auto& a = n.as<ir::SliceAttr>();
  return ir::update(or_zeros(t[0], n.type), or_zeros(t[1], n.inputs[1]->type), a.starts, a.steps, n.lines);
}
NodeRef update_vjp(const Node& n, size_t input, const NodeRef& c) {
  const auto& a = n.as<ir::SliceAttr>();
  const ir::TensorType& part = n.inputs[1]->type;
  return input == 0 ? ir::update(c, zeros(part), a.starts, a.steps, n.lines)
                    : sliced(c, a, part.shape, n.lines);
}

// ---- dot
NodeRef turned(const NodeRef& x, const ir::Lines& lines) {
  Dims axes;
  for (size_t i = 0; i < x->shape().size(); ++i) axes.push_back(static_cast<int64_t>(i));
  std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
  return ir::permute(x, axes, lines);
}
NodeRef dot_jvp(const Node& n, Tangents t) {
  const NodeRef left = t[0] ? ir::dot(t[0], n.inputs[1], n.lines) : NodeRef();
  const NodeRef right = t[1] ? ir::dot(n.inputs[0], t[1], n.lines) : NodeRef();
  return left && right ? op(Op::add, left, right, n.lines) : left ? left : right;
}
NodeRef dot_vjp(const Node& n, size_t input, const NodeRef& c) {
  return input == 0 ? ir::dot(c, turned(n.inputs[1], n.lines), n.lines)
                    : ir::dot(turned(n.inputs[0], n.lines), c, n.lines);
}

}  // namespace

const Rule* rule_of_indexed(Op op) {
  static constexpr Rule kGather{gather_jvp, gather_vjp}, kScatter{scatter_jvp, scatter_vjp},
      kUpdate{update_jvp, update_vjp}, kDot{dot_jvp, dot_vjp};
  switch (op) {
    case Op::gather:
      return &kGather;
    case Op::scatter:
    case Op::scatter_distinct:
    case Op::scatter_add:
      return &kScatter;
    case Op::update:
    case Op::assign:
      return &kUpdate;
    case Op::dot:
      return &kDot;
    default:
      return nullptr;
  }
}

}  // namespace weft::derive
