#include "runtime/steady_now.h"

#include <fstream>
#include <limits>
#include <string>

namespace weft::runtime {

TickScale TickScale::through(const Moment& first, const Moment& second) {
  // Each moment is some tens of nanoseconds off: of ten milliseconds that is a hundred-thousandth.
  constexpr int64_t kApart = 10'000'000;
  const int64_t ns = second.ns - first.ns;
  if (ns < kApart || second.ticks <= first.ticks) return {};
  return {second, static_cast<double>(ns) / static_cast<double>(second.ticks - first.ticks)};
}

#if defined(__x86_64__)
namespace {

int64_t clock_now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The clock is read before and after the counter; of some tries the one that nothing came between.
Moment moment_now() {
  constexpr int kTries = 5;
  Moment best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const int64_t before = clock_now();
    const uint64_t ticks = __rdtsc();
    const int64_t between = clock_now() - before;
    if (between < least) least = between, best = {ticks, before + between / 2};
  }
  return best;
}

// Linux does so only where the counter runs evenly, and is the same for all processors.
bool system_reads_ticks() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
}

const Moment kAtStart = moment_now();

}  // namespace

void read_ticks_from_now_on() {
  if (tick_scale.load(std::memory_order_relaxed)) return;
  static const bool may = system_reads_ticks();
  const TickScale scale = may ? TickScale::through(kAtStart, moment_now()) : TickScale{};
  if (scale.ns_per_tick == 0) return;
  static TickScale found;
  static std::atomic<bool> taken{false};
  if (taken.exchange(true)) return;
  found = scale;
  tick_scale.store(&found, std::memory_order_release);
}
#else
void read_ticks_from_now_on() {}
#endif

}  // namespace weft::runtime
