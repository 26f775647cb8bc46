// The driver's calls on one GPU, and what is said where one fails. CUDA reports a kernel's failure with any
// later call, so the kernels that were started last are remembered for the message.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/cuda/driver_api.h"

namespace weft::runtime::cuda {

// A module in the context, with its one entry.
struct LoadedModule {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUfunction finish = nullptr;  // NAME_finish, where the source has it
  std::string name;
};

class DriverCalls {
 public:
  // `device` begins every message: "cuda:0".
  DriverCalls(std::shared_ptr<const DriverApi> driver, std::string device)
      : driver_(std::move(driver)), device_(std::move(device)) {}

  const DriverApi& driver() const { return *driver_; }
  const std::string& device_name() const { return device_; }

  // Throws InternalError when `result` is a failure; `doing` names the call. A failure of earlier work on the
  // stream is reported with the kernels that may have caused it, and again by every later call: the context
  // cannot recover.
  void check(CUresult result, std::string_view doing) const {
    if (result != kCudaSuccess) [[unlikely]]
      fail(result, doing);
  }
  [[noreturn]] void fail(CUresult result, std::string_view doing) const;

  // Notes a kernel that was just started; `module` lives until it is forgotten.
  void started(const LoadedModule* module) {
    recent_[next_.fetch_add(1, std::memory_order_relaxed) % kRecent].store(module, std::memory_order_relaxed);
  }
  uint64_t count_started() const { return next_.load(); }
  // The kernels before this count have ended well.
  void ended_well(uint64_t before);
  // No message reads the module after this.
  void forget(const LoadedModule* module);

 private:
  static constexpr size_t kRecent = 8;

  std::string suspects() const;

  std::shared_ptr<const DriverApi> driver_;
  std::string device_;
  std::array<std::atomic<const LoadedModule*>, kRecent> recent_{};
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> finished_{0};  // kernels before this count are known to have ended well
  mutable std::mutex mutex_;           // guards what follows, and the reading of modules through recent_
  mutable std::string failure_;
};

}  // namespace weft::runtime::cuda
