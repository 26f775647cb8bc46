// Whether somebody wants this process's work to be given up. A signal belongs to the process, hence the one
// global.
#pragma once

#include <atomic>
#include <chrono>

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

}  // namespace weft::runtime
