// The steady clock in nanoseconds, for what is timed in each call. Where the system keeps its own time by the processor's
// counter, that is read: it takes a third of what the system's clock takes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace weft::runtime {

// Of one moment the processor's counter, and the clock.
struct Moment {
  uint64_t ticks = 0;
  int64_t ns = 0;
};

// A line through two moments. `ns_per_tick` is 0 where the moments are too near to each other to tell, and where the
// second one is not later.
struct TickScale {
  Moment from;
  double ns_per_tick = 0;

  static TickScale through(const Moment& first, const Moment& second);
  int64_t ns(uint64_t ticks) const {
    return from.ns +
           static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(ticks - from.ticks)) * ns_per_tick);
  }
};

// Null: the system's clock is read. Set once.
inline std::atomic<const TickScale*> tick_scale{nullptr};

// To be called before something is timed: from then on the counter may be read. It does nothing within some
// milliseconds of the program's start, as the counter's speed is not known then.
void read_ticks_from_now_on();

inline int64_t steady_now() {
#if defined(__x86_64__)
  if (const TickScale* const scale = tick_scale.load(std::memory_order_acquire)) return scale->ns(__rdtsc());
#endif
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weft::runtime
