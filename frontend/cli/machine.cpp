#include "frontend/cli/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string_view>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cli/takes.h"
#include "frontend/cpp/session/open_device.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::cli {
namespace {

// GPUs where there is none to ask, one for each architecture; the first where none is named: an H100 SXM.
struct AbsentGpu {
  std::string_view architecture;
  int multiprocessors;
  size_t cache_mib, shared_kib;
  int resident_threads;
};
constexpr std::array kAbsentGpus = {
    AbsentGpu{"sm_90", 132, 50, 227, 2048}, AbsentGpu{"sm_75", 40, 4, 64, 1024},
    AbsentGpu{"sm_80", 108, 40, 163, 2048}, AbsentGpu{"sm_86", 72, 6, 99, 1536},
    AbsentGpu{"sm_89", 58, 48, 99, 1536},   AbsentGpu{"sm_100", 148, 126, 227, 2048},
    AbsentGpu{"sm_120", 170, 96, 99, 1536},
};

const AbsentGpu& absent_gpu(const std::string& architecture) {
  if (architecture.empty()) return kAbsentGpus.front();
  const auto found = std::ranges::find(kAbsentGpus, architecture, &AbsentGpu::architecture);
  if (found != kAbsentGpus.end()) return *found;
  throw Error(fmt::format("the architecture of a GPU that is not here is one of {}: got '{}'",
                          architectures_without_a_gpu(), architecture));
}

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

std::string other_device(const DeviceChoice& choice) {
  if (kind_of(choice.name) == TargetKind::Cuda) return "cpu";
  std::string reason;
  return runtime::cuda_device_count(reason) > 0 ? "cuda:0" : "";
}

std::string architectures_without_a_gpu() {
  std::vector<std::string_view> known;
  known.reserve(kAbsentGpus.size());
  for (const AbsentGpu& one : kAbsentGpus) known.push_back(one.architecture);
  std::ranges::sort(known);
  return fmt::format("{}", fmt::join(known, ", "));
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

Machine describe_machine(const DeviceChoice& choice, runtime::Counters& counters,
                         const std::string& architecture) {
  if (kind_of(choice.name) == TargetKind::Cuda && choice.name == "cuda") {
    std::string reason;
    if (!architecture.empty() || runtime::cuda_device_count(reason) == 0) {
      const AbsentGpu& gpu = absent_gpu(architecture);
      const Target target{.kind = TargetKind::Cuda,
                          .threads = gpu.multiprocessors,
                          .vector_bytes = 16,
                          .cache_bytes = gpu.cache_mib << 20,
                          .shared_bytes = gpu.shared_kib << 10,
                          .resident_threads = gpu.resident_threads};
      return {with_fixed(target, choice), std::string(gpu.architecture), nullptr};
    }
  }
  auto device = open_device(choice, nullptr, counters);
  return {target_of(device->info(), choice), device->info().architecture, device};
}

}  // namespace weft::cli
