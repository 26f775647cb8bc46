#include "compiler/ir/infer.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/function.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/user_kernel.h"

namespace weft::ir {
namespace {

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
    fail<AxisError>(op, "axis out of range for rank " + std::to_string(rank), std::to_string(axis));
  }
  return axis;
}

TensorType checked(Op op, DType dtype, Shape shape) {
  check_size(name(op), shape, size_of(dtype));
  return {dtype, std::move(shape)};
}

// The elements of an input lie from index 0 on in memory of at most the size that check_size() allows. An
// axis of no elements counts as one of one, so that no address that is computed from it overflows either.
void check_layout(const InputAttr& a, const TensorType& type) {
  if (a.strides.empty()) {
    if (a.offset != 0) fail(Op::input, "an offset needs strides", "offset " + std::to_string(a.offset));
    return;
  }
  check_attr_rank(Op::input, "strides", a.strides, type.shape.size());
  const auto got = [&] {
    return "strides " + to_string(a.strides) + " and offset " + std::to_string(a.offset) + " for the shape " +
           to_string(type.shape);
  };
  int64_t lowest = a.offset, highest = a.offset;
  bool overflow = false;
  for (size_t k = 0; k < type.shape.size(); ++k) {
    int64_t reach = 0;
    overflow |= __builtin_mul_overflow(std::max<int64_t>(type.shape[k] - 1, 0), a.strides[k], &reach);
    int64_t& end = reach < 0 ? lowest : highest;
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  if (!overflow && lowest < 0)
    fail(Op::input, "no element may lie before index 0 of the memory",
         got() + ", which reach index " + std::to_string(lowest));
  int64_t bytes = 0;
  overflow |= highest == INT64_MAX ||
              __builtin_mul_overflow(highest + 1, static_cast<int64_t>(size_of(type.dtype)), &bytes);
  if (overflow || bytes > kMaxBytes) fail(Op::input, "the elements lie too far apart", got());
}

// ---- inference, one function for each family

TensorType infer_source(Op op, const Attr& attr, const TensorType& stated) {
  switch (op) {
    case Op::input:
      check_size(name(op), stated.shape, size_of(stated.dtype));
      check_layout(attribute<InputAttr>(op, attr), stated);
      break;
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
  const DType to = result_of(op, first.dtype(), stated.dtype);
  if (op == Op::bitcast && (size_of(to) != size_of(first.dtype()) || to == DType::Bool)) {
    fail<TypeError>(op, "dtypes must have the same size and the result must not be bool",
                    text(first.dtype()) + " to " + text(to));
  }
  if (size_of(to) > size_of(first.dtype())) check_size(name(op), first.shape(), size_of(to));
  return {to, first.shape()};
}

TensorType infer_apply(std::span<const NodeRef> inputs, const ApplyAttr& attr) {
  if (!attr.function) throw InternalError("apply: has no function");
  const Function& f = *attr.function;
  if (inputs.size() != f.block.params.size())
    fail(Op::apply, f.name + " takes " + std::to_string(f.block.params.size()) + " operands",
         std::to_string(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->shape() != inputs[0]->shape()) fail(Op::apply, "shapes differ", shapes(inputs));
    if (inputs[i]->dtype() != f.argument(i))
      fail<TypeError>(Op::apply,
                      f.name + " takes " + text(f.argument(i)) + " as operand " + std::to_string(i),
                      text(inputs[i]->dtype()));
  }
  if (attr.result < 0 || attr.result >= static_cast<int64_t>(f.block.gives.size()))
    fail(Op::apply, f.name + " has " + std::to_string(f.block.gives.size()) + " results",
         "result " + std::to_string(attr.result));
  const DType to = f.result(static_cast<size_t>(attr.result));
  check_size(name(Op::apply), inputs[0]->shape(), size_of(to));
  return {to, inputs[0]->shape()};
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
  if (reduced == 0 && !info(op).of_nothing) {
    fail(op, "nothing to reduce and no identity", to_string(x.shape()) + " over axes " + to_string(axes));
  }
  return checked(op, result_of(op, x.dtype(), {}), shape);
}

TensorType infer_scan(Op op, const Node& x, const Attr& attr) {
  check_accepts(op, x.dtype());
  stored_axis(op, attribute<AxisAttr>(op, attr).axis, x.shape().size());
  return x.type;
}

}  // namespace

Shape indexed_shape(Op op, const Node& x, const Node& index, size_t axis) {
  if (index.dtype() != DType::I64) fail<TypeError>(op, "the index must be i64", text(index.dtype()));
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

namespace {

TensorType infer_gather(const Node& x, const Node& index, const Attr& attr) {
  const int64_t axis = attribute<AxisAttr>(Op::gather, attr).axis;
  stored_axis(Op::gather, axis, x.shape().size());
  return checked(Op::gather, x.dtype(), indexed_shape(Op::gather, x, index, static_cast<size_t>(axis)));
}

TensorType infer_scatter(Op op, std::span<const NodeRef> inputs, const Attr& attr) {
  const Node &x = *inputs[0], &index = *inputs[1], &values = *inputs[2];
  check_accepts(op, x.dtype());
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
  const auto got = [&] { return to_string(a.shape()) + " and " + to_string(b.shape()); };
  if (a.dtype() != b.dtype()) {
    fail<TypeError>(Op::dot, "dtypes differ", text(a.dtype()) + " and " + text(b.dtype()));
  }
  check_accepts(Op::dot, a.dtype());
  const size_t rank = a.shape().size();
  if (rank < 2 || b.shape().size() < 2) fail(Op::dot, "needs at least two axes", got());
  if (rank != b.shape().size() || !std::equal(a.shape().begin(), a.shape().end() - 2, b.shape().begin())) {
    fail(Op::dot, "batch extents differ", got());
  }
  if (a.shape()[rank - 1] != b.shape()[rank - 2]) fail(Op::dot, "inner extents differ", got());
  Shape shape = a.shape();
  shape[rank - 1] = b.shape()[rank - 1];
  return checked(Op::dot, a.dtype(), shape);
}

TensorType infer_loop(Op op, std::span<const NodeRef> inputs, const LoopAttr& attr) {
  if (!attr.loop || attr.loop->op != op)
    throw InternalError(std::string(name(op)) + ": the loop is of another op");
  const Loop& loop = *attr.loop;
  if (inputs.size() != loop.operands.size())
    fail(op, "takes " + std::to_string(loop.operands.size()) + " operands", std::to_string(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]->type != loop.operands[i])
      fail(op,
           "its bodies take " + text(loop.operands[i].dtype) + to_string(loop.operands[i].shape) +
               " as operand " + std::to_string(i),
           text(inputs[i]->dtype()) + to_string(inputs[i]->shape()));
  if (attr.result < 0 || attr.result >= static_cast<int64_t>(loop.results.size()))
    fail(op, "has " + std::to_string(loop.results.size()) + " results",
         "result " + std::to_string(attr.result));
  return loop.results[static_cast<size_t>(attr.result)];
}

TensorType infer_kernel(std::span<const NodeRef> inputs, const KernelAttr& attr) {
  const UserKernel& kernel = *attr.kernel;
  const bool fits = std::ranges::equal(
      inputs, kernel.operands, [](const NodeRef& in, const TensorType& type) { return in->type == type; });
  if (!fits || attr.result < 0 || std::cmp_greater_equal(attr.result, kernel.results.size()))
    throw InternalError("kernel: " + kernel.title + " is of other operands or results");
  return kernel.results[static_cast<size_t>(attr.result)];
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
      return op == Op::apply ? infer_apply(inputs, attribute<ApplyAttr>(op, attr))
                             : infer_map(op, inputs, stated);
    case OpKind::Reduce:
      return infer_reduce(op, *inputs[0], attr);
    case OpKind::Scan:
      return infer_scan(op, *inputs[0], attr);
    case OpKind::Gather:
      return infer_gather(*inputs[0], *inputs[1], attr);
    case OpKind::Scatter:
      return infer_scatter(op, inputs, attr);
    case OpKind::Update:
      return infer_update(*inputs[0], *inputs[1], attr);
    case OpKind::Dot:
      return infer_dot(*inputs[0], *inputs[1]);
    case OpKind::Loop:
      return infer_loop(op, inputs, attribute<LoopAttr>(op, attr));
    case OpKind::Kernel:
      return infer_kernel(inputs, attribute<KernelAttr>(op, attr));
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

}  // namespace weft::ir
