// Device memory in stream order. A pool of the driver's keeps what it got. In front of it stands a list of
// free blocks on the host, because a call of the driver takes a microsecond. A freed block goes at once to
// the stream that used it, whose earlier work comes first anyway; another stream gets it when all users are
// done. Safe from any thread; nothing but `allocate`, `trim` and `info` calls the driver.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/block.h"
#include "runtime/cuda/context.h"
#include "runtime/device.h"

namespace weft::runtime::cuda {

class DevicePool {
 public:
  // The context must be current in the constructor and in every call but `free`.
  explicit DevicePool(std::shared_ptr<Context> context);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  // At least `bytes`, 256-byte aligned, for the thread's queue to use first; no memory for 0 bytes. Throws
  // OutOfMemory after everything free was given back and the request tried again.
  Block allocate(size_t bytes);
  void free(Block&& block) noexcept;
  // The same of a block that nothing uses which is yet to be started.
  void free_now(Block&& block) noexcept;
  // Waits for the stream and gives all free memory back to the system.
  void trim();
  MemoryInfo info() const;
  size_t device_bytes() const { return device_bytes_; }

 private:
  // These are called with the mutex held.
  struct Free {
    CUdeviceptr pointer;
    uint64_t until;  // position of the home queue
    Uses uses;
  };
  static bool usable(const Free& block, Queue& queue);
  bool take_free(size_t bytes, Queue& queue, Block& block);
  bool take_kept(Block& block);
  void release_free();
  void trim_locked();
  [[noreturn]] void out_of_memory(size_t bytes) const;

  std::shared_ptr<Context> context_;
  CUmemoryPool pool_ = nullptr;
  size_t device_bytes_ = 0;

  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Free>> free_;  // by rounded size; no empty lists
  size_t free_bytes_ = 0, in_use_ = 0, peak_ = 0;
};

}  // namespace weft::runtime::cuda
