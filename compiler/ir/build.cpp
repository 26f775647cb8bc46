#include "compiler/ir/build.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/ir/infer.h"
#include "compiler/ir/ops/evaluate.h"

namespace weft::ir {
namespace {

// ---- constants

const Scalar* constant_value(const Node& node) {
  return node.op == Op::constant ? &node.as<ConstantAttr>().value : nullptr;
}

// What becomes of a constant that no line wrote down, such as an element that was read from memory, is none
// that a line did either.
Lines lines_of(const Node& constant, const Lines& lines) { return constant.lines.empty() ? Lines() : lines; }

// A view that only moves elements leaves a constant the same constant under the view's shape. Its type is known.
NodeRef view_of_type(Op op, const NodeRef& x, Attr attr, TensorType type, const Lines& lines) {
  if (const Scalar* value = constant_value(*x)) return constant(type, *value, lines_of(*x, lines));
  return NodeRef(new Node(op, std::move(type), Inputs({x}), std::move(attr), lines));
}

NodeRef view(Op op, const NodeRef& x, Attr attr, const TensorType& stated, const Lines& lines) {
  TensorType type = infer(op, {&x, 1}, attr, stated);
  return view_of_type(op, x, std::move(attr), std::move(type), lines);
}

void convert(NodeRef& x, DType dtype, const Shape& shape, const Lines& lines) {
  if (x->dtype() == dtype && x->shape() == shape) return;
  if (const Scalar* value = constant_value(*x)) {
    x = constant({dtype, shape}, *value, lines_of(*x, lines));
  } else {
    // Casting before broadcasting touches fewer elements.
    x = broadcast(cast(x, dtype, lines), shape, lines);
  }
}

// The dtype in which NumPy computes `op` on inputs of the common dtype `t`. Whole numbers become the smallest
// float that holds each of the inputs, which may be smaller than the one for an integer that holds them all.
DType computed_dtype(Op op, DType t, const Inputs& inputs) {
  if (accepts(op, t)) return t;
  const uint8_t takes = info(op).accepts;
  if (!(takes & kFloat) && !(takes & kSigned)) return t;
  if (t == DType::Bool && (takes & kSigned)) return info(op).whole == Whole::Refused ? t : DType::I8;
  if (t != DType::Bool && !is_integer(t)) return t;
  if (info(op).whole == Whole::F64) return DType::F64;
  DType result = float_for(inputs[0]->dtype());
  for (const NodeRef& x : inputs) result = promote(result, float_for(x->dtype()));
  return result;
}

// i op u for a signed i and a u64 u, as the integers that they are: no dtype holds both.
NodeRef compare_signs(Op op, const NodeRef& i, const NodeRef& u, const Lines& lines) {
  const NodeRef negative = map(Op::less, {i, constant(i->type, Scalar::of(int64_t{0}), lines)}, lines);
  const bool of_negative = op == Op::not_equal || op == Op::less || op == Op::less_equal;
  const NodeRef otherwise = map(op, {cast(i, DType::U64, lines), u}, lines);
  return map(Op::select, {negative, constant(otherwise->type, Scalar::of(of_negative), lines), otherwise},
             lines);
}

// 1 / x without its fraction: x itself where it is 1 or -1, else 0, for x = 0 likewise.
NodeRef whole_reciprocal(const NodeRef& x, const Lines& lines) {
  const NodeRef one = constant(x->type, Scalar::of(1.0), lines),
                zero = constant(x->type, Scalar::of(0.0), lines);
  const NodeRef size = kind(x->dtype()) == DTypeKind::Signed ? map(Op::abs, {x}, lines) : x;
  return map(Op::select, {map(Op::equal, {size, one}, lines), x, zero}, lines);
}

}  // namespace

NodeRef make(Op op, Inputs&& inputs, Attr attr, const TensorType& stated, const Lines& lines) {
  TensorType type = infer(op, inputs, attr, stated);
  return NodeRef(new Node(op, std::move(type), std::move(inputs), std::move(attr), lines));
}

// ---- sources

NodeRef input(const TensorType& type, InputAttr attr, const Lines& lines) {
  return make(Op::input, {}, std::move(attr), type, lines);
}

NodeRef scalar(const TensorType& type, std::string name, const Lines& lines) {
  return make(Op::scalar, {}, ScalarAttr{std::move(name)}, type, lines);
}

NodeRef constant(const TensorType& type, const Scalar& value, const Lines& lines) {
  return make(Op::constant, {}, ConstantAttr{value.cast(type.dtype)}, type, lines);
}

NodeRef iota(const TensorType& type, int64_t axis, const Lines& lines) {
  const int64_t from_start = normalize_axis("iota", axis, type.shape.size());
  return make(Op::iota, {}, AxisAttr{from_start}, type, lines);
}

// ---- maps

NodeRef map(Op op, Inputs&& inputs, const Lines& lines) {
  if (info(op).result == Result::Stated || kind(op) != OpKind::Map) {
    throw InternalError("map: " + std::string(name(op)) + " is not made by its inputs alone");
  }
  TensorType type = infer(op, inputs, {}, {});
  // What rounds in its own way is left to kernels, so that a constant's function is that of an array of it.
  const bool exact = rounds_once(op, (*inputs.begin())->dtype(), type.dtype);
  if (exact &&
      std::all_of(inputs.begin(), inputs.end(), [](const NodeRef& in) { return constant_value(*in); })) {
    Scalar values[kMostOperands];
    for (size_t i = 0; i < inputs.size(); ++i) values[i] = *constant_value(*inputs[i]);
    const Scalar folded = evaluate_map(op, type.dtype, {values, inputs.size()});
    const auto unwritten =
        std::find_if(inputs.begin(), inputs.end(), [](const NodeRef& in) { return in->lines.empty(); });
    return constant(type, folded, unwritten == inputs.end() ? lines : Lines());
  }
  return NodeRef(new Node(op, std::move(type), std::move(inputs), {}, lines));
}

NodeRef cast(const NodeRef& x, DType to, const Lines& lines) {
  if (x->dtype() == to) return x;
  if (const Scalar* value = constant_value(*x))
    return constant({to, x->shape()}, *value, lines_of(*x, lines));
  return make(Op::cast, {x}, {}, {to, {}}, lines);
}

NodeRef bitcast(const NodeRef& x, DType to, const Lines& lines) {
  if (x->dtype() == to) return x;
  if (const Scalar* value = constant_value(*x)) {
    TensorType type = infer(Op::bitcast, {&x, 1}, {}, {to, {}});
    const Scalar folded = evaluate_map(Op::bitcast, to, {value, 1});
    return constant(type, folded, lines_of(*x, lines));
  }
  return make(Op::bitcast, {x}, {}, {to, {}}, lines);
}

NodeRef elementwise(Op op, Inputs&& inputs, const Lines& lines) {
  const int arity = info(op).arity;
  if (inputs.size() != static_cast<size_t>(arity)) {
    fail(op, "takes " + std::to_string(arity) + " inputs", std::to_string(inputs.size()));
  }
  const bool choice = op == Op::select;
  const TensorType& first = inputs[0]->type;
  // Nearly always, and the inputs are what the op is computed on as they come.
  const bool alike =
      !choice && accepts(op, first.dtype) &&
      std::all_of(inputs.begin() + 1, inputs.end(), [&](const NodeRef& x) { return x->type == first; });
  if (alike) return map(op, std::move(inputs), lines);
  DType dtype = inputs[choice ? 1 : 0]->dtype();
  Shape shape = first.shape;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0 && inputs[i]->shape() != shape) {
      shape = broadcast_shapes(name(op), shape, inputs[i]->shape());
    }
    if (!choice || i > 0) dtype = promote(dtype, inputs[i]->dtype());
  }
  if (info(op).whole == Whole::Kept && dtype == DType::Bool) return inputs[0];
  if (info(op).whole == Whole::Truncated && (is_integer(dtype) || dtype == DType::Bool))
    return whole_reciprocal(dtype == DType::Bool ? cast(inputs[0], DType::I8, lines) : inputs[0], lines);
  if (info(op).mirror && dtype == DType::F64) {
    const auto is = [&](size_t k, DTypeKind wanted) { return kind(inputs[k]->dtype()) == wanted; };
    for (const size_t k : {0, 1}) {
      if (!is(k, DTypeKind::Signed) || !is(1 - k, DTypeKind::Unsigned)) continue;
      convert(inputs[k], inputs[k]->dtype(), shape, lines);
      convert(inputs[1 - k], DType::U64, shape, lines);
      return compare_signs(k == 0 ? op : *info(op).mirror, inputs[k], inputs[1 - k], lines);
    }
  }
  dtype = computed_dtype(op, dtype, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    convert(inputs[i], choice && i == 0 ? DType::Bool : dtype, shape, lines);
  }
  return map(op, std::move(inputs), lines);
}

// ---- views

NodeRef broadcast(const NodeRef& x, const Shape& shape, const Lines& lines) {
  if (x->shape() == shape) return x;
  return view(Op::broadcast, x, {}, {x->dtype(), shape}, lines);
}

NodeRef permute(const NodeRef& x, const Dims& axes, const Lines& lines) {
  Dims from_start = axes;
  for (int64_t& axis : from_start) axis = normalize_axis("permute", axis, x->shape().size());
  NodeRef result = view(Op::permute, x, AxesAttr{from_start}, {}, lines);
  return std::is_sorted(from_start.begin(), from_start.end()) ? x : result;
}

NodeRef slice(const NodeRef& x, const Dims& starts, const Dims& extents, const Dims& steps,
              const Lines& lines) {
  Attr attr = SliceAttr{starts, steps};
  TensorType type = infer(Op::slice, {&x, 1}, attr, {x->dtype(), extents});
  auto& range = std::get<SliceAttr>(attr);
  // One form for ranges that mean the same: a step over less than two elements does not matter.
  bool whole = extents == x->shape();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0) range.starts[i] = 0;
    if (extents[i] <= 1) range.steps[i] = 1;
    whole = whole && range.starts[i] == 0 && range.steps[i] == 1;
  }
  return whole ? x : view_of_type(Op::slice, x, std::move(attr), std::move(type), lines);
}

NodeRef reshape(const NodeRef& x, const Shape& shape, const Lines& lines) {
  if (x->shape() == shape) return x;
  return view(Op::reshape, x, {}, {x->dtype(), shape}, lines);
}

NodeRef pad(const NodeRef& x, const NodeRef& fill, const Dims& before, const Dims& after,
            const Lines& lines) {
  const NodeRef inputs[] = {x, fill};
  NodeRef result = make(Op::pad, inputs, PadAttr{before, after}, {}, lines);
  return result->shape() == x->shape() ? x : result;
}

NodeRef concat(std::span<const NodeRef> xs, int64_t axis, const Lines& lines) {
  if (xs.empty()) fail(Op::concat, "needs at least one input", "none");
  const int64_t from_start = normalize_axis("concat", axis, xs[0]->shape().size());
  if (xs.size() == 1) return xs[0];
  return make(Op::concat, xs, AxisAttr{from_start}, {}, lines);
}

// ---- reductions

NodeRef reduce(Op op, const NodeRef& x, const Dims& axes, const Lines& lines) {
  Dims sorted = axes;
  for (int64_t& axis : sorted) axis = normalize_axis(name(op), axis, x->shape().size());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fail(op, "axes must be different", to_string(axes));
  }
  Attr attr = AxesAttr{sorted};
  TensorType type = infer(op, {&x, 1}, attr, {});
  if (sorted.empty() && info(op).result == Result::Same) return x;
  if (element_count(x->shape()) == 0) {
    // Nothing is read: the identity everywhere, or (for ops that have none) no element at all.
    return constant(type, Scalar::of(int64_t{info(op).of_nothing.value_or(0)}), lines);
  }
  return NodeRef(new Node(op, std::move(type), Inputs({x}), std::move(attr), lines));
}

// ---- scans

NodeRef scan(Op op, const NodeRef& x, int64_t axis, const Lines& lines) {
  const int64_t from_start = normalize_axis(name(op), axis, x->shape().size());
  NodeRef result = make(op, {x}, AxisAttr{from_start}, {}, lines);
  return element_count(x->shape()) == 0 || x->shape()[static_cast<size_t>(from_start)] == 1 ? x : result;
}

// ---- indexed access, updates and products

NodeRef gather(const NodeRef& x, const NodeRef& index, int64_t axis, const Lines& lines) {
  const NodeRef inputs[] = {x, index};
  const int64_t from_start = normalize_axis("gather", axis, x->shape().size());
  return make(Op::gather, inputs, AxisAttr{from_start}, {}, lines);
}

NodeRef scatter(Op op, const NodeRef& x, const NodeRef& index, const NodeRef& values, int64_t axis,
                const Lines& lines) {
  const int64_t from_start = normalize_axis(name(op), axis, x->shape().size());
  const Shape shape = indexed_shape(op, *x, *index, static_cast<size_t>(from_start));
  const NodeRef inputs[] = {x, index, broadcast(values, shape, lines)};
  return make(op, inputs, AxisAttr{from_start}, {}, lines);
}

NodeRef update(const NodeRef& base, const NodeRef& value, const Dims& starts, const Dims& steps,
               const Lines& lines) {
  Attr attr = SliceAttr{starts, steps};
  Inputs inputs({base, value});
  TensorType type = infer(Op::update, inputs, attr, {});
  auto& range = std::get<SliceAttr>(attr);
  if (element_count(value->shape()) == 0) return base;
  bool whole = value->shape() == base->shape();
  for (size_t i = 0; i < starts.size(); ++i) {
    if (value->shape()[i] == 1) range.steps[i] = 1;
    whole = whole && range.starts[i] == 0 && range.steps[i] == 1;
  }
  if (whole) return value;
  return NodeRef(new Node(Op::update, std::move(type), std::move(inputs), std::move(attr), lines));
}

NodeRef dot(const NodeRef& a, const NodeRef& b, const Lines& lines) {
  NodeRef inputs[] = {a, b};
  const Shape &left = a->shape(), &right = b->shape();
  if (left.size() >= 2 && right.size() >= 2) {
    const Shape batch = broadcast_shapes("dot", Shape(std::span(left.begin(), left.end() - 2)),
                                         Shape(std::span(right.begin(), right.end() - 2)));
    for (NodeRef& x : inputs) {
      Shape shape = batch;
      shape.push_back(x->shape()[x->shape().size() - 2]);
      shape.push_back(x->shape().back());
      x = broadcast(x, shape, lines);
    }
  }
  return make(Op::dot, inputs, {}, {}, lines);
}

NodeRef copy(const NodeRef& x, const Lines& lines) { return make(Op::broadcast, {x}, {}, x->type, lines); }

bool is_copy(const Node& node) { return node.op == Op::broadcast && node.shape() == node.inputs[0]->shape(); }

NodeRef with_inputs(const Node& node, std::span<const NodeRef> in) {
  const Lines& lines = node.lines;
  switch (node.op) {
    case Op::apply:
      return make(node.op, in, node.attr, {}, lines);
    case Op::cast:
      return cast(in[0], node.dtype(), lines);
    case Op::bitcast:
      return bitcast(in[0], node.dtype(), lines);
    case Op::broadcast:
      return is_copy(node) ? copy(in[0], lines) : broadcast(in[0], node.shape(), lines);
    case Op::permute:
      return permute(in[0], node.as<AxesAttr>().axes, lines);
    case Op::slice: {
      const auto& a = node.as<SliceAttr>();
      return slice(in[0], a.starts, node.shape(), a.steps, lines);
    }
    case Op::reshape:
      return reshape(in[0], node.shape(), lines);
    case Op::pad:
      return pad(in[0], in[1], node.as<PadAttr>().before, node.as<PadAttr>().after, lines);
    case Op::concat:
      return concat(in, node.as<AxisAttr>().axis, lines);
    case Op::assign:
      return make(Op::assign, in, node.attr, node.type, lines);
    case Op::update:
      return update(in[0], in[1], node.as<SliceAttr>().starts, node.as<SliceAttr>().steps, lines);
    default:
      break;
  }
  switch (kind(node.op)) {
    case OpKind::Map:
      return map(node.op, in, lines);
    case OpKind::Reduce:
      return reduce(node.op, in[0], node.as<AxesAttr>().axes, lines);
    case OpKind::Scan:
      return scan(node.op, in[0], node.as<AxisAttr>().axis, lines);
    default:
      return make(node.op, in, node.attr, node.type, lines);
  }
}

}  // namespace weft::ir
