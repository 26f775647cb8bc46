#include "runtime/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/base/error.h"

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

Context::Context(std::shared_ptr<const DriverApi> driver, int ordinal)
    : driver_(std::move(driver)), ordinal_(ordinal), name_(fmt::format("cuda:{}", ordinal)) {
  int count = 0;
  CUresult result = driver_->cuDeviceGetCount(&count);
  if (result != kCudaSuccess)
    throw Error(fmt::format("{}: cannot count the devices: {}", name_, driver_->describe(result)));
  if (ordinal < 0 || ordinal >= count)
    throw Error(fmt::format("{}: no such device; this machine shows {} CUDA device{}", name_, count,
                            count == 1 ? "" : "s"));
  result = driver_->cuDeviceGet(&device_, ordinal);
  if (result == kCudaSuccess) {
    if (!attribute(kDeviceMemoryPools))
      throw Error(fmt::format("{}: the device has no stream-ordered memory pools, which Weft needs", name_));
    result = driver_->cuDevicePrimaryCtxRetain(&context_, device_);
  }
  if (result != kCudaSuccess)
    throw Error(fmt::format("{}: cannot be used: {}", name_, driver_->describe(result)));

  Scope scope(*this);
  result = driver_->cuStreamCreate(&stream_, kStreamNonBlocking);
  if (result != kCudaSuccess) {
    driver_->cuDevicePrimaryCtxRelease(device_);
    throw Error(fmt::format("{}: cannot make a stream: {}", name_, driver_->describe(result)));
  }
}

Context::~Context() {
  {
    Scope scope(*this);
    if (!scope.entered()) return;
    driver_->cuStreamSynchronize(stream_);
    unload(retired_);
    driver_->cuStreamDestroy(stream_);
  }
  // The primary context may end here, so it must not stay current on this thread.
  CUcontext current = nullptr;
  if (driver_->cuCtxGetCurrent(&current) == kCudaSuccess && current == context_)
    driver_->cuCtxSetCurrent(nullptr);
  driver_->cuDevicePrimaryCtxRelease(device_);
}

int Context::attribute(int which) const {
  int value = 0;
  CUresult result = driver_->cuDeviceGetAttribute(&value, which, device_);
  // A driver older than an attribute does not have what it asks about.
  return result == kCudaSuccess ? value : 0;
}

Context::Scope::Scope(const Context& context) : context_(context) {
  if (context.driver_->cuCtxGetCurrent(&previous_) != kCudaSuccess) return;
  if (previous_ == context.context_) {
    previous_ = nullptr;
    entered_ = true;
  } else {
    entered_ = context.driver_->cuCtxSetCurrent(context.context_) == kCudaSuccess;
  }
}

Context::Scope::~Scope() {
  if (previous_ && entered_) context_.driver_->cuCtxSetCurrent(previous_);
}

std::string Context::suspects() const {
  uint64_t next = next_.load(), finished = finished_.load();
  std::string names;
  for (uint64_t i = next; i > finished && next - i < kRecent; --i) {
    if (const LoadedModule* module = recent_[(i - 1) % kRecent].load())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", module->name);
  }
  return names;
}

void Context::fail(CUresult result, std::string_view doing) const {
  if (!is_sticky(result))
    throw InternalError(fmt::format("{}: {}: {}", name_, doing, driver_->describe(result)));
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
      name_, doing, failure_));
}

void Context::retire(std::unique_ptr<LoadedModule> module) noexcept {
  std::lock_guard lock(mutex_);
  retired_.push_back(std::move(module));
  if (retired_.size() < kMostRetired) return;
  Scope scope(*this);
  if (scope.entered() && driver_->cuStreamSynchronize(stream_) == kCudaSuccess) unload(retired_);
}

void Context::synchronize(std::string_view doing) {
  std::vector<std::unique_ptr<LoadedModule>> passed;
  {
    std::lock_guard lock(mutex_);
    passed.swap(retired_);
  }
  uint64_t before = next_.load();
  CUresult result = driver_->cuStreamSynchronize(stream_);
  {
    std::lock_guard lock(mutex_);
    if (result == kCudaSuccess) {
      if (before > finished_.load()) finished_.store(before);
      unload(passed);
    } else {
      std::move(passed.begin(), passed.end(), std::back_inserter(retired_));
    }
  }
  check(result, doing);
}

void Context::unload(std::vector<std::unique_ptr<LoadedModule>>& modules) {
  for (const auto& module : modules) {
    for (auto& slot : recent_) {
      const LoadedModule* expected = module.get();
      slot.compare_exchange_strong(expected, nullptr);
    }
    driver_->cuModuleUnload(module->module);
  }
  modules.clear();
}

}  // namespace weft::runtime::cuda
