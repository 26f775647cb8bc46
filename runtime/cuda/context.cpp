#include "runtime/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/base/error.h"

namespace weft::runtime::cuda {

Context::Context(std::shared_ptr<const DriverApi> driver, int ordinal)
    : calls_(std::move(driver), fmt::format("cuda:{}", ordinal)), ordinal_(ordinal) {
  const DriverApi& api = calls_.driver();
  int count = 0;
  CUresult result = api.cuDeviceGetCount(&count);
  if (result != kCudaSuccess)
    throw Error(fmt::format("{}: cannot count the devices: {}", name(), api.describe(result)));
  if (ordinal < 0 || ordinal >= count)
    throw Error(fmt::format("{}: no such device; this machine shows {} CUDA device{}", name(), count,
                            count == 1 ? "" : "s"));
  result = api.cuDeviceGet(&device_, ordinal);
  if (result == kCudaSuccess) {
    if (!attribute(kDeviceMemoryPools))
      throw Error(fmt::format("{}: the device has no stream-ordered memory pools, which Weft needs", name()));
    result = api.cuDevicePrimaryCtxRetain(&context_, device_);
  }
  if (result != kCudaSuccess)
    throw Error(fmt::format("{}: cannot be used: {}", name(), api.describe(result)));

  Scope scope(*this);
  try {
    queues_.push_back(std::make_unique<Queue>(calls_));
  } catch (...) {
    api.cuDevicePrimaryCtxRelease(device_);
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
  if (driver().cuCtxGetCurrent(&current) == kCudaSuccess && current == context_)
    driver().cuCtxSetCurrent(nullptr);
  driver().cuDevicePrimaryCtxRelease(device_);
}

int Context::attribute(int which) const {
  int value = 0;
  CUresult result = driver().cuDeviceGetAttribute(&value, which, device_);
  // A driver older than an attribute does not have what it asks about.
  return result == kCudaSuccess ? value : 0;
}

Queue& Context::take_queue() {
  std::lock_guard lock(queues_mutex_);
  if (idle_queues_.empty()) {
    queues_.push_back(std::make_unique<Queue>(calls_));
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
    const CUresult result = driver().cuStreamSynchronize(queue->handle());
    if (result != kCudaSuccess) return result;
    queue->known_done(given);
  }
  return kCudaSuccess;
}

Context::Scope::Scope(const Context& context) : context_(context) {
  if (context.driver().cuCtxGetCurrent(&previous_) != kCudaSuccess) return;
  if (previous_ == context.context_) {
    previous_ = nullptr;
    entered_ = true;
  } else {
    entered_ = context.driver().cuCtxSetCurrent(context.context_) == kCudaSuccess;
  }
}

Context::Scope::~Scope() {
  if (previous_ && entered_) context_.driver().cuCtxSetCurrent(previous_);
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
  const uint64_t before = calls_.count_started();
  CUresult result = wait_for_all();
  {
    std::lock_guard lock(mutex_);
    if (result == kCudaSuccess) {
      calls_.ended_well(before);
      unload(passed);
    } else {
      std::move(passed.begin(), passed.end(), std::back_inserter(retired_));
    }
  }
  check(result, doing);
}

void Context::unload(std::vector<std::unique_ptr<LoadedModule>>& modules) {
  for (const auto& module : modules) {
    calls_.forget(module.get());
    driver().cuModuleUnload(module->module);
  }
  modules.clear();
}

}  // namespace weft::runtime::cuda
