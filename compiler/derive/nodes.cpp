#include "compiler/derive/nodes.h"

#include <algorithm>
#include <optional>

#include "compiler/ir/analysis/access.h"

namespace weft::derive {

using ir::Lines;
using ir::NodeRef;

namespace {

// So many parts of a slice that were set to zero are zeros of the slice itself, each a test where it is read.
constexpr size_t kMostCleared = 4;

struct Box {
  Dims starts;
  Shape extents;
};

// Where an update by zeros replaced elements of a slice that is a small part of the whole, in the slice's own positions.
std::optional<Box> zeros_in(const ir::Node& update, const ir::SliceAttr& at, const Shape& shape) {
  const ir::Node& value = *update.inputs[1];
  const auto& written = update.as<ir::SliceAttr>();
  const auto dense = [](const ir::SliceAttr& a) {
    return std::ranges::all_of(a.steps, [](int64_t step) { return step == 1; });
  };
  if (!is_zero(value) || !dense(at) || !dense(written)) return {};
  if (element_count(shape) * kSmallPart > element_count(update.shape())) return {};
  Box box{at.starts, shape};
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t first = std::max(at.starts[i], written.starts[i]);
    const int64_t end = std::min(at.starts[i] + shape[i], written.starts[i] + value.shape()[i]);
    if (first >= end) return {};
    box.starts[i] = first - at.starts[i], box.extents[i] = end - first;
  }
  return box;
}

}  // namespace

NodeRef number(const ir::TensorType& type, double value, const Lines& lines) {
  return ir::constant(type, Scalar::of(value), lines);
}

NodeRef zeros(const ir::TensorType& type) { return number(type, 0, {}); }

bool is_zero(const ir::Node& node) {
  if (node.op != ir::Op::constant) return false;
  const Scalar& value = node.as<ir::ConstantAttr>().value;
  return (is_float(value.dtype) || is_complex(value.dtype)) && value.re == 0 && value.im == 0;
}

NodeRef or_zeros(const NodeRef& tangent, const ir::TensorType& type) {
  return tangent ? tangent : zeros(type);
}

NodeRef expanded(const NodeRef& reduced, const Shape& shape, const Dims& axes, const Lines& lines) {
  Shape with_ones = shape;
  for (const int64_t axis : axes) with_ones[static_cast<size_t>(axis)] = 1;
  return ir::broadcast(ir::reshape(reduced, with_ones, lines), shape, lines);
}

NodeRef sliced(NodeRef x, const ir::SliceAttr& at, const Shape& shape, const Lines& lines) {
  std::vector<Box> cleared;
  while (true) {
    if (x->op == ir::Op::update) {
      const auto& written = x->as<ir::SliceAttr>();
      const NodeRef& value = x->inputs[1];
      if (value->shape() == shape && written.starts == at.starts && written.steps == at.steps &&
          cleared.empty())
        return value;
      if (!ir::disjoint(at, shape, written, value->shape())) {
        const std::optional<Box> zeros = zeros_in(*x, at, shape);
        if (!zeros || cleared.size() == kMostCleared) break;
        cleared.push_back(*zeros);
      }
      x = x->inputs[0];
    } else if (x->op == ir::Op::pad && cleared.empty()) {
      const ir::SliceAttr inside{x->as<ir::PadAttr>().before, Dims(shape.size(), 1)};
      const NodeRef &value = x->inputs[0], &around = x->inputs[1];
      if (value->shape() == shape && inside.starts == at.starts && inside.steps == at.steps) return value;
      if (around->op != ir::Op::constant || !ir::disjoint(at, shape, inside, value->shape())) break;
      return ir::constant({x->dtype(), shape}, around->as<ir::ConstantAttr>().value, around->lines);
    } else {
      break;
    }
  }
  NodeRef out = ir::slice(x, at.starts, shape, at.steps, lines);
  for (const Box& box : cleared)
    out = box.extents == shape
              ? zeros(out->type)
              : ir::update(out, zeros({out->dtype(), box.extents}), box.starts, Dims(shape.size(), 1), lines);
  return out;
}

NodeRef flipped(const NodeRef& x, size_t axis, const Lines& lines) {
  const Shape& shape = x->shape();
  Dims starts(shape.size(), 0), steps(shape.size(), 1);
  if (shape[axis] == 0) return x;
  starts[axis] = shape[axis] - 1;
  steps[axis] = -1;
  return ir::slice(x, starts, Dims(shape), steps, lines);
}

NodeRef shifted(const NodeRef& x, size_t axis, int64_t by, double fill, const Lines& lines) {
  const Shape& shape = x->shape();
  const int64_t left = shape[axis] - by;
  if (left <= 0) return number(x->type, fill, lines);
  Dims extents = shape, before(shape.size(), 0);
  extents[axis] = left;
  before[axis] = by;
  const NodeRef kept = ir::slice(x, Dims(shape.size(), 0), extents, Dims(shape.size(), 1), lines);
  return ir::pad(kept, number({x->dtype(), {}}, fill, lines), before, Dims(shape.size(), 0), lines);
}

}  // namespace weft::derive
