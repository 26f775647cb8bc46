// Views are linear: a tangent is seen as the value is, and a cotangent goes back to where the elements came
// from.
#include <algorithm>

#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;

NodeRef view_jvp(const Node& n, std::span<const NodeRef> tangents) {
  std::vector<NodeRef> in;
  in.reserve(tangents.size());
  for (size_t i = 0; i < tangents.size(); ++i) in.push_back(or_zeros(tangents[i], n.inputs[i]->type));
  if (ir::is_copy(n)) return in[0];
  return ir::with_inputs(n, in);
}

// The sum of the products of a batch, as one product along all of their terms.
NodeRef product_over_batch(const Node& dot) {
  const NodeRef &left = dot.inputs[0], &right = dot.inputs[1];
  const size_t rank = dot.shape().size();
  const int64_t rows = dot.shape()[rank - 2], columns = dot.shape()[rank - 1];
  const int64_t terms = element_count(right->shape()) / std::max<int64_t>(columns, 1);
  Dims turned;
  for (size_t i = 0; i < rank; ++i) turned.push_back(static_cast<int64_t>(i));
  std::swap(turned[rank - 2], turned[rank - 1]);
  const NodeRef factors = ir::reshape(ir::permute(left, turned, dot.lines), {terms, rows}, dot.lines);
  return ir::dot(ir::permute(factors, {1, 0}, dot.lines), ir::reshape(right, {terms, columns}, dot.lines),
                 dot.lines);
}

// What was repeated is summed up.
NodeRef broadcast_vjp(const Node& n, const NodeRef& c) {
  const Shape &from = n.inputs[0]->shape(), &to = n.shape();
  const size_t leading = to.size() - from.size();
  Dims axes;
  for (size_t i = 0; i < to.size(); ++i)
    if (i < leading || from[i - leading] != to[i]) axes.push_back(static_cast<int64_t>(i));
  if (axes.empty()) return c;
  const size_t batch = c->op == Op::dot ? to.size() - 2 : 0;
  if (batch > 0 && axes.size() == batch && static_cast<size_t>(axes.back()) == batch - 1 &&
      element_count(to) > 0)
    return ir::reshape(product_over_batch(*c), from, n.lines);
  return ir::reshape(ir::reduce(Op::sum, c, axes, n.lines), from, n.lines);
}

NodeRef permute_vjp(const Node& n, const NodeRef& c) {
  const Dims& axes = n.as<ir::AxesAttr>().axes;
  Dims back(axes.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) back[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  return ir::permute(c, back, n.lines);
}

// A pad is read by the kernel that needs it, so parts without gaps are padded with zeros.
NodeRef slice_vjp(const Node& n, const NodeRef& c) {
  const auto& a = n.as<ir::SliceAttr>();
  const ir::TensorType& whole = n.inputs[0]->type;
  const bool dense = std::all_of(a.steps.begin(), a.steps.end(), [](int64_t step) { return step == 1; });
  if (!dense || element_count(n.shape()) == 0) return ir::update(zeros(whole), c, a.starts, a.steps, n.lines);
  Dims after(whole.shape.size(), 0);
  for (size_t i = 0; i < after.size(); ++i) after[i] = whole.shape[i] - n.shape()[i] - a.starts[i];
  return ir::pad(c, zeros({whole.dtype, {}}), a.starts, after, n.lines);
}

NodeRef pad_vjp(const Node& n, size_t input, const NodeRef& c) {
  const Node& x = *n.inputs[0];
  const Dims &before = n.as<ir::PadAttr>().before, ones(before.size(), 1);
  if (input == 0) return ir::slice(c, before, x.shape(), ones, n.lines);
  Dims all;
  for (size_t i = 0; i < before.size(); ++i) all.push_back(static_cast<int64_t>(i));
  return ir::reduce(Op::sum, ir::update(c, zeros(x.type), before, ones, n.lines), all, n.lines);
}

NodeRef concat_vjp(const Node& n, size_t input, const NodeRef& c) {
  const auto axis = static_cast<size_t>(n.as<ir::AxisAttr>().axis);
  Dims starts(n.shape().size(), 0);
  for (size_t i = 0; i < input; ++i) starts[axis] += n.inputs[i]->shape()[axis];
  return ir::slice(c, starts, n.inputs[input]->shape(), Dims(starts.size(), 1), n.lines);
}

NodeRef view_vjp(const Node& n, size_t input, const NodeRef& c) {
  switch (n.op) {
    case Op::broadcast:
      return broadcast_vjp(n, c);
    case Op::permute:
      return permute_vjp(n, c);
    case Op::slice:
      return slice_vjp(n, c);
    case Op::reshape:
      return ir::reshape(c, n.inputs[0]->shape(), n.lines);
    case Op::pad:
      return pad_vjp(n, input, c);
    default:
      return concat_vjp(n, input, c);
  }
}

}  // namespace

const Rule* rule_of_view(Op) {
  static constexpr Rule kView{view_jvp, view_vjp};
  return &kView;
}

}  // namespace weft::derive
