// What the machine, and the limits set on this process, leave for us. Read from /proc and /sys at each call.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::runtime {

// Processors that this process may run on: its affinity mask and its control groups' quota.
int usable_threads();
// More threads than the largest machines have processors are a slip.
constexpr int kMostThreads = 1024;
// Memory that this process may ever hold: the machine's, or a control group's limit.
size_t total_memory();
// Memory that it can still take without swapping or being killed; caches of files count as free.
size_t available_memory();
// The largest cache of the first processor; 0 when the system does not say.
size_t last_level_cache();
// A cache for data of the first processor.
struct CpuCache {
  int level = 0;
  size_t bytes = 0;
  int shared_by = 1;  // processors
};
// Processors of the machine, hyperthreads among them, the cores that they share, and the caches, the smallest level first.
// 0 and none where the folder of the system's does not say.
struct CpuLayout {
  int processors = 0, cores = 0;
  std::vector<CpuCache> caches;
};
CpuLayout cpu_layout(const std::string& folder = "/sys/devices/system/cpu");
// How many vector registers the processor has.
int host_vector_registers();
// The vendor's name of the processor.
std::string processor_name();

}  // namespace weft::runtime
