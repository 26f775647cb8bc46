#include "runtime/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/base/error.h"
#include "runtime/cuda/cuda_stream.h"
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
  try {
    queues_.push_back(std::make_unique<Queue>(*this));
  } catch (...) {
    driver_->cuDevicePrimaryCtxRelease(device_);
    throw;
  }
}

Context::~Context() {
  {
    Scope scope(*this);
    if (!scope.entered()) return;
    wait_for_all();
    unload(retired_);
    for (const auto& queue : queues_) queue->destroy();
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

Queue& Context::queue() const {
  const std::shared_ptr<Stream>* chosen = StreamScope::chosen(this);
  return chosen ? static_cast<const CudaStream&>(**chosen).queue() : first_queue();
}

Queue& Context::take_queue() {
  std::lock_guard lock(queues_mutex_);
  if (idle_queues_.empty()) {
    queues_.push_back(std::make_unique<Queue>(*this));
    idle_queues_.reserve(queues_.size());  // giving back cannot fail
    return *queues_.back();
  }
  Queue& queue = *idle_queues_.back();
  idle_queues_.pop_back();
  return queue;
}

void Context::give_back(Queue& queue) {
  std::lock_guard lock(queues_mutex_);
  idle_queues_.push_back(&queue);
}

CUresult Context::wait_for_all() const {
  std::vector<Queue*> queues;
  {
    std::lock_guard lock(queues_mutex_);
    for (const auto& queue : queues_) queues.push_back(queue.get());
  }
  for (Queue* queue : queues) {
    const uint64_t given = queue->given();
    const CUresult result = driver_->cuStreamSynchronize(queue->handle());
    if (result != kCudaSuccess) return result;
    queue->known_done(given);
  }
  return kCudaSuccess;
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
  if (in_forked_child)
    throw Error(
        fmt::format("{}: {}: CUDA does not survive fork(): start processes that use a GPU anew (in Python by "
                    "multiprocessing's 'spawn' or 'forkserver')",
                    name_, doing));
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
  if (scope.entered() && wait_for_all() == kCudaSuccess) unload(retired_);
}

void Context::synchronize(std::string_view doing) {
  std::vector<std::unique_ptr<LoadedModule>> passed;
  {
    std::lock_guard lock(mutex_);
    passed.swap(retired_);
  }
  uint64_t before = next_.load();
  CUresult result = wait_for_all();
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
