#include "frontend/cpp/array/cell.h"

#include <algorithm>
#include <utility>

#include "compiler/base/error.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/session_state.h"

namespace weft {
namespace detail {

std::atomic<int> all_cells_read{0};

namespace {

thread_local ir::SourceLine scope_line;
thread_local uint32_t scope_callers = 0;
thread_local CellsRead* innermost = nullptr;

CellsRead* cells_read() { return all_cells_read.load(std::memory_order_relaxed) > 0 ? innermost : nullptr; }

}  // namespace

Cell::Cell(DeviceSlot& where, ir::NodeRef value, Age since)
    : device(where), type(value->type), node_(std::move(value)), since_(since), made_in_(0) {
  if (const CellsRead* reads = cells_read()) made_in_ = reads->serial_;
}

Cell::~Cell() {
  if (awaited.load(std::memory_order_acquire)) device.pending_writes.remove(*this);
}

ir::NodeRef Cell::take_computed() const {
  const ir::Node* value = node_->computed();
  if (!value || keeps_past()) return {};
  ir::NodeRef old(value);
  std::swap(old, node_);
  set_since(kInMemory);
  return old;
}

ir::NodeRef Cell::value() const { return lent() ? read_lent() : memory(); }

ir::NodeRef Cell::memory() const {
  ir::NodeRef old;
  std::lock_guard held(lock_);
  old = take_computed();
  return node_;
}

void retain(const Cell* cell) noexcept { cell->count.add(); }
void release(const Cell* cell) noexcept {
  if (cell->count.drop()) delete cell;
}

const Ref<Cell>& Access::cell(const Array& a) {
  if (!a.cell_) throw Error("array: it has no value: got a default-constructed Array");
  return a.cell_;
}

ir::SourceLine scope_line_now() { return scope_line; }

ir::Lines lines_at(Where at) {
  if (scope_line.file) return scope_line;
  return ir::SourceLine{at.file_name(), at.line(), scope_callers};
}

Array record(DeviceSlot& device, ir::NodeRef node, Age since) {
  return Access::make(Ref<Cell>(new Cell(device, std::move(node), since)));
}

void Cell::check_write() const {
  if (const CellsRead* reads = cells_read(); reads && made_in_ != reads->serial_)
    throw Error(
        "compile: the function writes to an array that it did not take: make it an argument, or return its "
        "new value");
}

CellsRead::CellsRead(std::span<const Array> own) : outer_(std::exchange(innermost, this)) {
  static std::atomic<uint32_t> serial{0};
  serial_ = ++serial;
  for (const Array& array : own) Access::cell(array)->made_in_ = serial_;
  ++all_cells_read;
}
CellsRead::~CellsRead() {
  innermost = outer_;
  --all_cells_read;
}

void CellsRead::note(const Ref<Cell>& cell) {
  if (cell->made_in_ == serial_) return;
  for (const auto& [outside, place] : stands_for_) {
    if (outside != cell.get() || place->writes() == 0) continue;
    throw Error(
        "compile: the function reads from outside an array that it takes as an argument, too, and has "
        "written to: got one of shape " +
        to_string(cell->type.shape) + "; let it read the argument");
  }
  if (std::find(cells_.begin(), cells_.end(), cell) != cells_.end()) return;
  cells_.push_back(cell);
}

bool thread_records_cells() { return innermost != nullptr; }

void note_read(Cell& cell) {
  if (CellsRead* reads = cells_read()) reads->note(Ref<Cell>(&cell));
}

bool depends_on_arguments(const ir::NodeRef& value) {
  CellsRead* reads = cells_read();
  if (!reads) return false;
  auto& known = reads->depends_;
  struct Visit {
    const ir::NodeRef* node;
    size_t next;
  };
  std::vector<Visit> path;
  // Whether it is known; else it is on the path from now on.
  const auto enter = [&](const ir::NodeRef& n) {
    const auto [place, added] = known.try_emplace(n.get(), false);
    if (!added) return true;
    reads->held_.push_back(n);
    if (n->computed()) return true;
    if (n->op == ir::Op::input) {
      place->second = !buffer_of(*n);
      return true;
    }
    path.push_back({&n, 0});
    return false;
  };
  enter(value);
  while (!path.empty()) {
    Visit& top = path.back();
    const ir::Node& n = **top.node;
    bool depends = false;
    if (top.next > 0) depends = known.at(n.inputs[top.next - 1].get());
    if (!depends && top.next < n.inputs.size()) {
      enter(n.inputs[top.next++]);
      continue;
    }
    known.at(&n) = depends;
    path.pop_back();
  }
  return known.at(value.get());
}

bool known_late(LateCheck::Rule rule, const ir::NodeRef& value, int64_t extent) {
  const auto& known = cells_read()->late_checks_;
  return std::any_of(known.begin(), known.end(), [&](const LateCheck& one) {
    return one.rule == rule && one.extent == extent && ir::same_but_lines(*one.value, *value);
  });
}

void note_late(LateCheck check) { cells_read()->late_checks_.push_back(std::move(check)); }

}  // namespace detail

LineScope::LineScope(const char* file, uint32_t line, uint32_t callers)
    : scope_(detail::scope_line),
      outer_file_(scope_.file),
      outer_line_(scope_.line),
      outer_callers_(scope_.callers) {
  scope_ = {file, line, callers};
}
LineScope::LineScope(Where at)
    : scope_(detail::scope_line),
      outer_file_(scope_.file),
      outer_line_(scope_.line),
      outer_callers_(scope_.callers) {
  if (!scope_.file) scope_ = {at.file_name(), at.line(), detail::scope_callers};
}
LineScope::~LineScope() { scope_ = {outer_file_, outer_line_, outer_callers_}; }

CallerScope::CallerScope(Where at) : outer_(detail::scope_callers) {
  detail::scope_callers = number_of_caller({at.file_name(), at.line(), outer_});
}
CallerScope::~CallerScope() { detail::scope_callers = outer_; }

}  // namespace weft
