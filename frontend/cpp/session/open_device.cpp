#include "frontend/cpp/session/open_device.h"

#include <utility>

#include "frontend/cpp/session/env.h"
#include "frontend/cpp/session/terminal.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::detail {

std::shared_ptr<runtime::Device> open_device(const DeviceName& name, int threads,
                                             std::shared_ptr<runtime::KernelCache> cache,
                                             runtime::Counters& counters) {
  watch_progress();
  if (name.kind == TargetKind::Cuda) {
    runtime::CudaOptions options;
    options.graphs = makes_cuda_graphs();
    return runtime::make_cuda_device(name.ordinal, options, std::move(cache), counters);
  }
  runtime::CpuOptions options;
  options.threads = threads;
  options.perf_map = writes_perf_map();
  return runtime::make_cpu_device(options, std::move(cache), counters);
}

Target target_of(TargetKind kind, const runtime::DeviceInfo& info) {
  Target target;
  target.kind = kind;
  target.threads = info.threads;
  target.vector_bytes = kind == TargetKind::Cpu ? info.vector_bytes : 16;
  target.cache_bytes = info.cache_bytes;
  target.shared_bytes = info.shared_bytes;
  if (info.resident_threads > 0) target.resident_threads = info.resident_threads;
  target.compiles = info.compiles;
  return target;
}

}  // namespace weft::detail
