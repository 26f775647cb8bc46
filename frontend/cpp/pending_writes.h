// Large arrays that were written to and not computed since. Whoever computes something else from the memory
// that such a write replaces computes the write with it: afterwards the old value would have to be kept
// beside the new one, and with each turn of a loop one more.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::detail {

struct Cell;

class PendingWrites {
 public:
  // Forgets the oldest where there are many.
  void add(Cell& cell);
  void remove(const Cell& cell);
  // What the cells are to be computed to; those that were computed meanwhile are forgotten.
  std::vector<ir::NodeRef> values();
  bool any() const { return count_.load(std::memory_order_relaxed) > 0; }

 private:
  void forget(size_t k);

  std::mutex mutex_;
  std::vector<Cell*> cells_;  // each takes itself out before it goes
  std::atomic<size_t> count_{0};
};

}  // namespace weft::detail
