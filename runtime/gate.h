// Threads pass a gate to use what the end of the process destroys: LLVM's tables, TBB's threads, BLAS's
// buffers. Threads that nobody joins go on while the process ends, so whoever ends it closes the gate to them
// first. Globals of this type need no destructor and are sound to the very end.
#pragma once

#include <pthread.h>

#include <atomic>

namespace weft::runtime {

class Gate {
 public:
  // False where it is closed to this thread.
  bool enter() {
    inside_.fetch_add(1);
    if (open_to(pthread_self())) return true;
    leave();
    return false;
  }
  void leave() {
    inside_.fetch_sub(1);
    if (open_to_.load() != kAll) inside_.notify_all();
  }
  bool open_to(pthread_t thread) const {
    const pthread_t one = open_to_.load();
    return one == kAll || one == thread;
  }

  // Closes it to all but the calling thread, which is outside; returns when the others have left.
  void close_to_others() { close(pthread_self()); }
  void close_to_all() { close(kNone); }

 private:
  static constexpr pthread_t kAll = 0, kNone = ~pthread_t{0};
  void close(pthread_t one) {
    open_to_.store(one);
    for (int now = inside_.load(); now > 0; now = inside_.load()) inside_.wait(now);
  }
  std::atomic<int> inside_{0};
  std::atomic<pthread_t> open_to_{kAll};
};

// What CPU kernels, products and solves use.
inline Gate working;

}  // namespace weft::runtime
