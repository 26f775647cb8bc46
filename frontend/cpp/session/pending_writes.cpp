#include "frontend/cpp/session/pending_writes.h"

#include <algorithm>

namespace weft::detail {

constexpr size_t kMost = 16;

void PendingWrites::forget(size_t k) {
  Awaited* const cell = cells_[k];
  cells_.erase(cells_.begin() + static_cast<ptrdiff_t>(k));
  count_.store(cells_.size(), std::memory_order_relaxed);
  cell->awaited.store(false, std::memory_order_release);  // from here on it may go
}

void PendingWrites::add(Awaited& cell) {
  const std::lock_guard lock(mutex_);
  if (cell.awaited.load(std::memory_order_relaxed)) return;
  if (cells_.size() == kMost) forget(0);
  cells_.push_back(&cell);
  count_.store(cells_.size(), std::memory_order_relaxed);
  cell.awaited.store(true, std::memory_order_release);
}

void PendingWrites::remove(const Awaited& cell) {
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find(cells_, &cell);
  if (place != cells_.end()) forget(static_cast<size_t>(place - cells_.begin()));
}

}  // namespace weft::detail
