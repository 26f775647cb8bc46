// What the machine, and the limits set on this process, leave for us. Read from /proc and /sys at each call.
#pragma once

#include <cstddef>
#include <string>

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
// The vendor's name of the processor.
std::string processor_name();

}  // namespace weft::runtime
