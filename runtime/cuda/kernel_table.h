// The kernels of one device: found in memory, else in the disk cache, else compiled by NVRTC; then loaded.
// Threads that ask for the same source at once share one compilation. Bounded: the kernel unused for longest
// goes.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/counters.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::runtime::cuda {

class CudaKernel final : public Kernel, public std::enable_shared_from_this<CudaKernel> {
 public:
  CudaKernel(std::shared_ptr<Context> context, std::unique_ptr<LoadedModule> module);
  ~CudaKernel() override;

  KernelResources resources() const override;
  const Context* context() const { return context_.get(); }
  const LoadedModule& module() const { return *module_; }
  // Bytes of the argument block that the entry declares; 0 where the driver cannot say.
  size_t argument_bytes() const { return argument_bytes_; }
  // Gives the text's __constant__ arrays their elements, in the order of the stream, once the launches before that read
  // others are done. Nobody else sets them before the lock is let go, behind the launch and read_constants().
  std::unique_lock<std::mutex> set_constants(const std::vector<KernelConstant>& constants,
                                             std::span<const uint64_t> args, CUstream stream) const;
  void read_constants(CUstream stream) const;
  // Prepares the function for a launch of this shape; a repeated shape costs one load. Throws Error when a
  // block wants more shared memory than the device has.
  void prepare(const Launch& how) const {
    if (prepared_.load(std::memory_order_acquire) != shape_of(how)) [[unlikely]]
      prepare_shape(how);
  }

 private:
  static uint32_t threads_of(const Launch& how) { return how.threads * how.threads_y * how.threads_z; }
  // Never 0: a block has at least one thread.
  static uint64_t shape_of(const Launch& how) {
    return uint64_t{how.shared_bytes} << 32 | uint64_t{how.cluster & 0xffff} << 16 |
           (threads_of(how) & 0xffff);
  }
  void prepare_shape(const Launch& how) const;

  std::shared_ptr<Context> context_;
  std::unique_ptr<LoadedModule> module_;
  KernelResources resources_;
  size_t argument_bytes_ = 0;

  mutable std::mutex mutex_;  // guards the preparing
  mutable std::atomic<uint64_t> prepared_{0};
  mutable std::atomic<int> blocks_per_processor_{-1};
  mutable uint32_t allowed_shared_bytes_ = 0;

  mutable std::mutex constants_mutex_;  // of what follows, and of the arrays
  mutable CUevent constants_read_ = nullptr;
};

class KernelTable {
 public:
  // `cache` may be null. The context must be current in `load`.
  KernelTable(std::shared_ptr<Context> context, std::string architecture,
              std::vector<std::string> library_directories, std::shared_ptr<KernelCache> cache,
              Counters& counters, size_t most_kernels);

  // Of a source that is linked, the entry is the image in which its name is found.
  KernelRef load(const KernelSource& source);
  std::string ptx(const KernelSource& source);

 private:
  struct Entry {
    KernelRef kernel;
    uint64_t last_used = 0;
  };
  KernelRef find_or_compile(const KernelSource& source);
  KernelRef load_module(const KernelSource& source, const void* image);
  // Opened at the first need; throws Error with the reason where there is none.
  const Nvrtc& nvrtc();
  // The toolchains whose code may be taken from the disk cache.
  const std::vector<std::string>& toolchains();
  void open_compiler();
  void insert(const Hash& hash, KernelRef kernel);

  std::shared_ptr<Context> context_;
  std::string architecture_;
  std::vector<std::string> library_directories_;
  std::shared_ptr<KernelCache> cache_;
  Counters& counters_;
  size_t most_kernels_;

  std::once_flag compiler_once_;
  std::unique_ptr<Nvrtc> nvrtc_;
  std::string no_nvrtc_because_;
  std::vector<std::string> toolchains_;

  std::mutex mutex_;
  uint64_t clock_ = 0;
  std::unordered_map<Hash, Entry, HashOf> kernels_;
  std::unordered_map<Hash, std::shared_future<KernelRef>, HashOf> underway_;
};

}  // namespace weft::runtime::cuda
