// The processor as a device: pooled host memory, kernels compiled by Clang in this process and run by
// oneTBB's threads, matrix products by OpenBLAS. A launch returns when its work is done.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::runtime {

struct CpuOptions {
  int threads = 0;                     // 0: all that the process may use
  size_t memory_limit = 0;             // most bytes of buffers and pool; 0: what the machine has
  size_t pool_keep = size_t{1} << 30;  // free bytes that the pool keeps even when little is in use
  size_t loaded_kernels = 4096;        // kernels that stay loaded, least recently used first to go
  bool perf_map = false;               // whether kernels' names are written to /tmp/perf-PID.map
};

// `cache` may be null. `counters` must outlive the device and its buffers.
std::shared_ptr<Device> make_cpu_device(const CpuOptions& options, std::shared_ptr<KernelCache> cache,
                                        Counters& counters);

}  // namespace weft::runtime
