#include "frontend/cli/machine.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "frontend/cli/takes.h"
#include "frontend/cpp/session/open_device.h"
#include "frontend/cpp/weft/session.h"
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

Target with_fixed(Target target, const DeviceChoice& choice) {
  if (choice.threads) target.threads = *choice.threads;
  if (choice.vector_bytes) target.vector_bytes = *choice.vector_bytes;
  if (choice.cache_bytes) target.cache_bytes = *choice.cache_bytes;
  if (choice.shared_bytes) target.shared_bytes = *choice.shared_bytes;
  if (choice.resident_threads) target.resident_threads = *choice.resident_threads;
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
  command.add_option("--shared-bytes", choice.shared_bytes)
      ->check(takes("--shared-bytes", int64_t{48} << 10, int64_t{1} << 20))
      ->group("");
  command.add_option("--resident-threads", choice.resident_threads)
      ->check(takes("--resident-threads", 1024, 1 << 16))
      ->group("");
  if (cache)
    command
        .add_option("--cache-dir", choice.cache_directory,
                    "Where compiled kernels are kept; \"\" for nowhere")
        ->type_name("DIR")
        ->capture_default_str();
}

TargetKind kind_of(std::string_view name) { return detail::device_named(name).kind; }

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
  return detail::open_device(detail::device_named(choice.name), choice.threads.value_or(0), std::move(cache),
                             counters);
}

Target target_of(const runtime::DeviceInfo& info, const DeviceChoice& choice) {
  return with_fixed(detail::target_of(kind_of(choice.name), info), choice);
}

Machine describe_machine(const DeviceChoice& choice, runtime::Counters& counters) {
  if (kind_of(choice.name) == TargetKind::Cuda && choice.name == "cuda") {
    std::string reason;
    if (runtime::cuda_device_count(reason) == 0)
      return {with_fixed(kAbsentGpuTarget, choice), kAbsentGpu, nullptr};
  }
  auto device = open_device(choice, nullptr, counters);
  return {target_of(device->info(), choice), device->info().architecture, device};
}

}  // namespace weft::cli
