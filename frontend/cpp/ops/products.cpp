#include "frontend/cpp/weft/products.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/strided.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/turns.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/weft/ops.h"

namespace weft {
namespace {

using detail::Recording;
using ir::NodeRef;
using ir::Op;

Shape with(const Shape& shape, size_t at, int64_t extent) {
  Shape result = shape;
  result.insert(at, extent);
  return result;
}

NodeRef broadcast_batch(const NodeRef& x, const Shape& batch, const ir::Lines& lines) {
  Shape shape = batch;
  shape.push_back(x->shape()[x->shape().size() - 2]);
  shape.push_back(x->shape().back());
  return ir::broadcast(x, shape, lines);
}

// (…, m, k) by (…, k, n) where no library multiplies the dtype: every product, summed over k.
NodeRef composed(const NodeRef& a, const NodeRef& b, const ir::Lines& lines) {
  const size_t rank = a->shape().size();
  Shape full = a->shape();
  full.push_back(b->shape().back());
  const NodeRef left = ir::broadcast(ir::reshape(a, with(a->shape(), rank, 1), lines), full, lines);
  const NodeRef right = ir::broadcast(ir::reshape(b, with(b->shape(), rank - 2, 1), lines), full, lines);
  const Op sum = a->dtype() == DType::Bool ? Op::any : Op::sum;
  return ir::reduce(sum, ir::map(Op::multiply, {left, right}, lines), {static_cast<int64_t>(rank) - 1},
                    lines);
}

NodeRef product(Recording& r, NodeRef a, NodeRef b) {
  const ir::Lines& lines = r.lines();
  const Shape left = a->shape(), right = b->shape();
  const bool row = left.size() == 1, column = right.size() == 1;
  const auto refuse = [&](const char* rule) {
    throw Error(std::string(r.op()) + ": " + rule + ": got " + to_string(left) + " and " + to_string(right));
  };
  if (left.empty() || right.empty()) refuse("needs at least one axis");
  if (left.back() != right[column ? 0 : right.size() - 2]) refuse("inner extents differ");
  if (row) a = ir::reshape(a, with(left, 0, 1), lines);
  if (column) b = ir::reshape(b, with(right, 1, 1), lines);
  const auto batch_of = [](const NodeRef& x) {
    return Shape(std::span(x->shape().begin(), x->shape().end() - 2));
  };
  Shape batch;
  try {
    batch = broadcast_shapes(r.op(), batch_of(a), batch_of(b));
  } catch (const Error&) {
    refuse("the axes before the last two do not broadcast");
  }
  a = broadcast_batch(a, batch, lines);
  b = broadcast_batch(b, batch, lines);
  const DType dtype = a->dtype();
  NodeRef result;
  detail::note_product();
  if (!is_float(dtype) && !is_complex(dtype)) {
    result = composed(a, b, lines);
  } else if (!r.device().device->supports_dot(dtype)) {
    // Halves: accumulated in f32, rounded once.
    result = ir::cast(ir::dot(ir::cast(a, DType::F32, lines), ir::cast(b, DType::F32, lines), lines), dtype,
                      lines);
  } else {
    result = ir::dot(a, b, lines);
  }
  if (row || column) {
    Shape shape = result->shape();
    if (column) shape.erase(shape.size() - 1);
    if (row) shape.erase(shape.size() - 1 - (column ? 0 : 1));
    result = ir::reshape(result, shape, lines);
  }
  return result;
}

// Both operands as nodes of their common dtype.
struct Pair {
  NodeRef a, b;
  Pair(Recording& r, const Operand& x, const Operand& y) {
    const Operand* const operands[] = {&x, &y};
    NodeRef in[2];
    r.nodes(operands, in);
    const DType dtype = promote(in[0]->dtype(), in[1]->dtype());
    a = ir::cast(in[0], dtype, r.lines());
    b = ir::cast(in[1], dtype, r.lines());
  }
};

// The axes of `x` that are summed moved to its end or its start, and both parts flat: a matrix.
NodeRef flattened(Recording& r, const NodeRef& x, const Dims& summed, bool last, Shape& free_shape) {
  Dims free_axes, order;
  int64_t inner = 1, outer = 1;
  for (size_t i = 0; i < x->shape().size(); ++i) {
    if (std::find(summed.begin(), summed.end(), static_cast<int64_t>(i)) != summed.end()) continue;
    free_axes.push_back(static_cast<int64_t>(i));
    free_shape.push_back(x->shape()[i]);
    outer *= x->shape()[i];
  }
  for (int64_t axis : summed) inner *= x->shape()[static_cast<size_t>(axis)];
  for (int64_t axis : last ? free_axes : summed) order.push_back(axis);
  for (int64_t axis : last ? summed : free_axes) order.push_back(axis);
  const NodeRef moved = ir::permute(x, order, r.lines());
  return ir::reshape(moved, last ? Shape{outer, inner} : Shape{inner, outer}, r.lines());
}

Array summed_product(Recording& r, const Pair& p, const Dims& a_axes, const Dims& b_axes) {
  const auto normalized = [&](const Dims& axes, size_t rank) {
    Dims result = axes;
    for (int64_t& axis : result) axis = normalize_axis(r.op(), axis, rank);
    Dims sorted = result;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      throw Error(std::string(r.op()) + ": axes must be different: got " + to_string(axes));
    }
    return result;
  };
  const Dims left = normalized(a_axes, p.a->shape().size()), right = normalized(b_axes, p.b->shape().size());
  bool fits = left.size() == right.size();
  for (size_t i = 0; fits && i < left.size(); ++i) {
    fits = p.a->shape()[static_cast<size_t>(left[i])] == p.b->shape()[static_cast<size_t>(right[i])];
  }
  if (!fits) {
    throw Error(std::string(r.op()) + ": summed extents differ: got " + to_string(p.a->shape()) + " and " +
                to_string(p.b->shape()) + " over axes " + to_string(a_axes) + " and " + to_string(b_axes));
  }
  Shape shape;
  const NodeRef a = flattened(r, p.a, left, true, shape);
  const NodeRef b = flattened(r, p.b, right, false, shape);
  return r.finish(ir::reshape(product(r, a, b), shape, r.lines()), 10);
}

// A vector in host memory, which stays as it is while this lives.
struct VectorInMemory {
  ir::NodeRef held;
  runtime::BufferRef buffer;
  const std::byte* first = nullptr;
  int64_t stride = 1;
};

std::optional<VectorInMemory> vector_in_memory(const Array& x) {
  const detail::Cell& cell = *detail::Access::cell(x);
  const detail::View* view = detail::Access::view(x).get();
  VectorInMemory v{cell.memory(), {}};
  if (v.held->op != Op::input || !v.held->as<ir::InputAttr>().strides.empty()) return {};
  if (view && view->type.dtype != cell.type.dtype) return {};
  v.buffer = detail::buffer_of(*v.held);
  if (!v.buffer) return {};
  v.buffer->complete();
  const int64_t offset = view ? view->offset : 0;
  v.first =
      static_cast<const std::byte*>(v.buffer->data()) + offset * static_cast<int64_t>(size_of(x.dtype()));
  if (view) v.stride = view->strides[0];
  return v;
}

// Libraries take steps forward alone.
std::vector<std::byte> in_a_row(VectorInMemory& v, int64_t extent, size_t item) {
  std::vector<std::byte> elements(static_cast<size_t>(extent) * item);
  detail::gather({{extent}, {v.stride}, 0, static_cast<int64_t>(item)}, v.first, elements.data());
  v.first = elements.data(), v.stride = 1;
  return elements;
}

// The product of two vectors that lie in host memory, computed as it is recorded, by the call that a program would
// make: a loop over the rows of a matrix then has numbers, and no program for each length. None where one of them is
// still to be computed, or where the work is no small one.
std::optional<Array> inner_product_now(const Operand& a, const Operand& b) {
  constexpr int64_t kMostTerms = 1 << 14;
  if (!a.array() || !b.array() || a.array()->ndim() != 1 || b.array()->ndim() != 1) return {};
  const Array &x = *a.array(), &y = *b.array();
  const DType dtype = x.dtype();
  const int64_t terms = x.shape()[0];
  detail::DeviceSlot& slot = detail::Access::cell(x)->device;
  runtime::Device& device = *slot.device;
  if (y.dtype() != dtype || y.shape()[0] != terms || terms >= kMostTerms) return {};
  if (&detail::Access::cell(y)->device != &slot || !device.host_visible() || !device.supports_dot(dtype))
    return {};
  if (detail::records_cells() || detail::keeps_past()) return {};
  const auto known = [&](const Scalar& value) {
    return detail::record(slot, ir::constant({dtype, {}}, value), detail::kInMemory);
  };
  if (terms == 0) return known(Scalar::of(0.0).cast(dtype));
  const std::shared_lock lock(slot.in_place, std::try_to_lock);
  if (!lock) return {};
  std::optional<VectorInMemory> left = vector_in_memory(x), right = vector_in_memory(y);
  if (!left || !right) return {};
  std::vector<std::byte> left_row, right_row;
  if (left->stride < 1) left_row = in_a_row(*left, terms, size_of(dtype));
  if (right->stride < 1) right_row = in_a_row(*right, terms, size_of(dtype));
  Dot what{.dtype = dtype, .m = 1, .n = 1, .k = terms, .transpose_a = left->stride != 1};
  what.lda = what.transpose_a ? left->stride : terms;
  what.ldb = terms == 1 ? 1 : right->stride;
  what.ldc = 1;
  alignas(16) std::array<std::byte, 16> out;
  device.dot(what, out.data(), left->first, right->first);
  return known(Scalar::load(dtype, out.data()));
}

}  // namespace

Array matmul(const Operand& a, const Operand& b) {
  if (std::optional<Array> now = inner_product_now(a, b)) return *std::move(now);
  Recording r("matmul", a);
  Pair p(r, a, b);
  return r.finish(product(r, p.a, p.b), 10);
}

Array dot(const Operand& a, const Operand& b) {
  if (std::optional<Array> now = inner_product_now(a, b)) return *std::move(now);
  Recording r("dot", a);
  Pair p(r, a, b);
  const size_t left = p.a->shape().size(), right = p.b->shape().size();
  if (left == 0 || right == 0 || !a.array() || !b.array()) return multiply(a, b);
  if (left <= 2 && right <= 2) return r.finish(product(r, p.a, p.b), 10);
  return summed_product(r, p, {-1}, {right == 1 ? -1 : -2});
}

Array tensordot(const Operand& a, const Operand& b, int64_t count) {
  Recording r("tensordot", a);
  Pair p(r, a, b);
  const auto rank = static_cast<int64_t>(p.a->shape().size());
  if (count < 0 || count > rank || count > static_cast<int64_t>(p.b->shape().size())) {
    throw Error("tensordot: cannot sum over " + std::to_string(count) + " axes: got " +
                to_string(p.a->shape()) + " and " + to_string(p.b->shape()));
  }
  Dims a_axes, b_axes;
  for (int64_t i = 0; i < count; ++i) {
    a_axes.push_back(rank - count + i);
    b_axes.push_back(i);
  }
  return summed_product(r, p, a_axes, b_axes);
}

Array tensordot(const Operand& a, const Operand& b, const Dims& a_axes, const Dims& b_axes) {
  Recording r("tensordot", a);
  Pair p(r, a, b);
  return summed_product(r, p, a_axes, b_axes);
}

Array outer(const Operand& a, const Operand& b) {
  Recording r("outer", a);
  Pair p(r, a, b);
  const int64_t rows = element_count(p.a->shape()), columns = element_count(p.b->shape());
  const NodeRef in[] = {ir::reshape(p.a, {rows, 1}, r.lines()), ir::reshape(p.b, {1, columns}, r.lines())};
  return r.finish(ir::elementwise(Op::multiply, in, r.lines()), 5);
}

Array vecdot(const Operand& a, const Operand& b, int64_t axis) {
  Recording r("vecdot", a);
  Pair p(r, a, b);
  const size_t shortest = std::min(p.a->shape().size(), p.b->shape().size());
  const int64_t at = normalize_axis("vecdot", axis, shortest);
  const auto extent = [&](const NodeRef& x) {
    return x->shape()[x->shape().size() - shortest + static_cast<size_t>(at)];
  };
  if (extent(p.a) != extent(p.b)) {
    throw Error("vecdot: summed extents differ: got " + to_string(p.a->shape()) + " and " +
                to_string(p.b->shape()) + " along axis " + std::to_string(axis));
  }
  const NodeRef in[] = {is_complex(p.a->dtype()) ? ir::map(Op::conj, {p.a}, r.lines()) : p.a, p.b};
  const NodeRef terms = ir::elementwise(Op::multiply, in, r.lines());
  const Op sum = terms->dtype() == DType::Bool ? Op::any : Op::sum;
  const auto rank = static_cast<int64_t>(terms->shape().size());
  return r.finish(ir::reduce(sum, terms, {rank - static_cast<int64_t>(shortest) + at}, r.lines()), 6);
}

}  // namespace weft
