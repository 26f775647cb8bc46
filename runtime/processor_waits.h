// How long threads that had work waited for a processor, as others had them: time that is nobody's work.
#pragma once

#include <cstdint>
#include <map>

namespace weft::runtime {

// All in nanoseconds. `known`: whether the system tells, as Linux does in /proc/self/task/TID/schedstat.
struct ProcessorWaits {
  bool known = false;
  int64_t own = 0;     // of the calling thread
  int64_t others = 0;  // of the thread of this process, other than that, which waited the most
  int64_t stolen = 0;  // of all processors: what the host of a virtual machine kept from it
};

// For how long the calling thread had work and no processor, since it began; 0 where the system does not tell. It takes a
// microsecond.
int64_t waited_by_thread();

// From when it is made on.
class ProcessorWaiting {
 public:
  ProcessorWaiting();
  // To be asked by the thread that made it; another has waited for an unknown time.
  ProcessorWaits read() const;

 private:
  std::map<int, int64_t> before_;  // of each thread
  int thread_ = 0;
  int64_t stolen_before_ = 0;
};

}  // namespace weft::runtime
