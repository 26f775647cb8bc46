#include "frontend/cli/machine.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <limits>

#include "compiler/base/error.h"
#include "frontend/cli/takes.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::cli {
namespace {

// The CUDA target where there is no GPU to ask: an H100 SXM.
constexpr const char* kAbsentGpu = "sm_90";
constexpr Target kAbsentGpuTarget = {.kind = TargetKind::Cuda,
                                     .threads = 132,
                                     .vector_bytes = 16,
                                     .cache_bytes = 50u << 20,
                                     .shared_bytes = 227u << 10};

int ordinal_of(std::string_view device_name) {
  int ordinal = 0;
  if (device_name.size() > 5)
    std::from_chars(device_name.data() + 5, device_name.data() + device_name.size(), ordinal);
  return ordinal;
}

Target with_fixed(Target target, const DeviceChoice& choice) {
  if (choice.threads) target.threads = *choice.threads;
  if (choice.vector_bytes) target.vector_bytes = *choice.vector_bytes;
  if (choice.cache_bytes) target.cache_bytes = *choice.cache_bytes;
  return target;
}

}  // namespace

DeviceChoice default_device_choice() {
  SessionOptions environment = SessionOptions::from_environment();
  DeviceChoice out;
  out.name = environment.device;
  out.cache_directory = environment.cache_directory;
  out.cache_limit = environment.cache_limit;
  if (environment.threads > 0) out.threads = environment.threads;
  return out;
}

void add_device_options(CLI::App& command, DeviceChoice& choice, bool cache) {
  command.add_option("--device", choice.name, "cpu, cuda or cuda:N")
      ->type_name("NAME")
      ->capture_default_str();
  // Hidden: for output that is the same on every machine.
  command.add_option("--threads", choice.threads)->check(takes("--threads", 1, 1 << 16))->group("");
  command.add_option("--vector-bytes", choice.vector_bytes)
      ->check(takes<int>("--vector-bytes", "16, 32 or 64",
                         [](int bytes) { return bytes == 16 || bytes == 32 || bytes == 64; }))
      ->group("");
  command.add_option("--cache-bytes", choice.cache_bytes)
      ->check(takes("--cache-bytes", int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->group("");
  if (cache)
    command
        .add_option("--cache-dir", choice.cache_directory,
                    "Where compiled kernels are kept; \"\" for nowhere")
        ->type_name("DIR")
        ->capture_default_str();
}

TargetKind kind_of(std::string_view name) {
  if (name == "cpu") return TargetKind::Cpu;
  if (name == "cuda") return TargetKind::Cuda;
  if (name.starts_with("cuda:") && name.size() > 5) {
    int ordinal = 0;
    auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), ordinal);
    if (error == std::errc() && end == name.data() + name.size() && ordinal >= 0) return TargetKind::Cuda;
  }
  throw Error(fmt::format("there is no device '{}'; devices are cpu, cuda and cuda:N", name));
}

std::shared_ptr<runtime::KernelCache> open_cache(const DeviceChoice& choice) {
  if (choice.cache_directory.empty()) return nullptr;
  const auto warn = [](const std::string& problem) {
    const std::string line = fmt::format("weft: warning: {}\n", problem);
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
  auto cache = std::make_shared<runtime::KernelCache>(
      choice.cache_directory, choice.cache_limit,
      [warn](const std::string& problem) { warn("disk cache: " + problem); });
  if (cache->disabled_because().empty()) return cache;
  warn("no disk cache: " + cache->disabled_because());
  return nullptr;
}

std::shared_ptr<runtime::Device> open_device(const DeviceChoice& choice,
                                             std::shared_ptr<runtime::KernelCache> cache,
                                             runtime::Counters& counters) {
  TargetKind kind = kind_of(choice.name);
  if (kind == TargetKind::Cuda)
    return runtime::make_cuda_device(ordinal_of(choice.name), {}, std::move(cache), counters);
#ifdef WEFT_CPU_JIT
  runtime::CpuOptions options;
  options.threads = choice.threads.value_or(0);
  return runtime::make_cpu_device(options, std::move(cache), counters);
#else
  throw Error("cpu: this weft was built without its CPU back end (WEFT_CPU_JIT is off)");
#endif
}

Target target_of(const runtime::DeviceInfo& info, const DeviceChoice& choice) {
  Target target;
  target.kind = kind_of(choice.name);
  target.threads = info.threads;
  target.vector_bytes = target.kind == TargetKind::Cpu ? info.vector_bytes : 16;
  target.cache_bytes = info.cache_bytes;
  target.shared_bytes = info.shared_bytes;
  return with_fixed(target, choice);
}

Machine describe_machine(const DeviceChoice& choice, runtime::Counters& counters) {
  if (kind_of(choice.name) == TargetKind::Cuda && choice.name == "cuda") {
    std::string reason;
    if (runtime::cuda_device_count(reason) == 0)
      return {with_fixed(kAbsentGpuTarget, choice), kAbsentGpu, nullptr};
  }
#ifndef WEFT_CPU_JIT
  if (kind_of(choice.name) == TargetKind::Cpu) return {with_fixed({}, choice), "", nullptr};
#endif
  auto device = open_device(choice, nullptr, counters);
  return {target_of(device->info(), choice), device->info().architecture, device};
}

}  // namespace weft::cli
