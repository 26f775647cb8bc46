// What the library did so far, for people and tests to ask. One set belongs to a session.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/histogram.h"
#include "runtime/trace.h"

namespace weft::runtime {

struct Counters {
  // Two where a second launch joins what the first one's parts gave.
  std::atomic<int64_t> kernels_launched{0};
  std::atomic<int64_t> blocks_launched{0};  // of these, those that ran in blocks, without a compiled kernel
  std::atomic<int64_t> library_calls{0};    // matrix products
  std::atomic<int64_t> compiles{0};         // sources given to Clang or NVRTC
  std::atomic<int64_t> compile_ns{0};
  std::atomic<int64_t> compiles_behind{0};  // of these, while their programs ran without them
  std::atomic<int64_t> memory_hits{0};      // kernels found loaded
  std::atomic<int64_t> disk_hits{0};        // kernels loaded from the disk cache
  std::atomic<int64_t> disk_misses{0};
  std::atomic<int64_t> program_hits{0};  // graphs whose program was known
  std::atomic<int64_t> program_misses{0};
  std::atomic<int64_t> interpreted{0};  // graphs small enough for the interpreter
  std::atomic<int64_t> bytes_read{0};   // by kernels, as planned
  std::atomic<int64_t> bytes_written{0};
  Histogram compile_times, load_times, plan_times;  // of a kernel by a compiler, from the disk, of a program
  Trace trace;
};

}  // namespace weft::runtime
