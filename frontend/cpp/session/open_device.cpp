#include "frontend/cpp/session/open_device.h"

#include <charconv>
#include <utility>

#include "compiler/base/error.h"
#include "frontend/cpp/session/env.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::detail {

std::string DeviceName::text() const {
  return kind == TargetKind::Cpu ? "cpu" : "cuda:" + std::to_string(ordinal);
}

DeviceName device_named(std::string_view name) {
  if (name == "cpu") return {};
  constexpr std::string_view kNumbered = "cuda:";
  DeviceName gpu{TargetKind::Cuda, 0};
  if (name == "cuda") return gpu;
  const std::string_view digits =
      name.starts_with(kNumbered) ? name.substr(kNumbered.size()) : std::string_view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), gpu.ordinal);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || gpu.ordinal < 0 || digits.size() > 3)
    throw Error("device: takes cpu or cuda:N: got '" + std::string(name) + "'");
  return gpu;
}

std::shared_ptr<runtime::Device> open_device(const DeviceName& name, int threads,
                                             std::shared_ptr<runtime::KernelCache> cache,
                                             runtime::Counters& counters) {
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
