// A lock for little work, at most a copy of some KiB, in which threads seldom meet: taking it is one atomic
// operation, giving it back a store. Whoever finds it taken lets other threads run meanwhile.
#pragma once

#include <atomic>
#include <thread>

namespace weft {

class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace weft
