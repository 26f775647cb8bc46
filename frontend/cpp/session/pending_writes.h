// Large arrays that were written to and not computed since. Whoever computes something else from the memory
// that such a write replaces computes the write with it: afterwards the old value would have to be kept
// beside the new one, and with each turn of a loop one more.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

namespace weft::detail {

// What a device's pending writes name: a cell.
struct Awaited {
  std::atomic<bool> awaited{false};  // whether they do
};

class PendingWrites {
 public:
  // Forgets the oldest where there are many.
  void add(Awaited& cell);
  void remove(const Awaited& cell);
  // Calls f(cell), the latest first; the cells of which it says no are forgotten.
  template <class F>
  void keep_if(F&& f) {
    const std::lock_guard lock(mutex_);
    for (size_t k = cells_.size(); k-- > 0;)
      if (!f(*cells_[k])) forget(k);
  }
  bool any() const { return count_.load(std::memory_order_relaxed) > 0; }

 private:
  void forget(size_t k);

  std::mutex mutex_;
  std::vector<Awaited*> cells_;  // each takes itself out before it goes
  std::atomic<size_t> count_{0};
};

}  // namespace weft::detail
