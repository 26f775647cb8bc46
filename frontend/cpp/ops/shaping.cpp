// New arrays from the elements of others: joined, repeated, padded, picked.
#include "frontend/cpp/weft/shaping.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/small.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/weft/ops.h"

namespace weft {
namespace {

using detail::Recording;
using ir::NodeRef;

// `extent` elements of an axis from `start`.
NodeRef part(const Recording& r, const NodeRef& x, size_t axis, int64_t start, int64_t extent) {
  Dims starts(x->shape().size(), 0);
  Shape extents = x->shape();
  starts[axis] = start;
  extents[axis] = extent;
  return ir::slice(x, starts, extents, Dims(x->shape().size(), 1), r.lines());
}

std::vector<NodeRef> promoted(Recording& r, std::span<const Array> xs) {
  if (xs.empty()) throw Error(std::string(r.op()) + ": needs at least one array: got none");
  std::vector<NodeRef> nodes;
  DType dtype = xs[0].dtype();
  for (const Array& x : xs) dtype = promote(dtype, x.dtype());
  for (const Array& x : xs) nodes.push_back(ir::cast(r.node(x), dtype, r.lines()));
  return nodes;
}

NodeRef index_node(Recording& r, const Array& index, const Array& x, int64_t axis) {
  if (!is_integer(index.dtype())) {
    throw TypeError(std::string(r.op()) + ": the index must be of an integer dtype: got " +
                    std::string(name(index.dtype())));
  }
  const auto along = static_cast<size_t>(normalize_axis(r.op(), axis, x.ndim()));
  detail::check_resident_index(r.op(), index, along, x.shape()[along]);
  return ir::cast(r.node(index), DType::I64, r.lines());
}

NodeRef flat(const Recording& r, const NodeRef& x) {
  return ir::reshape(x, {element_count(x->shape())}, r.lines());
}

}  // namespace

Array roll(const Array& x, int64_t shift, std::optional<int64_t> axis, Where at) {
  Recording r("roll", at);
  NodeRef node = r.node(x);
  const size_t along = axis ? static_cast<size_t>(normalize_axis("roll", *axis, x.ndim())) : 0;
  if (!axis) node = flat(r, node);
  const int64_t extent = node->shape()[along];
  if (extent > 1) {
    const int64_t by = ((shift % extent) + extent) % extent;
    if (by != 0) {
      const NodeRef parts[] = {part(r, node, along, extent - by, by), part(r, node, along, 0, extent - by)};
      node = ir::concat(parts, static_cast<int64_t>(along), r.lines());
    }
  }
  return r.finish(ir::reshape(node, x.shape(), r.lines()), 5);
}

Array tile(const Array& x, const Dims& repetitions, Where at) {
  Recording r("tile", at);
  const NodeRef node = r.node(x);
  const size_t rank = std::max(x.ndim(), repetitions.size());
  Shape split, full, result;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = i + x.ndim() < rank ? 1 : x.shape()[i + x.ndim() - rank];
    const int64_t times = i + repetitions.size() < rank ? 1 : repetitions[i + repetitions.size() - rank];
    if (times < 0) throw Error("tile: repetitions must not be negative: got " + to_string(repetitions));
    int64_t product = 0;
    if (__builtin_mul_overflow(extent, times, &product)) {
      throw Error("tile: too many elements: got " + to_string(repetitions));
    }
    split.push_back(1), split.push_back(extent);
    full.push_back(times), full.push_back(extent);
    result.push_back(product);
  }
  check_size("tile", result, x.itemsize());
  const NodeRef spread = ir::broadcast(ir::reshape(node, split, r.lines()), full, r.lines());
  return r.finish(ir::reshape(spread, result, r.lines()), 4);
}

Array repeat(const Array& x, int64_t count, std::optional<int64_t> axis, Where at) {
  Recording r("repeat", at);
  if (count < 0) throw Error("repeat: the count must not be negative: got " + std::to_string(count));
  const NodeRef node = axis ? r.node(x) : flat(r, r.node(x));
  const size_t along = axis ? static_cast<size_t>(normalize_axis("repeat", *axis, x.ndim())) : 0;
  Shape split = node->shape(), full, result = node->shape();
  if (__builtin_mul_overflow(result[along], count, &result[along])) {
    throw Error("repeat: too many elements: got " + std::to_string(count));
  }
  check_size("repeat", result, x.itemsize());
  split.insert(along + 1, 1);
  full = split;
  full[along + 1] = count;
  const NodeRef spread = ir::broadcast(ir::reshape(node, split, r.lines()), full, r.lines());
  return r.finish(ir::reshape(spread, result, r.lines()), 4);
}

Array concat(std::span<const Array> xs, int64_t axis, Where at) {
  Recording r("concat", at);
  const std::vector<NodeRef> nodes = promoted(r, xs);
  return r.finish(ir::concat(nodes, axis, r.lines()), static_cast<uint32_t>(xs.size()) + 1);
}

Array stack(std::span<const Array> xs, int64_t axis, Where at) {
  Recording r("stack", at);
  std::vector<NodeRef> nodes = promoted(r, xs);
  const int64_t along = normalize_axis("stack", axis, nodes[0]->shape().size() + 1);
  for (NodeRef& node : nodes) {
    if (node->shape() != xs[0].shape()) {
      throw Error("stack: shapes differ: got " + to_string(xs[0].shape()) + " and " +
                  to_string(node->shape()));
    }
    Shape shape = node->shape();
    shape.insert(static_cast<size_t>(along), 1);
    node = ir::reshape(node, shape, r.lines());
  }
  return r.finish(ir::concat(nodes, along, r.lines()), 2 * static_cast<uint32_t>(xs.size()) + 1);
}

Array pad(const Array& x, const std::vector<std::pair<int64_t, int64_t>>& widths, const Number& value,
          Where at) {
  Recording r("pad", at);
  const NodeRef node = r.node(x);
  if (widths.size() != x.ndim()) {
    throw Error("pad: takes widths for each of " + std::to_string(x.ndim()) + " axes: got " +
                std::to_string(widths.size()));
  }
  Dims before, after;
  for (const auto& [first, last] : widths) {
    before.push_back(first);
    after.push_back(last);
  }
  detail::check_stored("pad", x.dtype(), value);
  const NodeRef fill = ir::constant({x.dtype(), {}}, value.value(), r.lines());
  return r.finish(ir::pad(node, fill, before, after, r.lines()), 2);
}

Array take(const Array& x, const Array& index, int64_t axis, Where at) {
  Recording r("take", at);
  const NodeRef node = r.node(x), positions = index_node(r, index, x, axis);
  const auto along = static_cast<size_t>(normalize_axis("take", axis, x.ndim()));
  Shape flat_shape(x.ndim(), 1), result;
  flat_shape[along] = index.size();
  for (size_t i = 0; i < x.ndim(); ++i) {
    if (i != along) {
      result.push_back(x.shape()[i]);
      continue;
    }
    for (int64_t extent : index.shape()) result.push_back(extent);
  }
  const NodeRef picked =
      ir::gather(node, ir::reshape(positions, flat_shape, r.lines()), static_cast<int64_t>(along), r.lines());
  return r.finish(ir::reshape(picked, result, r.lines()), 4);
}

Array take_along_axis(const Array& x, const Array& index, int64_t axis, Where at) {
  Recording r("take_along_axis", at);
  const NodeRef node = r.node(x), positions = index_node(r, index, x, axis);
  return detail::named(r.op(), [&] { return r.finish(ir::gather(node, positions, axis, r.lines()), 2); });
}

namespace {

// Whether the positions are whole rows: those of one axis, the first.
bool is_index_of_rows(const Array& x, const Array& index, int64_t axis) {
  return axis == 0 && x.ndim() > 0 && index.ndim() == x.ndim() && is_integer(index.dtype()) &&
         index.size() > 0 && index.size() == index.shape()[0];
}

void scatter_along_axis(const char* op, ir::Op how, const Array& x, const Array& index, const Operand& values,
                        int64_t axis) {
  if (is_index_of_rows(x, index, axis)) {
    detail::check_resident_index(op, index, 0, x.shape()[0]);
    detail::check_stored(op, x.dtype(), values);
    if (detail::write_rows(x, index, values,
                           how == ir::Op::scatter ? detail::AtRows::Put : detail::AtRows::Add))
      return;
  }
  Recording r(op, values);
  const NodeRef node = r.node(x), positions = index_node(r, index, x, axis);
  detail::check_stored(op, x.dtype(), values);
  const NodeRef given = ir::cast(r.node(values), x.dtype(), r.lines());
  const Array result = detail::named(
      r.op(), [&] { return r.finish(ir::scatter(how, node, positions, given, axis, r.lines()), 3); });
  Array(x).assign(Operand(result, values.at()));
}

}  // namespace

void put_along_axis(const Array& x, const Array& index, const Operand& values, int64_t axis) {
  scatter_along_axis("put_along_axis", ir::Op::scatter, x, index, values, axis);
}

void add_along_axis(const Array& x, const Array& index, const Operand& values, int64_t axis) {
  scatter_along_axis("add_along_axis", ir::Op::scatter_add, x, index, values, axis);
}

Array place(const Array& values, const Array& index, int64_t extent, Where at) {
  Recording r("place", at);
  const NodeRef given = r.node(values), positions = ir::cast(r.node(index), DType::I64, r.lines());
  // Memory that nobody else holds is written where it lies.
  const NodeRef into =
      detail::input_node({values.dtype(), {extent}},
                         r.device().device->allocate(static_cast<size_t>(extent) * values.itemsize()));
  return r.finish(ir::scatter(ir::Op::scatter_distinct, into, positions, given, 0, r.lines()), 2);
}

}  // namespace weft
