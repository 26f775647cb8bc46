// Whether this process was forked from one that used Weft. Its threads did not come along, so the CPU
// computes on the calling thread alone; nor does CUDA, whose devices say so. A fork belongs to the process,
// hence the one global.
#pragma once

#include <pthread.h>

#include <atomic>

namespace weft::runtime {

inline std::atomic<bool> in_forked_child{false};

// To be called before the first thread starts.
inline void notice_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { in_forked_child = true; });
  static_cast<void>(registered);
}

}  // namespace weft::runtime
