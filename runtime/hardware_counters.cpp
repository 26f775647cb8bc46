#include "runtime/hardware_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace weft::runtime {

namespace {

constexpr std::pair<uint64_t, int64_t HardwareCounts::*> kCounted[] = {
    {PERF_COUNT_HW_INSTRUCTIONS, &HardwareCounts::instructions},
    {PERF_COUNT_HW_CPU_CYCLES, &HardwareCounts::cycles},
    {PERF_COUNT_HW_CACHE_MISSES, &HardwareCounts::cache_misses},
};

int open_event(uint64_t what, int thread) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = what;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1, attributes.exclude_hv = 1;
  // The kernel takes turns where there are more events than counters, and says for how long it counted.
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string problem_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "the system does not permit it: /proc/sys/kernel/perf_event_paranoid has to be 2 or less, and a "
             "container needs the right to call perf_event_open";
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "this machine shows no counters of the processor, as most virtual machines";
    case ENOSYS:
      return "this system has no perf_event_open";
    case EMFILE:
      return "the process has as many files open as it may: raise the limit (ulimit -n)";
    default:
      return std::string("perf_event_open failed: ") + std::strerror(error);
  }
}

}  // namespace

HardwareCounters::HardwareCounters() {
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    const int thread = std::atoi(task.path().filename().c_str());
    for (const auto& [what, counts] : kCounted) {
      const int descriptor = open_event(what, thread);
      if (descriptor >= 0)
        events_.push_back({descriptor, counts});
      else if (errno != ESRCH && problem_.empty())  // the thread has ended
        problem_ = problem_of(errno);
    }
  }
  if (!events_.empty())
    problem_.clear();
  else if (problem_.empty())
    problem_ = "this system does not list a process's threads under /proc/self/task";
}

HardwareCounters::~HardwareCounters() {
  for (const Event& event : events_) ::close(event.descriptor);
}

HardwareCounts HardwareCounters::read() const {
  HardwareCounts total;
  for (const Event& event : events_) {
    struct {
      uint64_t value, enabled, running;
    } got{};
    if (::read(event.descriptor, &got, sizeof got) != sizeof got || got.running == 0) continue;
    total.*event.counts += static_cast<int64_t>(
        static_cast<double>(got.value) * static_cast<double>(got.enabled) / static_cast<double>(got.running));
  }
  return total;
}

}  // namespace weft::runtime
