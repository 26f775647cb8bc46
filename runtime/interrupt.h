// Whether somebody asked this process to give up its work. It is asked between the steps of a program,
// between the parts of a kernel and within long ones. A signal belongs to the process, hence the one global.
//
// Work that is given up halfway has written a part of its outputs, so only work whose outputs nobody sees may
// be: the executor says so by a StopScope and throws the outputs away.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>

#include "runtime/gate.h"

namespace weft::runtime {

inline std::atomic<bool (*)()> ask_for_interrupt{nullptr};

// Asks now and then: asking may wait for an interpreter's lock.
inline bool interrupted() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kBetween = std::chrono::milliseconds(100);
  thread_local Clock::time_point asked;
  bool (*const ask)() = ask_for_interrupt.load(std::memory_order_relaxed);
  if (!ask) return false;
  const Clock::time_point now = Clock::now();
  if (now - asked < kBetween) return false;
  asked = now;
  return ask();
}

// While it lives, what this thread gives to a device may be given up: the device then throws Interrupted.
class StopScope {
 public:
  explicit StopScope(bool may_stop) : outer_(may_stop_) { may_stop_ = may_stop; }
  ~StopScope() { may_stop_ = outer_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static bool may_stop() { return may_stop_; }

 private:
  bool outer_;
  static inline thread_local bool may_stop_ = false;
};

// Work that threads do in parts. The thread that gave it asks for interrupts, the others hear of them.
struct SharedWork {
  const pthread_t giver = pthread_self();
  std::atomic<bool> given_up{false};
};

// While it lives, this thread does parts of the work. A thread that waits for its own may do another's.
class PartOf {
 public:
  explicit PartOf(SharedWork& work) : outer_(work_) { work_ = &work; }
  ~PartOf() { work_ = outer_; }
  PartOf(const PartOf&) = delete;
  PartOf& operator=(const PartOf&) = delete;

  // Whether the rest of the work that this thread has a part of is to be left undone.
  static bool leave_rest() {
    if (!work_) return false;
    if (!working.open_to(work_->giver) || (pthread_equal(pthread_self(), work_->giver) && interrupted()))
      work_->given_up.store(true, std::memory_order_relaxed);
    return work_->given_up.load(std::memory_order_relaxed);
  }

 private:
  SharedWork* outer_;
  static inline thread_local SharedWork* work_ = nullptr;
};

}  // namespace weft::runtime
