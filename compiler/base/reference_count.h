// How many references there are to an object that is freed with the last of them, counted from any thread.
// Where only one thread can see the object, at its first reference and at its last, nothing atomic is done:
// that would cost more than all else about a reference.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

class ReferenceCount {
 public:
  // Whoever calls it holds a reference already, or is the one who made the object.
  void add() {
    if (count_.load(std::memory_order_relaxed) == 0) {
      count_.store(1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // Whether that was the last one. The object is then the caller's to free.
  [[nodiscard]] bool drop() {
    return count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // 1 means that the asker's is the only one.
  uint32_t now() const { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint32_t> count_{0};
};

}  // namespace weft
