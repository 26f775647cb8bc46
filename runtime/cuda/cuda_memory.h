// The buffers of a CUDA device.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/cuda/device_pool.h"
#include "runtime/device.h"
#include "runtime/memory_trace.h"

namespace weft::runtime::cuda {

// Every buffer of a CUDA device.
class CudaMemory : public Buffer {
 public:
  CudaMemory(std::shared_ptr<Device> device, Block&& block, size_t bytes, Writable writable)
      : Buffer(std::move(device), reinterpret_cast<void*>(block.pointer), bytes, writable),
        block_(std::move(block)) {}
  template <class F>
  void with_uses(F&& f) const {
    std::lock_guard lock(mutex_);
    f(block_.uses);
  }

 protected:
  Block& block() { return block_; }

 private:
  mutable std::mutex mutex_;
  mutable Block block_;
};

class CudaBuffer final : public CudaMemory {
 public:
  CudaBuffer(std::shared_ptr<Device> device, DevicePool& pool, Block&& block, size_t bytes)
      : CudaMemory(std::move(device), std::move(block), bytes, Writable::Freely), pool_(pool) {
    if (memory_trace.on()) memory_trace.handed_out(this->device().get(), data(), bytes);
  }
  ~CudaBuffer() override {
    if (memory_trace.on()) memory_trace.given_back(device().get(), data(), bytes());
    pool_.free(std::move(block()));
  }

 private:
  DevicePool& pool_;  // of the device that the base class holds
};

// Memory of another library, which may use it for something else as soon as it has it back.
class AdoptedMemory final : public CudaMemory {
 public:
  AdoptedMemory(std::shared_ptr<Device> device, std::shared_ptr<Context> context, Block&& block, size_t bytes,
                std::function<void()> release)
      : CudaMemory(std::move(device), std::move(block), bytes, Writable::Never),
        context_(std::move(context)),
        release_(std::move(release)) {}
  ~AdoptedMemory() override {
    try {
      Context::Scope scope(*context_);
      Uses& uses = block().uses;
      if (scope.entered()) {
        uses.home->synchronize_to(uses.home->given());
        for (const Uses::Read& read : uses.elsewhere) read.queue->synchronize_to(read.position);
      }
    } catch (const std::exception&) {
      // The context has failed; nothing will use the memory any more.
    }
    release_();
  }

 private:
  std::shared_ptr<Context> context_;
  std::function<void()> release_;
};

}  // namespace weft::runtime::cuda
