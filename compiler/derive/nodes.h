// What rules of derivatives make nodes with: maps that take their operands as they are, numbers of a value's
// type, and the few moves of axes that several rules share.
#pragma once

#include "compiler/ir/build.h"

namespace weft::derive {

// A part of a value is small where the whole has more than so many times its elements.
constexpr int64_t kSmallPart = 8;

ir::NodeRef number(const ir::TensorType& type, double value, const ir::Lines& lines);
ir::NodeRef zeros(const ir::TensorType& type);
bool is_zero(const ir::Node& node);
// The tangent, or zeros of the type where there is none.
ir::NodeRef or_zeros(const ir::NodeRef& tangent, const ir::TensorType& type);

inline ir::NodeRef op(ir::Op op, const ir::NodeRef& x, const ir::Lines& lines) {
  return ir::map(op, {x}, lines);
}
inline ir::NodeRef op(ir::Op op, const ir::NodeRef& x, const ir::NodeRef& y, const ir::Lines& lines) {
  return ir::map(op, {x, y}, lines);
}
inline ir::NodeRef choose(const ir::NodeRef& where, const ir::NodeRef& x, const ir::NodeRef& y,
                          const ir::Lines& lines) {
  return ir::map(ir::Op::select, {where, x, y}, lines);
}

// Of a scan, a gather or a scatter.
inline int64_t axis_of(const ir::Node& node) { return node.as<ir::AxisAttr>().axis; }

// What a reduction over these axes gave, repeated along them to the shape that it reduced.
ir::NodeRef expanded(const ir::NodeRef& reduced, const Shape& shape, const Dims& axes,
                     const ir::Lines& lines);
// The slice, of the newest value that has its elements: what updates write elsewhere, and what pads put around, is left
// out. A loop over parts so reads what one turn wrote, and no value that all turns before it had to make. Zeros written to
// a part of a small slice are written to the slice instead.
ir::NodeRef sliced(ir::NodeRef x, const ir::SliceAttr& at, const Shape& shape, const ir::Lines& lines);
// The axis's order turned round.
ir::NodeRef flipped(const ir::NodeRef& x, size_t axis, const ir::Lines& lines);
// Each element moved by `by` places to higher positions along the axis; `fill` comes in from below.
ir::NodeRef shifted(const ir::NodeRef& x, size_t axis, int64_t by, double fill, const ir::Lines& lines);

}  // namespace weft::derive
