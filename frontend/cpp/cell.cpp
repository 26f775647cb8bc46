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

Cell::Cell(DeviceSlot& where, ir::NodeRef value, uint32_t nodes)
    : device(where), type(value->type), node_(std::move(value)), pending_(nodes) {}

ir::NodeRef Cell::value() const {
  std::lock_guard lock(mutex_);
  return node_;
}

void Cell::settle(const ir::NodeRef& from, const ir::NodeRef& computed) {
  ir::NodeRef old = computed;  // what the cell held is released after the lock
  std::lock_guard lock(mutex_);
  if (!(node_ == from)) return;
  std::swap(old, node_);
  pending_.store(0, std::memory_order_relaxed);
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

void bound(Cell& cell) {
  const auto limit = static_cast<uint32_t>(cell.device.session.options.graph_limit);
  if (cell.pending() <= limit) return;
  // The running count takes what two operands share twice.
  const uint32_t exact = count_nodes(cell.value(), cell.device.session.computed);
  cell.set_pending(exact);
  if (exact > limit) materialized(cell);
}

Array record(DeviceSlot& device, ir::NodeRef node, uint32_t nodes) {
  Ref<Cell> cell(new Cell(device, std::move(node), nodes));
  bound(*cell);
  return Access::make(std::move(cell));
}

ir::NodeRef read(const Array& x, const ir::Lines& lines) {
  const ir::NodeRef value = Access::cell(x)->value();
  const View* view = Access::view(x).get();
  if (!view) return value;
  if (ir::NodeRef part = read_small(*Access::cell(x), *view, value)) return part;
  return apply(view, value, lines);
}

uint32_t pending(const Array& x) {
  const View* view = Access::view(x).get();
  return Access::cell(x)->pending() + (view ? static_cast<uint32_t>(steps(view)) : 0);
}

}  // namespace detail

LineScope::LineScope(const char* file, uint32_t line)
    : file_(detail::scope_line.file), line_(detail::scope_line.line) {
  detail::scope_line = {file, line};
}
LineScope::~LineScope() { detail::scope_line = {file_, line_}; }

}  // namespace weft
