#include "frontend/cpp/array/read.h"

#include <utility>

#include "compiler/ir/build.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/made_by.h"

namespace weft::detail {

int64_t small_elements(const Cell& cell) { return cell.device.small_elements; }

bool is_small_part(const Cell& cell, const View& view) {
  const int64_t count = element_count(view.type.shape);
  return count > 0 && count <= small_elements(cell) && count < element_count(cell.type.shape);
}

Strided strided(const View& view) {
  return {view.type.shape, view.strides, view.offset, static_cast<int64_t>(size_of(view.type.dtype))};
}

std::optional<Scalar> known_element(const Array& x) {
  const Cell& cell = *Access::cell(x);
  const View* view = Access::view(x).get();
  if (!cell.type.shape.empty() || (view && view->type != cell.type) || records_cells()) return {};
  std::optional<Scalar> known;
  cell.inspect([&](const ir::NodeRef& node) {
    if (node->op == ir::Op::constant) known = node->as<ir::ConstantAttr>().value;
  });
  return known;
}

ir::NodeRef read_small(const Cell& cell, const View& view, const ir::NodeRef& value) {
  if (value->op != ir::Op::input || !is_small_part(cell, view)) return {};
  const runtime::BufferRef from = buffer_of(*value);
  if (!from) return {};
  const auto* data = static_cast<const std::byte*>(from->data());
  if (view.type.shape.empty() && !records_cells()) {
    const auto at = static_cast<size_t>(view.offset) * size_of(view.type.dtype);
    return ir::constant(view.type, Scalar::load(view.type.dtype, data + at));
  }
  const runtime::BufferRef copy = cell.device.device->allocate(
      static_cast<size_t>(element_count(view.type.shape)) * size_of(view.type.dtype));
  gather(strided(view), data, static_cast<std::byte*>(copy->data()));
  said_of_memory().copied(*from, copy);
  return input_node(view.type, copy);
}

ir::NodeRef read(const Array& x, const ir::Lines& lines) {
  Cell& cell = *Access::cell(x);
  note_read(cell);
  const View* view = Access::view(x).get();
  if (!view) return cell.value();
  const ir::NodeRef memory = cell.memory();
  if (ir::NodeRef part = read_small(cell, *view, memory)) return part;
  return apply(view, cell.lent() ? cell.value() : memory, lines);
}

}  // namespace weft::detail
