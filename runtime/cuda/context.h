// One GPU's primary context and the queues that the work of a device goes through.
// Everything that owns a piece of the context (pool, kernels, staging) holds a share of this object, so that
// it goes last; after the driver has shut down at process exit, or in a forked child, its destructor does
// nothing.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cuda/driver_calls.h"
#include "runtime/cuda/queue.h"

namespace weft::runtime::cuda {

class Context {
 public:
  // Throws Error when there is no such device or it lacks what Weft needs.
  Context(std::shared_ptr<const DriverApi> driver, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverApi& driver() const { return calls_.driver(); }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }
  int ordinal() const { return ordinal_; }
  // What the work of a thread goes to that chose no stream; cuda_stream.h asks which one a thread chose.
  Queue& first_queue() const { return *queues_.front(); }
  // A queue that nobody else has chosen, and its return; queues live as long as the context.
  Queue& take_queue();
  void give_back(Queue& queue);
  const std::string& name() const { return calls_.device_name(); }  // "cuda:0"
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

  // As DriverCalls has them.
  void check(CUresult result, std::string_view doing) const { calls_.check(result, doing); }
  [[noreturn]] void fail(CUresult result, std::string_view doing) const { calls_.fail(result, doing); }
  // `module` lives until retired and unloaded.
  void started(const LoadedModule* module) { calls_.started(module); }

  // Takes a module that nobody will start again; it is unloaded when the stream has passed it.
  void retire(std::unique_ptr<LoadedModule> module) noexcept;
  // Waits for all work so far, on every stream, and unloads what was retired before.
  void synchronize(std::string_view doing);

 private:
  static constexpr size_t kMostRetired = 64;

  CUresult wait_for_all() const;
  void unload(std::vector<std::unique_ptr<LoadedModule>>& modules);

  DriverCalls calls_;
  int ordinal_ = 0;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;

  mutable std::mutex queues_mutex_;  // guards the two lists; the first queue stays where it is
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<Queue*> idle_queues_;

  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<LoadedModule>> retired_;
};

}  // namespace weft::runtime::cuda
