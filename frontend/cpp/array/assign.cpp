// Writes: the value, in the array's dtype and shape, goes back through the view's steps and replaces the
// cell's node.
#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/array/small.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/flush.h"
#include "frontend/cpp/evaluate/turns.h"
#include "frontend/cpp/record/record.h"

namespace weft {
namespace {

using detail::Access;
using detail::Recording;
using ir::NodeRef;

// A temporary array is written through as a view of another.
void check_seen(std::string_view op, const Array& temporary) {
  if (Access::cell(temporary)->count.now() > 1) return;
  throw Error(
      std::string(op) +
      ": nobody would see what is written to a temporary array that is no view of another: got one of "
      "shape " +
      to_string(temporary.shape()) + "; give it a name, or write to a view, as x(…) is");
}

// Computes in place: f gives the array's new value; the function that it gets gives the current one, which
// few look at.
template <class F>
void write(Recording& r, const Array& x, F&& f) {
  const detail::View* view = Access::view(x).get();
  detail::Cell& cell = *Access::cell(x);
  const ir::Lines& lines = r.lines();
  if (may_write_small(cell, view, r)) {
    if (write_small(cell, *view, f([&] { return detail::read(x, lines); }))) {
      detail::note_write(lines.only());
      return;
    }
  }
  cell.modify(r.count(3 * static_cast<uint32_t>(detail::steps(view)) + 3), [&](const NodeRef& held) {
    return detail::put(view, held, f([&] { return detail::apply(view, held, lines); }), lines);
  });
  const auto bytes = element_count(cell.type.shape) * static_cast<int64_t>(size_of(cell.type.dtype));
  if (bytes >= detail::kWorthWritingInPlace) cell.device.pending_writes.add(cell);
  detail::flush_if_due(cell, r.oldest(), lines, true);
}

void check_device(const Recording& r, const Array& x) {
  detail::DeviceSlot& here = Access::cell(x)->device;
  if (&r.device() != &here) {
    throw Error(std::string(r.op()) + ": arrays must be on one device: got " + here.name + " and " +
                r.device().name);
  }
}

}  // namespace

void detail::check_writable(std::string_view op, const Array& x) {
  if (!x.writable()) {
    throw Error(
        std::string(op) + ": cannot write to a read-only view: got one of shape " + to_string(x.shape()) +
        ", made by broadcasting, as one element, or as the imaginary part of real numbers, or made so: "
        "assignment destination is read-only");
  }
}

bool detail::is_same_kind(DType from, DType to) {
  const auto rank = [](DType t) {
    switch (kind(t)) {
      case DTypeKind::Bool:
        return 0;
      case DTypeKind::Unsigned:
        return 1;
      case DTypeKind::Signed:
        return 2;
      case DTypeKind::Float:
        return 3;
      case DTypeKind::Complex:
        return 4;
    }
    return 4;
  };
  return rank(from) <= rank(to);
}

void detail::check_same_kind(std::string_view op, DType to, DType from) {
  if (is_same_kind(from, to)) return;
  throw TypeError(std::string(op) + ": the result cannot be stored in place as " + std::string(name(to)) +
                  ": got " + std::string(name(from)));
}

void detail::in_place(ir::Op op, const Array& x, const Operand& value) {
  Recording r(ir::name(op), value, Recording::Result::Write);
  check_writable(r.op(), x);
  if (may_overlap(Access::view(x).get())) {
    throw Error(std::string(r.op()) +
                ": cannot compute in place where elements are shown twice: got a view of shape " +
                to_string(x.shape()) + ": give a copy, or assign to it, where the last one stays");
  }
  const DType dtype = x.dtype();
  NodeRef other;
  if (value.array()) {
    // Read before the cell is locked: it may be a view of the same cell.
    other = r.node(*value.array());
    check_device(r, x);
  } else {
    other = ir::constant({detail::weak_dtype(r.op(), dtype, value.number()), {}}, value.number().value(),
                         r.lines());
  }
  if (op == ir::Op::pow) detail::check_power(dtype, value, other->dtype());
  write(r, x, [&](const auto& current) {
    const NodeRef now = current();
    const NodeRef in[] = {now, other};
    const NodeRef result = ir::elementwise(op, in, r.lines());
    check_same_kind(r.op(), dtype, result->dtype());
    if (result->shape() != now->shape()) {
      throw Error(std::string(r.op()) + ": the result cannot be stored in place in shape " +
                  to_string(now->shape()) + ": got " + to_string(result->shape()));
    }
    return ir::cast(result, dtype, r.lines());
  });
}

void Array::assign(const Operand& value) & {
  Recording r("assign", value, Recording::Result::Write);
  detail::check_writable("assign", *this);
  // Python's `x[k] += y` ends in one, of what was computed in place.
  if (value.array() && detail::same_elements(*this, *value.array())) return;
  NodeRef node;
  if (value.array()) {
    node = r.node(*value.array());
    check_device(r, *this);
  } else {
    node = ir::constant({detail::default_dtype(value.number()), {}}, value.number().value(), r.lines());
  }
  detail::check_stored("assign", dtype(), value);
  // Integers that have a dtype wrap around in unsigned arrays alone, as NumPy's do.
  if (!value.array() && kind(dtype()) == DTypeKind::Signed) {
    detail::check_held("assign", dtype(), value.number().value());
  }
  // Leading axes of extent 1 that the target lacks do not matter, as in NumPy.
  Shape from = node->shape();
  while (from.size() > ndim() && from[0] == 1) from.erase(0);
  node = ir::cast(ir::reshape(node, from, r.lines()), dtype(), r.lines());
  if (from != shape()) {
    bool fits = from.size() <= ndim();
    for (size_t i = 0; fits && i < from.size(); ++i) {
      fits = from[i] == 1 || from[i] == shape()[ndim() - from.size() + i];
    }
    if (!fits) {
      throw Error("assign: the value does not broadcast to shape " + to_string(shape()) + ": got " +
                  to_string(node->shape()));
    }
    node = ir::broadcast(node, shape(), r.lines());
  }
  if (write_moved(*Access::cell(*this), Access::view(*this).get(), node)) {
    detail::note_write(r.lines().only());
    return;
  }
  write(r, *this, [&](const auto&) { return node; });
}

void Array::assign(const Operand& value) && {
  check_seen("assign", *this);
  assign(value);
}

void Array::operator=(const Operand& value) && {
  check_seen("assign", *this);
  assign(value);
}

#define WEFT_IN_PLACE(symbol, function)                   \
  Array& Array::operator symbol(const Operand & value)& { \
    detail::in_place(ir::Op::function, *this, value);     \
    return *this;                                         \
  }                                                       \
  Array Array::operator symbol(const Operand & value)&& { \
    check_seen(#function, *this);                         \
    detail::in_place(ir::Op::function, *this, value);     \
    return *this;                                         \
  }
WEFT_IN_PLACE(+=, add)
WEFT_IN_PLACE(-=, subtract)
WEFT_IN_PLACE(*=, multiply)
WEFT_IN_PLACE(/=, divide)
WEFT_IN_PLACE(%=, remainder)
WEFT_IN_PLACE(&=, bitwise_and)
WEFT_IN_PLACE(|=, bitwise_or)
WEFT_IN_PLACE(^=, bitwise_xor)
WEFT_IN_PLACE(<<=, bitwise_left_shift)
WEFT_IN_PLACE(>>=, bitwise_right_shift)
#undef WEFT_IN_PLACE

}  // namespace weft
