#include "frontend/cpp/small.h"

#include <cstring>

#include "frontend/cpp/evaluate.h"
#include "frontend/cpp/strided.h"

namespace weft::detail {
namespace {

constexpr uint32_t kNodes = 64;  // of a value that is computed at once

int64_t small_elements(const Cell& cell) {
  return cell.device.device->host_visible() ? cell.device.session.options.interpret_limit : 0;
}

bool is_small_part(const Cell& cell, const View& view) {
  const int64_t count = element_count(view.type.shape);
  return count > 0 && count <= small_elements(cell) && count < element_count(cell.type.shape);
}

Strided strided(const View& view) {
  return {view.type.shape, view.strides, view.offset, static_cast<int64_t>(size_of(view.type.dtype))};
}

// The value's row-major elements; false where computing them is more than small work.
bool compute(Cell& cell, const ir::NodeRef& value, std::byte* out) {
  const size_t item = size_of(value->dtype());
  const auto count = static_cast<size_t>(element_count(value->shape()));
  if (value->op == ir::Op::constant) {
    value->as<ir::ConstantAttr>().value.store(out);
    for (size_t i = 1; i < count; ++i) std::memcpy(out + i * item, out, item);
    return true;
  }
  const runtime::BufferRef buffer = evaluate_if_small(cell.device, value);
  if (!buffer) return false;
  std::memcpy(out, buffer->data(), count * item);
  return true;
}

}  // namespace

ir::NodeRef read_small(const Cell& cell, const View& view, const ir::NodeRef& value) {
  if (value->op != ir::Op::input || !is_small_part(cell, view)) return {};
  const runtime::BufferRef from = buffer_of(*value);
  if (!from) return {};
  const runtime::BufferRef copy = cell.device.device->allocate(
      static_cast<size_t>(element_count(view.type.shape)) * size_of(view.type.dtype));
  gather(strided(view), static_cast<const std::byte*>(from->data()), static_cast<std::byte*>(copy->data()));
  return input_node(view.type, copy);
}

Array value_now(const Array& view) {
  Cell& cell = *Access::cell(view);
  note_read(cell);
  const ir::NodeRef value = cell.memory();
  Ref<const View> shown = Access::view(view);
  Age since = cell.since();
  ir::NodeRef part = shown ? read_small(cell, *shown, value) : ir::NodeRef();
  if (part) shown = {}, since = kInMemory;
  const Array own = record(cell.device, part ? part : cell.lent() ? cell.value() : value, since);
  const Ref<Cell>& owner = Access::cell(own);
  return Access::make(owner, with_access(layout_of(owner->type, shown), false));
}

bool may_write_small(Cell& cell, const View* view, const Recording& value) {
  if (!view || !is_small_part(cell, *view)) return false;
  const ir::NodeRef held = cell.value();
  const bool constant = held->op == ir::Op::constant;
  if (!constant && !(held->op == ir::Op::input && buffer_of(*held))) return false;
  if (value.oldest() && count_nodes(value.oldest()->value(), kNodes) > kNodes) return false;
  if (constant) materialized(cell);  // zeros to be filled
  return true;
}

bool write_small(Cell& cell, const View& view, const ir::NodeRef& value) {
  constexpr size_t kMostBytes = 16 * 1024;
  alignas(64) std::byte elements[kMostBytes];
  cell.check_write();
  const auto count = static_cast<size_t>(element_count(view.type.shape));
  if (count * size_of(view.type.dtype) > kMostBytes || !compute(cell, value, elements)) return false;
  bool written = false;
  cell.inspect([&](const ir::NodeRef& held) {
    if (held->op != ir::Op::input || held->use_count() != 1) return;
    const runtime::BufferRef memory = buffer_of(*held);
    if (!memory) return;
    constexpr int kNodeAndHere = 2;
    if (memory.use_count() != kNodeAndHere || !memory->writable()) return;
    scatter(strided(view), elements, static_cast<std::byte*>(memory->data()));
    written = true;
  });
  // The same node stands for other values now.
  if (written) cell.modify(kInMemory, [](const ir::NodeRef& same) { return same; });
  return written;
}

}  // namespace weft::detail
