// Which device a command works on, and what the compiler needs to know of it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/program/options.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::cli {

struct DeviceChoice {
  std::string name = "cpu";     // cpu, cuda, cuda:N
  std::string cache_directory;  // of compiled kernels; empty: no disk cache
  uint64_t cache_limit = uint64_t{1} << 30;
  // Fixed instead of asked of the machine, so that output does not depend on it.
  std::optional<int> threads, vector_bytes, resident_threads;
  std::optional<size_t> cache_bytes, shared_bytes;
};
// What the environment asks for.
DeviceChoice default_device_choice();
// --device and the hidden --threads, --vector-bytes, --cache-bytes, --shared-bytes and --resident-threads; with `cache`, --cache-dir.
void add_device_options(CLI::App& command, DeviceChoice& choice, bool cache);

// The device that computes the same to compare with: a GPU beside the CPU, the CPU beside a GPU; "" where there is none.
std::string other_device(const DeviceChoice& choice);

// Error when it is no device's name.
TargetKind kind_of(std::string_view device_name);

// The cache of compiled kernels, and of schedules; null where there is none on disk. Warns on the standard
// error when the folder that was chosen cannot be used.
std::shared_ptr<runtime::KernelCache> open_cache(const DeviceChoice& choice);

// Opens the device. Error when it cannot be had. `counters` outlives it.
std::shared_ptr<runtime::Device> open_device(const DeviceChoice& choice,
                                             std::shared_ptr<runtime::KernelCache> cache,
                                             runtime::Counters& counters);

// What kernels are made for on the opened device.
Target target_of(const runtime::DeviceInfo& info, const DeviceChoice& choice);

// For commands that only compile: also without the device. CUDA without a GPU is taken for an H100; with an
// architecture ("sm_89") for a GPU that has it, whatever is here.
struct Machine {
  Target target;
  std::string architecture;                 // "sm_90", "znver4"; empty for any CPU
  std::shared_ptr<runtime::Device> device;  // null where there is none
};
// Those architectures: "sm_100, sm_120, ...".
std::string architectures_without_a_gpu();
Machine describe_machine(const DeviceChoice& choice, runtime::Counters& counters,
                         const std::string& architecture = {});

}  // namespace weft::cli
