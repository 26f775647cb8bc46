#include "frontend/cpp/weft/create.h"

#include <cmath>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/ops.h"

namespace weft {
namespace {

using detail::Recording;
using ir::NodeRef;
using ir::Op;

Recording recording(std::string_view op, const Make& make, Where at) {
  Recording r(op, at);
  if (!make.device.empty()) r.on(detail::current_session().device(make.device));
  return r;
}

NodeRef number(const Recording& r, const NodeRef& like, const Scalar& value) {
  return ir::constant(like->type, value, r.lines());
}

// iota * step + start in the dtype's own arithmetic; integers and complex numbers by way of i64 and f64.
NodeRef ramp(const Recording& r, const Shape& shape, DType dtype, const Scalar& start, const Scalar& step) {
  const DType by = is_integer(dtype) || dtype == DType::Bool ? DType::I64 : DType::F64;
  NodeRef x = ir::iota({by, shape}, 0, r.lines());
  const Scalar a = start.cast(by), d = step.cast(by);
  // 0 times a step backwards is -0, to which a start of +0 is added.
  const bool steps = !d.same(Scalar::of(int64_t{1}).cast(by)),
             starts = !a.same(Scalar::of(int64_t{0}).cast(by)) || (by == DType::F64 && d.re < 0);
  if (steps && starts && by == DType::F64) {
    // Rounded once whether it is compiled, with contraction, or interpreted.
    x = ir::map(Op::fma, {x, number(r, x, d), number(r, x, a)}, r.lines());
  } else {
    if (steps) x = ir::map(Op::multiply, {x, number(r, x, d)}, r.lines());
    if (starts) x = ir::map(Op::add, {x, number(r, x, a)}, r.lines());
  }
  return ir::cast(x, dtype, r.lines());
}

double real_value(std::string_view op, const Number& n) {
  const Scalar& v = n.value();
  if (is_complex(v.dtype)) throw TypeError(std::string(op) + ": takes real numbers: got a complex one");
  return v.cast(DType::F64).re;
}

bool whole(const Number& n) { return n.kind() != DTypeKind::Float && n.kind() != DTypeKind::Complex; }

// Of 64-bit integers, signed and not.
__extension__ using Wide = __int128;
Wide wide(const Scalar& v) { return v.dtype == DType::U64 ? Wide{static_cast<uint64_t>(v.i)} : Wide{v.i}; }

// Error when the dtype does not hold what `ramp` puts in it.
template <class Got>
void check_ramp(DType dtype, Wide count, const Scalar& start, const Scalar& step, const Got& got) {
  if (dtype == DType::Bool && count > 2) throw TypeError("arange: bool holds two values, 0 and 1" + got());
  if (!is_integer(dtype) || count == 0) return;
  // Starts and steps that are no integers are cut off first.
  const auto whole_part = [](const Scalar& v) {
    return is_float(v.dtype) ? Wide{v.cast(DType::I64).i} : wide(v);
  };
  const Wide last = whole_part(start) + (count - 1) * whole_part(step);
  const bool negative = kind(dtype) == DTypeKind::Signed;
  const Wide limit = Wide{1} << (8 * static_cast<int>(size_of(dtype)) - (negative ? 1 : 0));
  if (!detail::holds(dtype, start) || last < (negative ? -limit : 0) || last >= limit)
    throw OverflowError("arange: the numbers do not fit the dtype " + std::string(name(dtype)) + got());
}

// True at and below the diagonal.
NodeRef below(const Recording& r, int64_t rows, int64_t columns, int64_t offset, Op compare) {
  const Shape shape{rows, columns};
  check_size(r.op(), shape, sizeof(int64_t));
  NodeRef i = ir::iota({DType::I64, shape}, 0, r.lines());
  const NodeRef j = ir::iota({DType::I64, shape}, 1, r.lines());
  if (offset != 0) i = ir::map(Op::add, {i, number(r, i, Scalar::of(offset))}, r.lines());
  return ir::map(compare, {j, i}, r.lines());
}

Array triangle(const char* op, const Operand& x, int64_t offset, Op compare) {
  Recording r(op, x);
  const NodeRef node = r.node(x);
  const size_t rank = node->shape().size();
  if (rank < 2) throw Error(std::string(op) + ": needs at least two axes: got " + to_string(node->shape()));
  const NodeRef keep = ir::broadcast(
      below(r, node->shape()[rank - 2], node->shape()[rank - 1], offset, compare), node->shape(), r.lines());
  return r.finish(ir::map(Op::select, {keep, node, r.like(node, 0)}, r.lines()), 8);
}

}  // namespace

Array from_bytes(const void* data, DType dtype, const Shape& shape, const std::string& device) {
  check_size("from", shape, size_of(dtype));
  detail::DeviceSlot& slot = detail::current_session().device(device);
  const size_t bytes = static_cast<size_t>(element_count(shape)) * size_of(dtype);
  runtime::BufferRef buffer = slot.device->allocate(bytes);
  constexpr size_t kQuick = 64 * 1024;
  std::optional<detail::LongWork> work;
  if (bytes > kQuick || !slot.device->host_visible()) work.emplace();
  if (bytes > 0) slot.device->upload(*buffer, 0, data, bytes);
  work.reset();
  return detail::record(slot, detail::input_node({dtype, shape}, std::move(buffer)), detail::kInMemory);
}

void check_count(size_t count, const Shape& shape) {
  check_size("from", shape, 1);
  if (static_cast<int64_t>(count) != element_count(shape)) {
    throw Error("from: the shape must hold all elements: got " + std::to_string(count) + " elements for " +
                to_string(shape));
  }
}

namespace {

Array filled(std::string_view op, const Shape& shape, const Number& value, const Make& make, Where at) {
  Recording r = recording(op, make, at);
  const DType dtype = make.dtype.value_or(detail::default_dtype(value));
  detail::check_stored(op, dtype, value);
  check_size(op, shape, size_of(dtype));
  return r.finish(r.constant({dtype, shape}, value.value()));
}

}  // namespace

Array full(const Shape& shape, const Number& value, const Make& make, Where at) {
  return filled("full", shape, value, make, at);
}
Array scalar(const Number& value, const Make& make, Where at) {
  return filled("scalar", {}, value, make, at);
}
Array zeros(const Shape& shape, const Make& make, Where at) { return filled("zeros", shape, 0.0, make, at); }
Array ones(const Shape& shape, const Make& make, Where at) { return filled("ones", shape, 1.0, make, at); }
Array empty(const Shape& shape, const Make& make, Where at) { return filled("empty", shape, 0.0, make, at); }

Array full_like(const Array& x, const Number& value, Where at) {
  Recording r("full_like", at);
  r.on(detail::Access::cell(x)->device);
  detail::check_stored("full_like", x.dtype(), value);
  return r.finish(r.constant({x.dtype(), x.shape()}, value.value()));
}
Array zeros_like(const Array& x, Where at) { return full_like(x, 0.0, at); }
Array ones_like(const Array& x, Where at) { return full_like(x, 1.0, at); }

Array arange(const Number& stop, const Make& make, Where at) { return arange(0, stop, 1, make, at); }

Array arange(const Number& start, const Number& stop, const Number& step, const Make& make, Where at) {
  Recording r = recording("arange", make, at);
  const bool integers = whole(start) && whole(stop) && whole(step);
  const double first = real_value("arange", start), last = real_value("arange", stop);
  const double by = real_value("arange", step);
  if (by == 0) throw Error("arange: the step must not be zero: got 0");
  const auto got = [&] {
    return ": got " + ir::to_string(start.value()) + " to " + ir::to_string(stop.value()) + " by " +
           ir::to_string(step.value());
  };
  Wide count = 0;
  if (integers) {
    const Wide a = wide(start.value()), b = wide(stop.value()), d = wide(step.value());
    if (d > 0 ? a < b : a > b) count = ((d > 0 ? b - a - 1 : a - b - 1) / (d > 0 ? d : -d)) + 1;
  } else {
    // A step so long that the quotient is +0 reaches the start alone, as in NumPy.
    const double quotient = (last - first) / by;
    const double extent = quotient == 0 && last != first && !std::signbit(quotient) ? 1 : std::ceil(quotient);
    if (!(extent < 0x1p62)) throw Error("arange: the range must be finite" + got());
    count = extent > 0 ? static_cast<int64_t>(extent) : 0;
  }
  if (count > INT64_MAX) throw Error("arange: too many elements" + got());
  const Wide furthest =
      integers && count > 0 ? wide(start.value()) + (count - 1) * wide(step.value()) : Wide{0};
  const DType dtype = make.dtype.value_or(!integers              ? DType::F64
                                          : furthest > INT64_MAX ? DType::U64
                                                                 : DType::I64);
  check_ramp(dtype, count, start.value(), step.value(), got);
  const Scalar steps = std::isinf(by) ? Scalar::of(1.0) : step.value();  // times 0 it would be NaN
  return r.finish(ramp(r, {static_cast<int64_t>(count)}, dtype, start.value(), steps), 6);
}

Array linspace(const Number& start, const Number& stop, int64_t count, bool endpoint, const Make& make,
               Where at) {
  Recording r = recording("linspace", make, at);
  if (count < 0) throw Error("linspace: the count must not be negative: got " + std::to_string(count));
  const double first = real_value("linspace", start), last = real_value("linspace", stop);
  const int64_t gaps = endpoint ? count - 1 : count;
  const double extent = last - first, step = gaps > 0 ? extent / static_cast<double>(gaps) : 0;
  const DType dtype = make.dtype.value_or(DType::F64);
  NodeRef x;
  if (step == 0 && extent != 0 && gaps > 0) {
    // A step below the least number: the quotient of each position is taken first.
    x = ir::iota({DType::F64, {count}}, 0, r.lines());
    x = ir::map(Op::divide, {x, number(r, x, Scalar::of(static_cast<double>(gaps)))}, r.lines());
    x = ir::map(Op::multiply, {x, number(r, x, Scalar::of(extent))}, r.lines());
    x = ir::map(Op::add, {x, number(r, x, Scalar::of(first))}, r.lines());
  } else {
    x = ramp(r, {count}, is_complex(dtype) ? dtype : DType::F64, Scalar::of(first), Scalar::of(step));
  }
  if (endpoint && count > 1) {
    const NodeRef i = ir::iota({DType::I64, {count}}, 0, r.lines());
    const NodeRef is_last = ir::map(Op::equal, {i, number(r, i, Scalar::of(count - 1))}, r.lines());
    x = ir::map(Op::select, {is_last, number(r, x, Scalar::of(last)), x}, r.lines());
  }
  if (is_integer(dtype)) x = ir::map(Op::floor, {x}, r.lines());
  return r.finish(ir::cast(x, dtype, r.lines()), 12);
}

Array iota(const Shape& shape, int64_t axis, const Make& make, Where at) {
  Recording r = recording("iota", make, at);
  const DType dtype = make.dtype.value_or(DType::I64);
  const bool direct = is_integer(dtype) || is_float(dtype);
  return r.finish(
      ir::cast(ir::iota({direct ? dtype : DType::I64, shape}, axis, r.lines()), dtype, r.lines()));
}

Array eye(int64_t rows, int64_t columns, int64_t offset, const Make& make, Where at) {
  Recording r = recording("eye", make, at);
  const NodeRef mask = below(r, rows, columns < 0 ? rows : columns, offset, Op::equal);
  return r.finish(ir::cast(mask, make.dtype.value_or(DType::F64), r.lines()), 6);
}

Array tri(int64_t rows, int64_t columns, int64_t offset, const Make& make, Where at) {
  Recording r = recording("tri", make, at);
  const NodeRef mask = below(r, rows, columns < 0 ? rows : columns, offset, Op::less_equal);
  return r.finish(ir::cast(mask, make.dtype.value_or(DType::F64), r.lines()), 6);
}

Array tril(const Operand& x, int64_t offset) { return triangle("tril", x, offset, Op::less_equal); }
Array triu(const Operand& x, int64_t offset) { return triangle("triu", x, offset - 1, Op::greater); }

}  // namespace weft
