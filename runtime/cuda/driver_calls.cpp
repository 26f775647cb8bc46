#include "runtime/cuda/driver_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/base/error.h"
#include "runtime/fork.h"

namespace weft::runtime::cuda {

namespace {

// Failures of work already on the stream, after which the context answers every call with the same error.
bool is_sticky(CUresult result) {
  constexpr CUresult kSticky[] = {
      214,  // ECC_UNCORRECTABLE
      220,  // NVLINK_UNCORRECTABLE
      226,  // CONTAINED
      700,  // ILLEGAL_ADDRESS
      702,  // LAUNCH_TIMEOUT
      710,  // ASSERT
      714,  // HARDWARE_STACK_ERROR
      715,  // ILLEGAL_INSTRUCTION
      716,  // MISALIGNED_ADDRESS
      717,  // INVALID_ADDRESS_SPACE
      718,  // INVALID_PC
      719,  // LAUNCH_FAILED
      721,  // TENSOR_MEMORY_LEAK
      999,  // UNKNOWN
  };
  return std::find(std::begin(kSticky), std::end(kSticky), result) != std::end(kSticky);
}

}  // namespace

std::string DriverCalls::suspects() const {
  uint64_t next = next_.load(), finished = finished_.load();
  std::string names;
  for (uint64_t i = next; i > finished && next - i < kRecent; --i) {
    if (const LoadedModule* module = recent_[(i - 1) % kRecent].load())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", module->name);
  }
  return names;
}

void DriverCalls::fail(CUresult result, std::string_view doing) const {
  if (in_forked_child)
    throw Error(
        fmt::format("{}: {}: CUDA does not survive fork(): start processes that use a GPU anew (in Python by "
                    "multiprocessing's 'spawn' or 'forkserver')",
                    device_, doing));
  if (!is_sticky(result))
    throw InternalError(fmt::format("{}: {}: {}", device_, doing, driver_->describe(result)));
  std::lock_guard lock(mutex_);
  if (failure_.empty()) {
    std::string names = suspects();
    failure_ =
        driver_->describe(result) +
        (names.empty() ? "" : fmt::format("; kernels started since the last wait, newest first: {}", names));
  }
  throw InternalError(fmt::format(
      "{}: {}: work given to the device earlier has failed, and the device cannot be used again in this "
      "process: {}",
      device_, doing, failure_));
}

void DriverCalls::ended_well(uint64_t before) {
  uint64_t known = finished_.load();
  while (known < before && !finished_.compare_exchange_weak(known, before)) {
  }
}

void DriverCalls::forget(const LoadedModule* module) {
  std::lock_guard lock(mutex_);
  for (auto& slot : recent_) {
    const LoadedModule* expected = module;
    slot.compare_exchange_strong(expected, nullptr);
  }
}

}  // namespace weft::runtime::cuda
