#include "frontend/cpp/cell.h"

#include "compiler/base/error.h"
#include "frontend/cpp/canonical.h"
#include "frontend/cpp/evaluate.h"
#include "frontend/cpp/small.h"
#include "frontend/cpp/view.h"

namespace weft {
namespace detail {
namespace {

thread_local ir::SourceLine scope_line;

}  // namespace

Cell::Cell(DeviceSlot& where, ir::NodeRef value, Age since)
    : device(where), type(value->type), node_(std::move(value)), since_(since) {}

ir::NodeRef Cell::take_computed() const {
  const ir::Node* value = node_->computed();
  if (!value) return {};
  ir::NodeRef old(value);
  std::swap(old, node_);
  set_since(kInMemory);
  return old;
}

ir::NodeRef Cell::value() const {
  ir::NodeRef old;
  std::lock_guard lock(mutex_);
  old = take_computed();
  return node_;
}

void retain(const Cell* cell) noexcept { cell->count.fetch_add(1, std::memory_order_relaxed); }
void release(const Cell* cell) noexcept {
  if (cell->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete cell;
}

const Ref<Cell>& Access::cell(const Array& a) {
  if (!a.cell_) throw Error("array: it has no value: got a default-constructed Array");
  return a.cell_;
}

ir::Lines lines_at(Where at) {
  if (scope_line.file) return scope_line;
  return ir::SourceLine{at.file_name(), at.line()};
}

Array record(DeviceSlot& device, ir::NodeRef node, Age since) {
  return Access::make(Ref<Cell>(new Cell(device, std::move(node), since)));
}

ir::NodeRef read(const Array& x, const ir::Lines& lines) {
  const ir::NodeRef value = Access::cell(x)->value();
  const View* view = Access::view(x).get();
  if (!view) return value;
  if (ir::NodeRef part = read_small(*Access::cell(x), *view, value)) return part;
  return apply(view, value, lines);
}

}  // namespace detail

LineScope::LineScope(const char* file, uint32_t line)
    : file_(detail::scope_line.file), line_(detail::scope_line.line) {
  detail::scope_line = {file, line};
}
LineScope::~LineScope() { detail::scope_line = {file_, line_}; }

}  // namespace weft
