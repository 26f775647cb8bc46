#include "frontend/cpp/pending_writes.h"

#include <algorithm>

#include "frontend/cpp/cell.h"

namespace weft::detail {

constexpr size_t kMost = 16;

void PendingWrites::forget(size_t k) {
  Cell* const cell = cells_[k];
  cells_.erase(cells_.begin() + static_cast<ptrdiff_t>(k));
  count_.store(cells_.size(), std::memory_order_relaxed);
  cell->awaited.store(false, std::memory_order_release);  // from here on it may go
}

void PendingWrites::add(Cell& cell) {
  const std::lock_guard lock(mutex_);
  if (cell.awaited.load(std::memory_order_relaxed)) return;
  if (cells_.size() == kMost) forget(0);
  cells_.push_back(&cell);
  count_.store(cells_.size(), std::memory_order_relaxed);
  cell.awaited.store(true, std::memory_order_release);
}

void PendingWrites::remove(const Cell& cell) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find(cells_, &cell);
  if (place != cells_.end()) forget(static_cast<size_t>(place - cells_.begin()));
}

std::vector<ir::NodeRef> PendingWrites::values() {
  const std::lock_guard lock(mutex_);
  std::vector<ir::NodeRef> pending;
  for (size_t k = cells_.size(); k-- > 0;) {
    ir::NodeRef value = cells_[k]->memory();
    if (value->op == ir::Op::input)
      forget(k);
    else
      pending.push_back(std::move(value));
  }
  return pending;
}

}  // namespace weft::detail
