// One GPU's primary context and the streams that the work of a device goes through.
// Everything that owns a piece of the context (pool, kernels, staging) holds a share of this object, so that
// it goes last; after the driver has shut down at process exit, or in a forked child, its destructor does
// nothing.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cuda/driver_api.h"
#include "runtime/cuda/queue.h"

namespace weft::runtime::cuda {

// A module in the context, with its one entry.
struct LoadedModule {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUfunction finish = nullptr;  // NAME_finish, where the source has it
  std::string name;
};

class Context {
 public:
  // Throws Error when there is no such device or it lacks what Weft needs.
  Context(std::shared_ptr<const DriverApi> driver, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverApi& driver() const { return *driver_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }
  int ordinal() const { return ordinal_; }
  // What this thread's work goes to: the stream that it chose for this context, else the first one.
  Queue& queue() const;
  CUstream stream() const { return queue().handle(); }
  Queue& first_queue() const { return *queues_.front(); }
  // A queue that nobody else has chosen, and its return; queues live as long as the context.
  Queue& take_queue();
  void give_back(Queue& queue);
  const std::string& name() const { return name_; }  // "cuda:0"
  int attribute(int which) const;

  // Makes the context current on this thread. Another library's context is put back at the end of the scope;
  // a thread that had none keeps this one, which makes the next call cheap.
  class Scope {
   public:
    explicit Scope(const Context& context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // False when the driver is gone; only destructors need to ask, since others see it as an error.
    bool entered() const { return entered_; }

   private:
    const Context& context_;
    CUcontext previous_ = nullptr;
    bool entered_ = false;
  };

  // Throws InternalError when `result` is a failure; `doing` names the call. A failure of earlier work on the
  // stream is reported with the kernels that may have caused it, and again by every later call: the context
  // cannot recover.
  void check(CUresult result, std::string_view doing) const {
    if (result != kCudaSuccess) [[unlikely]]
      fail(result, doing);
  }
  [[noreturn]] void fail(CUresult result, std::string_view doing) const;

  // Notes a kernel that was just started, for the messages of failures; `module` lives until retired and
  // reaped.
  void started(const LoadedModule* module) {
    recent_[next_.fetch_add(1, std::memory_order_relaxed) % kRecent].store(module, std::memory_order_relaxed);
  }
  // Takes a module that nobody will start again; it is unloaded when the stream has passed it.
  void retire(std::unique_ptr<LoadedModule> module) noexcept;
  // Waits for all work so far, on every stream, and unloads what was retired before.
  void synchronize(std::string_view doing);

 private:
  static constexpr size_t kRecent = 8;
  static constexpr size_t kMostRetired = 64;

  std::string suspects() const;
  CUresult wait_for_all() const;
  void unload(std::vector<std::unique_ptr<LoadedModule>>& modules);

  std::shared_ptr<const DriverApi> driver_;
  int ordinal_ = 0;
  std::string name_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;

  mutable std::mutex queues_mutex_;  // guards the two lists; the first queue stays where it is
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<Queue*> idle_queues_;

  std::array<std::atomic<const LoadedModule*>, kRecent> recent_{};
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> finished_{0};  // kernels before this count are known to have ended well

  mutable std::mutex mutex_;  // guards what follows, and the reading of modules through recent_
  mutable std::string failure_;
  std::vector<std::unique_ptr<LoadedModule>> retired_;
};

}  // namespace weft::runtime::cuda
