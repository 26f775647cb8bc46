// Work that threads of the library's own do and nobody waits for. It gives way at its checkpoints: while the process
// forks it stands still, and when the process ends it stops. Both belong to the process, hence the globals.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace weft::runtime {

// A checkpoint throws it as the process ends.
struct BackgroundEnded {};

class Background {
 public:
  // While it lives, this thread works in the background. False where the process ends.
  class Scope {
   public:
    Scope() { mine_ = enter(); }
    ~Scope() {
      if (mine_) leave();
      mine_ = false;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    explicit operator bool() const { return mine_; }
  };

  static bool mine() { return mine_; }

  // To be called where the thread holds no lock: where it may stand still for as long as a fork takes. Throws
  // BackgroundEnded. Elsewhere than in the background it does nothing.
  static void checkpoint() {
    if (!mine_ || closed_.load() == 0) return;
    leave();
    mine_ = enter();
    if (!mine_) throw BackgroundEnded();
  }

  // Stops all of it for good; returns when every thread has come to a checkpoint.
  static void end() {
    if (closed_.fetch_or(kEnded) & kEnded) return;
    wait_for_checkpoints();
    closed_.notify_all();
  }
  static bool ended() { return closed_.load() & kEnded; }

  // To be called on a thread that hands work over. If the process ends by it as the main thread, its thread-locals
  // go first: the work must stop before destructors of statics run, and those of a library that it is opening.
  static void end_with_main_thread() {
    static thread_local struct AtExit {
      AtExit() = default;
      AtExit(const AtExit&) = delete;
      AtExit& operator=(const AtExit&) = delete;
      ~AtExit() {
        if (::gettid() == ::getpid()) end();
      }
    } at_exit;
    static_cast<void>(at_exit);
  }

  // How many forks led to this process since watch_forks(). Threads of before the last one are not here.
  static int forks() { return forks_.load(std::memory_order_relaxed); }

  // To be called before the first thread starts.
  static void watch_forks() {
    static const int registered = pthread_atfork(
        [] {
          closed_.fetch_add(1);
          wait_for_checkpoints();
        },
        [] {
          closed_.fetch_sub(1);
          closed_.notify_all();
        },
        [] {
          inside_.store(0);
          closed_.fetch_and(kEnded);
          forks_.fetch_add(1);
        });
    static_cast<void>(registered);
  }

 private:
  static constexpr int kEnded = 1 << 30;

  static bool enter() {
    for (;;) {
      inside_.fetch_add(1);
      const int closed = closed_.load();
      if (closed == 0) return true;
      leave();
      if (closed & kEnded) return false;
      closed_.wait(closed);
    }
  }
  static void leave() {
    inside_.fetch_sub(1);
    if (closed_.load() != 0) inside_.notify_all();
  }
  static void wait_for_checkpoints() {
    for (int now = inside_.load(); now > 0; now = inside_.load()) inside_.wait(now);
  }

  static inline std::atomic<int> inside_{0};  // threads that are on their way to a checkpoint
  static inline std::atomic<int> closed_{0};  // forks under way, and kEnded
  static inline std::atomic<int> forks_{0};
  static inline thread_local bool mine_ = false;
};

}  // namespace weft::runtime
