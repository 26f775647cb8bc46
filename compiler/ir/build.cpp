#include "compiler/ir/build.h"

#include <algorithm>
#include <numeric>

#include "compiler/base/error.h"
#include "compiler/ir/evaluate.h"

namespace weft::ir {
namespace {

template <class E = Error>
[[noreturn]] void fail(Op op, const std::string& rule, const std::string& got) {
  throw E(std::string(name(op)) + ": " + rule + ": got " + got);
}

std::string text(DType t) { return std::string(name(t)); }

template <class Part>
std::string listed(std::span<const NodeRef> inputs, Part part) {
  std::string all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0) all += i + 1 == inputs.size() ? " and " : ", ";
    all += part(*inputs[i]);
  }
  return all;
}

std::string shapes(std::span<const NodeRef> inputs) {
  return listed(inputs, [](const Node& n) { return to_string(n.shape()); });
}

std::string dtypes(std::span<const NodeRef> inputs) {
  return listed(inputs, [](const Node& n) { return text(n.dtype()); });
}

const char* kind_name(DTypeKind k) {
  switch (k) {
    case DTypeKind::Bool:
      return "bool";
    case DTypeKind::Signed:
      return "signed integer";
    case DTypeKind::Unsigned:
      return "unsigned integer";
    case DTypeKind::Float:
      return "float";
    case DTypeKind::Complex:
      return "complex";
  }
  return "";
}

std::string accepted_kinds(Op op) {
  std::string all;
  for (int k = 0; k < 5; ++k) {
    if (!((info(op).accepts >> k) & 1)) continue;
    if (!all.empty()) all += ", ";
    all += kind_name(static_cast<DTypeKind>(k));
  }
  return all;
}

void check_accepts(Op op, DType t) {
  if (!accepts(op, t)) fail<TypeError>(op, "takes " + accepted_kinds(op) + " only", text(t));
}

void check_same_dtype(Op op, std::span<const NodeRef> inputs) {
  for (const NodeRef& in : inputs) {
    if (in->dtype() != inputs[0]->dtype()) fail<TypeError>(op, "dtypes differ", dtypes(inputs));
  }
}

void check_index_dtype(Op op, const Node& index) {
  if (index.dtype() != DType::I64) fail<TypeError>(op, "the index must be i64", text(index.dtype()));
}

template <class A>
const A& attribute(Op op, const Attr& attr) {
  const A* a = std::get_if<A>(&attr);
  if (!a) throw InternalError(std::string(name(op)) + ": the attribute is of the wrong kind");
  return *a;
}

void check_attr_rank(Op op, const char* what, const Dims& dims, size_t rank) {
  if (dims.size() != rank) {
    fail(op, std::string(what) + " must have one entry for each of " + std::to_string(rank) + " axes",
         to_string(dims));
  }
}

int64_t stored_axis(Op op, int64_t axis, size_t rank) {
  if (axis < 0 || axis >= static_cast<int64_t>(rank)) {
    fail<IndexError>(op, "axis out of range for rank " + std::to_string(rank), std::to_string(axis));
  }
  return axis;
}

TensorType checked(Op op, DType dtype, Shape shape) {
  check_size(name(op), shape, size_of(dtype));
  return {dtype, std::move(shape)};
}

// ---- inference, one function for each family

TensorType infer_source(Op op, const Attr& attr, const TensorType& stated) {
  switch (op) {
    case Op::input: {
      const auto& a = attribute<InputAttr>(op, attr);
      if (!a.strides.empty()) check_attr_rank(op, "strides", a.strides, stated.shape.size());
      break;
    }
    case Op::scalar:
      attribute<ScalarAttr>(op, attr);
      break;
    case Op::constant:
      if (attribute<ConstantAttr>(op, attr).value.dtype != stated.dtype) {
        fail<TypeError>(op, "the value must be of the type's dtype " + text(stated.dtype),
                        text(attribute<ConstantAttr>(op, attr).value.dtype));
      }
      break;
    default:
      check_accepts(op, stated.dtype);
      stored_axis(op, attribute<AxisAttr>(op, attr).axis, stated.shape.size());
  }
  return checked(op, stated.dtype, stated.shape);
}

DType result_dtype(Op op, DType from, const TensorType& stated) {
  switch (info(op).result) {
    case Result::Same:
      return from;
    case Result::Bool:
      return DType::Bool;
    case Result::Real:
      return real_of(from);
    case Result::Index:
      return DType::I64;
    case Result::Stated:
      return stated.dtype;
  }
  return from;
}

TensorType infer_map(Op op, std::span<const NodeRef> inputs, const TensorType& stated) {
  const Node& first = *inputs[0];
  for (const NodeRef& in : inputs.subspan(1)) {
    if (in->shape() != first.shape()) fail(op, "shapes differ", shapes(inputs));
  }
  if (op == Op::select) {
    if (first.dtype() != DType::Bool) fail<TypeError>(op, "the condition must be bool", text(first.dtype()));
    check_same_dtype(op, inputs.subspan(1));
    return inputs[1]->type;
  }
  check_same_dtype(op, inputs);
  check_accepts(op, first.dtype());
  const DType to = result_dtype(op, first.dtype(), stated);
  if (op == Op::bitcast && (size_of(to) != size_of(first.dtype()) || to == DType::Bool)) {
    fail<TypeError>(op, "dtypes must have the same size and the result must not be bool",
                    text(first.dtype()) + " to " + text(to));
  }
  if (size_of(to) > size_of(first.dtype())) check_size(name(op), first.shape(), size_of(to));
  return {to, first.shape()};
}

TensorType infer_broadcast(const Node& x, const TensorType& stated) {
  const Shape &from = x.shape(), &to = stated.shape;
  bool fits = from.size() <= to.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    const int64_t extent = to[to.size() - from.size() + i];
    fits = from[i] == extent || from[i] == 1;
  }
  if (!fits) {
    fail(Op::broadcast, "the shape does not broadcast", to_string(from) + " to " + to_string(to));
  }
  return checked(Op::broadcast, x.dtype(), to);
}

TensorType infer_permute(const Node& x, const Attr& attr) {
  const Dims& axes = attribute<AxesAttr>(Op::permute, attr).axes;
  const size_t rank = x.shape().size();
  check_attr_rank(Op::permute, "axes", axes, rank);
  Dims seen(rank, 0);
  Shape shape = x.shape();
  for (size_t i = 0; i < rank; ++i) {
    stored_axis(Op::permute, axes[i], rank);
    if (seen[static_cast<size_t>(axes[i])]++) {
      fail(Op::permute, "every axis must appear once", to_string(axes));
    }
    shape[i] = x.shape()[static_cast<size_t>(axes[i])];
  }
  return {x.dtype(), shape};
}

// Every index start + i * step, i below the extent, lies on its axis of `shape`.
void check_range(Op op, const Shape& shape, const SliceAttr& range, const Shape& extents) {
  check_attr_rank(op, "starts", range.starts, shape.size());
  check_attr_rank(op, "steps", range.steps, shape.size());
  check_attr_rank(op, "extents", extents, shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t start = range.starts[i], step = range.steps[i], extent = extents[i];
    if (extent < 0) fail(op, "extents must not be negative", to_string(extents));
    if (step == 0) fail(op, "steps must not be zero", to_string(range.steps));
    if (extent == 0) continue;
    int64_t last = 0;
    const bool overflow =
        __builtin_mul_overflow(extent - 1, step, &last) || __builtin_add_overflow(last, start, &last);
    if (overflow || start < 0 || start >= shape[i] || last < 0 || last >= shape[i]) {
      fail<IndexError>(op,
                       "range leaves axis " + std::to_string(i) + " of extent " + std::to_string(shape[i]),
                       "start " + std::to_string(start) + ", step " + std::to_string(step) + ", extent " +
                           std::to_string(extent));
    }
  }
}

TensorType infer_reshape(const Node& x, const TensorType& stated) {
  TensorType result = checked(Op::reshape, x.dtype(), stated.shape);
  if (element_count(x.shape()) != element_count(result.shape)) {
    throw Error("reshape: cannot view " + std::to_string(element_count(x.shape())) + " elements as " +
                to_string(result.shape));
  }
  return result;
}

TensorType infer_pad(const Node& x, const Node& fill, const Attr& attr) {
  const auto& a = attribute<PadAttr>(Op::pad, attr);
  const size_t rank = x.shape().size();
  check_attr_rank(Op::pad, "before", a.before, rank);
  check_attr_rank(Op::pad, "after", a.after, rank);
  if (fill.dtype() != x.dtype()) {
    fail<TypeError>(Op::pad, "dtypes differ", text(x.dtype()) + " and " + text(fill.dtype()));
  }
  if (!fill.shape().empty()) fail(Op::pad, "the fill must be of shape ()", to_string(fill.shape()));
  Shape shape = x.shape();
  for (size_t i = 0; i < rank; ++i) {
    if (a.before[i] < 0 || a.after[i] < 0) {
      fail(Op::pad, "widths must not be negative", to_string(a.before) + " and " + to_string(a.after));
    }
    if (__builtin_add_overflow(shape[i], a.before[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], a.after[i], &shape[i])) {
      fail(Op::pad, "widths too large", to_string(a.before) + " and " + to_string(a.after));
    }
  }
  return checked(Op::pad, x.dtype(), shape);
}

TensorType infer_concat(std::span<const NodeRef> inputs, const Attr& attr) {
  if (inputs.empty()) fail(Op::concat, "needs at least one input", "none");
  check_same_dtype(Op::concat, inputs);
  Shape shape = inputs[0]->shape();
  const auto axis =
      static_cast<size_t>(stored_axis(Op::concat, attribute<AxisAttr>(Op::concat, attr).axis, shape.size()));
  for (const NodeRef& in : inputs.subspan(1)) {
    bool fits = in->shape().size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) fits = i == axis || in->shape()[i] == shape[i];
    if (!fits) fail(Op::concat, "shapes differ off axis " + std::to_string(axis), shapes(inputs));
    if (__builtin_add_overflow(shape[axis], in->shape()[axis], &shape[axis])) {
      fail(Op::concat, "too many elements", shapes(inputs));
    }
  }
  return checked(Op::concat, inputs[0]->dtype(), shape);
}

TensorType infer_reduce(Op op, const Node& x, const Attr& attr) {
  check_accepts(op, x.dtype());
  const Dims& axes = attribute<AxesAttr>(op, attr).axes;
  Shape shape;
  int64_t reduced = 1;
  size_t next = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    stored_axis(op, axes[i], x.shape().size());
    if (i > 0 && axes[i] <= axes[i - 1]) fail(op, "axes must be sorted and different", to_string(axes));
  }
  for (size_t i = 0; i < x.shape().size(); ++i) {
    if (next < axes.size() && axes[next] == static_cast<int64_t>(i)) {
      ++next;
      reduced *= x.shape()[i];
    } else {
      shape.push_back(x.shape()[i]);
    }
  }
  const bool has_identity = op == Op::sum || op == Op::prod || op == Op::any || op == Op::all;
  if (reduced == 0 && !has_identity && element_count(shape) != 0) {
    fail(op, "nothing to reduce and no identity", to_string(x.shape()) + " over axes " + to_string(axes));
  }
  return checked(op, result_dtype(op, x.dtype(), {}), shape);
}

// The shape in which x and index meet: broadcast on each axis but `axis`, where the index's extent stays.
Shape indexed_shape(Op op, const Node& x, const Node& index, size_t axis) {
  Shape shape = index.shape();
  bool fits = x.shape().size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    if (i == axis || x.shape()[i] == shape[i] || x.shape()[i] == 1) continue;
    fits = shape[i] == 1;
    shape[i] = x.shape()[i];
  }
  if (!fits) {
    fail(op, "index does not broadcast off axis " + std::to_string(axis),
         to_string(x.shape()) + " and " + to_string(index.shape()));
  }
  if (x.shape()[axis] == 0 && element_count(shape) != 0) {
    fail<IndexError>(op, "axis " + std::to_string(axis) + " has no elements to index",
                     to_string(x.shape()) + " and " + to_string(index.shape()));
  }
  return shape;
}

TensorType infer_gather(const Node& x, const Node& index, const Attr& attr) {
  check_index_dtype(Op::gather, index);
  const int64_t axis = attribute<AxisAttr>(Op::gather, attr).axis;
  stored_axis(Op::gather, axis, x.shape().size());
  return checked(Op::gather, x.dtype(), indexed_shape(Op::gather, x, index, static_cast<size_t>(axis)));
}

TensorType infer_scatter(Op op, std::span<const NodeRef> inputs, const Attr& attr) {
  const Node &x = *inputs[0], &index = *inputs[1], &values = *inputs[2];
  check_accepts(op, x.dtype());
  check_index_dtype(op, index);
  if (values.dtype() != x.dtype()) {
    fail<TypeError>(op, "dtypes differ", text(x.dtype()) + " and " + text(values.dtype()));
  }
  const int64_t axis = stored_axis(op, attribute<AxisAttr>(op, attr).axis, x.shape().size());
  const Shape shape = indexed_shape(op, x, index, static_cast<size_t>(axis));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<int64_t>(i) != axis && shape[i] != x.shape()[i]) {
      fail(op, "index is larger than the target off axis " + std::to_string(axis),
           to_string(x.shape()) + " and " + to_string(index.shape()));
    }
  }
  if (values.shape() != shape) {
    fail(op, "values must be of shape " + to_string(shape), to_string(values.shape()));
  }
  return x.type;
}

TensorType infer_update(const Node& base, const Node& value, const Attr& attr) {
  if (value.dtype() != base.dtype()) {
    fail<TypeError>(Op::update, "dtypes differ", text(base.dtype()) + " and " + text(value.dtype()));
  }
  check_range(Op::update, base.shape(), attribute<SliceAttr>(Op::update, attr), value.shape());
  return base.type;
}

TensorType infer_dot(const Node& a, const Node& b) {
  const std::string got = to_string(a.shape()) + " and " + to_string(b.shape());
  if (a.dtype() != b.dtype()) {
    fail<TypeError>(Op::dot, "dtypes differ", text(a.dtype()) + " and " + text(b.dtype()));
  }
  check_accepts(Op::dot, a.dtype());
  const size_t rank = a.shape().size();
  if (rank < 2 || b.shape().size() < 2) fail(Op::dot, "needs at least two axes", got);
  if (rank != b.shape().size() || !std::equal(a.shape().begin(), a.shape().end() - 2, b.shape().begin())) {
    fail(Op::dot, "batch extents differ", got);
  }
  if (a.shape()[rank - 1] != b.shape()[rank - 2]) fail(Op::dot, "inner extents differ", got);
  Shape shape = a.shape();
  shape[rank - 1] = b.shape()[rank - 1];
  return checked(Op::dot, a.dtype(), shape);
}

// ---- constants

const Scalar* constant_value(const Node& node) {
  const auto* a = std::get_if<ConstantAttr>(&node.attr);
  return a ? &a->value : nullptr;
}

// A view that only moves elements leaves a constant the same constant under the view's shape.
NodeRef view(Op op, const NodeRef& x, Attr attr, const TensorType& stated, Lines lines) {
  TensorType type = infer(op, {&x, 1}, attr, stated);
  if (const Scalar* value = constant_value(*x)) return constant(std::move(type), *value, std::move(lines));
  return NodeRef(new Node(op, std::move(type), Inputs({&x, 1}), std::move(attr), std::move(lines)));
}

NodeRef converted(const NodeRef& x, DType dtype, const Shape& shape, const Lines& lines) {
  if (const Scalar* value = constant_value(*x); value && (x->dtype() != dtype || x->shape() != shape)) {
    return constant({dtype, shape}, *value, lines);
  }
  // Casting before broadcasting touches fewer elements.
  return broadcast(cast(x, dtype, lines), shape, lines);
}

// The dtype in which NumPy computes `op` on inputs of the common dtype `t`.
DType computed_dtype(Op op, DType t) {
  if (accepts(op, t)) return t;
  const uint8_t takes = info(op).accepts;
  if (!(takes & kFloat) && !(takes & kSigned)) return t;
  if (t == DType::Bool && (takes & kSigned)) {
    // NumPy has no boolean arithmetic of these; the others it computes in i8.
    const bool refused = op == Op::subtract || op == Op::negative || op == Op::positive || op == Op::sign;
    return refused ? t : DType::I8;
  }
  if (t == DType::Bool || is_integer(t)) {
    // The quotient of integers is f64 at every width.
    return op == Op::divide ? DType::F64 : float_for(t);
  }
  return t;
}

}  // namespace

TensorType infer(Op op, std::span<const NodeRef> inputs, const Attr& attr, const TensorType& stated) {
  const int arity = info(op).arity;
  if (arity >= 0 && inputs.size() != static_cast<size_t>(arity)) {
    fail(op, "takes " + std::to_string(arity) + " inputs", std::to_string(inputs.size()));
  }
  switch (kind(op)) {
    case OpKind::Source:
      return infer_source(op, attr, stated);
    case OpKind::Map:
      return infer_map(op, inputs, stated);
    case OpKind::Reduce:
      return infer_reduce(op, *inputs[0], attr);
    case OpKind::Gather:
      return infer_gather(*inputs[0], *inputs[1], attr);
    case OpKind::Scatter:
      return infer_scatter(op, inputs, attr);
    case OpKind::Update:
      return infer_update(*inputs[0], *inputs[1], attr);
    case OpKind::Dot:
      return infer_dot(*inputs[0], *inputs[1]);
    case OpKind::View:
      break;
  }
  switch (op) {
    case Op::broadcast:
      return infer_broadcast(*inputs[0], stated);
    case Op::permute:
      return infer_permute(*inputs[0], attr);
    case Op::reshape:
      return infer_reshape(*inputs[0], stated);
    case Op::pad:
      return infer_pad(*inputs[0], *inputs[1], attr);
    case Op::concat:
      return infer_concat(inputs, attr);
    case Op::slice:
      check_range(op, inputs[0]->shape(), attribute<SliceAttr>(op, attr), stated.shape);
      return {inputs[0]->dtype(), stated.shape};
    default:
      throw InternalError("infer: no rule for " + std::string(name(op)));
  }
}

NodeRef make(Op op, std::span<const NodeRef> inputs, Attr attr, const TensorType& stated, Lines lines) {
  TensorType type = infer(op, inputs, attr, stated);
  return NodeRef(new Node(op, std::move(type), Inputs(inputs), std::move(attr), std::move(lines)));
}

// ---- sources

NodeRef input(TensorType type, InputAttr attr, Lines lines) {
  return make(Op::input, {}, std::move(attr), type, std::move(lines));
}

NodeRef scalar(TensorType type, std::string name, Lines lines) {
  return make(Op::scalar, {}, ScalarAttr{std::move(name)}, type, std::move(lines));
}

NodeRef constant(TensorType type, const Scalar& value, Lines lines) {
  return make(Op::constant, {}, ConstantAttr{value.cast(type.dtype)}, type, std::move(lines));
}

NodeRef iota(TensorType type, int64_t axis, Lines lines) {
  const int64_t from_start = normalize_axis("iota", axis, type.shape.size());
  return make(Op::iota, {}, AxisAttr{from_start}, type, std::move(lines));
}

// ---- maps

NodeRef map(Op op, std::span<const NodeRef> inputs, Lines lines) {
  if (info(op).result == Result::Stated || kind(op) != OpKind::Map) {
    throw InternalError("map: " + std::string(name(op)) + " is not made by its inputs alone");
  }
  if (std::all_of(inputs.begin(), inputs.end(), [](const NodeRef& in) { return constant_value(*in); })) {
    TensorType type = infer(op, inputs, {}, {});
    Scalar values[3];
    for (size_t i = 0; i < inputs.size(); ++i) values[i] = *constant_value(*inputs[i]);
    const Scalar folded = evaluate_map(op, type.dtype, {values, inputs.size()});
    return constant(std::move(type), folded, std::move(lines));
  }
  return make(op, inputs, {}, {}, std::move(lines));
}

NodeRef map(Op op, std::initializer_list<NodeRef> inputs, Lines lines) {
  return map(op, std::span<const NodeRef>(inputs.begin(), inputs.size()), std::move(lines));
}

NodeRef cast(const NodeRef& x, DType to, Lines lines) {
  if (x->dtype() == to) return x;
  if (const Scalar* value = constant_value(*x)) return constant({to, x->shape()}, *value, std::move(lines));
  return make(Op::cast, {&x, 1}, {}, {to, {}}, std::move(lines));
}

NodeRef bitcast(const NodeRef& x, DType to, Lines lines) {
  if (x->dtype() == to) return x;
  if (const Scalar* value = constant_value(*x)) {
    TensorType type = infer(Op::bitcast, {&x, 1}, {}, {to, {}});
    const Scalar folded = evaluate_map(Op::bitcast, to, {value, 1});
    return constant(std::move(type), folded, std::move(lines));
  }
  return make(Op::bitcast, {&x, 1}, {}, {to, {}}, std::move(lines));
}

NodeRef elementwise(Op op, std::span<const NodeRef> inputs, Lines lines) {
  const int arity = info(op).arity;
  if (inputs.size() != static_cast<size_t>(arity)) {
    fail(op, "takes " + std::to_string(arity) + " inputs", std::to_string(inputs.size()));
  }
  const bool choice = op == Op::select;
  DType dtype = inputs[choice ? 1 : 0]->dtype();
  Shape shape = inputs[0]->shape();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0 && inputs[i]->shape() != shape) {
      shape = broadcast_shapes(name(op), shape, inputs[i]->shape());
    }
    if (!choice || i > 0) dtype = promote(dtype, inputs[i]->dtype());
  }
  if (op == Op::abs && dtype == DType::Bool) return inputs[0];
  dtype = computed_dtype(op, dtype);
  NodeRef ready[3];
  for (size_t i = 0; i < inputs.size(); ++i) {
    ready[i] = converted(inputs[i], choice && i == 0 ? DType::Bool : dtype, shape, lines);
  }
  return map(op, {ready, inputs.size()}, std::move(lines));
}

// ---- views

NodeRef broadcast(const NodeRef& x, const Shape& shape, Lines lines) {
  if (x->shape() == shape) return x;
  return view(Op::broadcast, x, {}, {x->dtype(), shape}, std::move(lines));
}

NodeRef permute(const NodeRef& x, const Dims& axes, Lines lines) {
  Dims from_start = axes;
  for (int64_t& axis : from_start) axis = normalize_axis("permute", axis, x->shape().size());
  NodeRef result = view(Op::permute, x, AxesAttr{from_start}, {}, std::move(lines));
  return std::is_sorted(from_start.begin(), from_start.end()) ? x : result;
}

NodeRef slice(const NodeRef& x, const Dims& starts, const Dims& extents, const Dims& steps, Lines lines) {
  SliceAttr range{starts, steps};
  const TensorType stated{x->dtype(), extents};
  infer(Op::slice, {&x, 1}, range, stated);
  // One form for ranges that mean the same: a step over less than two elements does not matter.
  bool whole = extents == x->shape();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0) range.starts[i] = 0;
    if (extents[i] <= 1) range.steps[i] = 1;
    whole = whole && range.starts[i] == 0 && range.steps[i] == 1;
  }
  return whole ? x : view(Op::slice, x, std::move(range), stated, std::move(lines));
}

NodeRef reshape(const NodeRef& x, const Shape& shape, Lines lines) {
  if (x->shape() == shape) return x;
  return view(Op::reshape, x, {}, {x->dtype(), shape}, std::move(lines));
}

NodeRef pad(const NodeRef& x, const NodeRef& fill, const Dims& before, const Dims& after, Lines lines) {
  const NodeRef inputs[] = {x, fill};
  NodeRef result = make(Op::pad, inputs, PadAttr{before, after}, {}, std::move(lines));
  return result->shape() == x->shape() ? x : result;
}

NodeRef concat(std::span<const NodeRef> xs, int64_t axis, Lines lines) {
  if (xs.empty()) fail(Op::concat, "needs at least one input", "none");
  const int64_t from_start = normalize_axis("concat", axis, xs[0]->shape().size());
  if (xs.size() == 1) return xs[0];
  return make(Op::concat, xs, AxisAttr{from_start}, {}, std::move(lines));
}

// ---- reductions

NodeRef reduce(Op op, const NodeRef& x, const Dims& axes, Lines lines) {
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
    return constant(std::move(type), Scalar::of(int64_t{op == Op::prod || op == Op::all}), std::move(lines));
  }
  return NodeRef(new Node(op, std::move(type), Inputs({&x, 1}), std::move(attr), std::move(lines)));
}

// ---- indexed access, updates and products

NodeRef gather(const NodeRef& x, const NodeRef& index, int64_t axis, Lines lines) {
  const NodeRef inputs[] = {x, index};
  const int64_t from_start = normalize_axis("gather", axis, x->shape().size());
  return make(Op::gather, inputs, AxisAttr{from_start}, {}, std::move(lines));
}

NodeRef scatter(Op op, const NodeRef& x, const NodeRef& index, const NodeRef& values, int64_t axis,
                Lines lines) {
  const int64_t from_start = normalize_axis(name(op), axis, x->shape().size());
  check_index_dtype(op, *index);
  const Shape shape = indexed_shape(op, *x, *index, static_cast<size_t>(from_start));
  const NodeRef inputs[] = {x, index, broadcast(values, shape, lines)};
  return make(op, inputs, AxisAttr{from_start}, {}, std::move(lines));
}

NodeRef update(const NodeRef& base, const NodeRef& value, const Dims& starts, const Dims& steps,
               Lines lines) {
  SliceAttr range{starts, steps};
  const NodeRef inputs[] = {base, value};
  infer(Op::update, inputs, range, {});
  if (element_count(value->shape()) == 0) return base;
  bool whole = value->shape() == base->shape();
  for (size_t i = 0; i < starts.size(); ++i) {
    if (value->shape()[i] == 1) range.steps[i] = 1;
    whole = whole && range.starts[i] == 0 && range.steps[i] == 1;
  }
  if (whole) return value;
  return make(Op::update, inputs, std::move(range), {}, std::move(lines));
}

NodeRef dot(const NodeRef& a, const NodeRef& b, Lines lines) {
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
  return make(Op::dot, inputs, {}, {}, std::move(lines));
}

NodeRef with_inputs(const Node& node, std::span<const NodeRef> in) {
  const Lines& lines = node.lines;
  switch (node.op) {
    case Op::cast:
      return cast(in[0], node.dtype(), lines);
    case Op::bitcast:
      return bitcast(in[0], node.dtype(), lines);
    case Op::broadcast:
      return broadcast(in[0], node.shape(), lines);
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
    default:
      return make(node.op, in, node.attr, node.type, lines);
  }
}

}  // namespace weft::ir
