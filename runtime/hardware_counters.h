// What the processor counts of this process's threads, by Linux's perf_event_open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::runtime {

struct HardwareCounts {
  int64_t instructions = 0, cycles = 0, cache_misses = 0;
};

class HardwareCounters {
 public:
  // Counts what all threads of the process do from now on, and threads that they start, outside of the kernel.
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  // Why nothing is counted, and what to do; empty: it is.
  const std::string& problem() const { return problem_; }
  HardwareCounts read() const;

 private:
  struct Event {
    int descriptor;
    int64_t HardwareCounts::* counts;
  };
  std::vector<Event> events_;
  std::string problem_;
};

}  // namespace weft::runtime
