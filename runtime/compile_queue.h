// Kernels that are compiled behind a program which runs without them meanwhile. One thread does it, at a low
// priority, and begins with the kernel on whose lack most time was spent. It ends where nothing is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "compiler/base/hash.h"
#include "compiler/program/program.h"
#include "runtime/device.h"

namespace weft::runtime {

// A kernel of programs that run without it until it is there. Any number of threads run them.
class LateKernel {
 public:
  LateKernel() = default;
  ~LateKernel() { delete made_.load(std::memory_order_relaxed); }
  LateKernel(const LateKernel&) = delete;
  LateKernel& operator=(const LateKernel&) = delete;

  // Null until it is there; then always the same.
  const Kernel* get() const { return ready_.load(std::memory_order_acquire); }
  KernelRef ref() const;
  void put(KernelRef kernel);

  // What makes its source when that is asked for; before its first run.
  void make_source_by(MakeSource make) { make_ = std::move(make); }
  // The source: `given`, unless it is late. Any number of threads may make it at once; the first one's stays.
  const KernelSource& source_or(const KernelSource& given);
  // What its source says of how it is started; null unless it was late.
  const LateSource* late_source() const { return made_.load(std::memory_order_acquire); }

  // How long, and how often, the program may run without it. Before its first run.
  void allow(double ns, int32_t calls) { most_ns_ = ns, most_calls_ = calls; }
  // Notes a run without it. True once: when that has been used up.
  bool ran_without(int64_t ns);
  // Whether so much more time was spent that the next run should wait for the kernel.
  bool overdue() const {
    return static_cast<double>(spent_ns()) > kOverdue * most_ns_ && !failed_.load(std::memory_order_relaxed);
  }
  // It cannot be compiled: the program goes on without it.
  void fail() { failed_.store(true, std::memory_order_relaxed); }
  int64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }
  // It could not be had this time; the next runs count anew.
  void count_anew();

 private:
  static constexpr double kOverdue = 8;
  double most_ns_ = 0;
  int32_t most_calls_ = 0;
  std::atomic<const Kernel*> ready_{nullptr};
  std::atomic<int64_t> spent_ns_{0};
  std::atomic<int32_t> calls_{0};
  std::atomic<bool> wanted_{false}, failed_{false};
  MakeSource make_;  // none: the program has the source
  std::atomic<const LateSource*> made_{nullptr};
  mutable std::mutex mutex_;
  KernelRef kernel_;
};

class CompileQueue {
 public:
  // `tell` hears of each kernel that cannot be compiled, on any thread.
  explicit CompileQueue(std::function<void(const std::string&)> tell = {});
  // Returns when nothing is being compiled.
  ~CompileQueue();
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // The kernel of this source, which may run so long and so often without it: one for all programs that wait for it,
  // as what each of them lacks is the same.
  std::shared_ptr<LateKernel> late(const Device& device, const Hash& source, double ns, int32_t calls);
  // Has the kernel compiled, unless nobody holds `late` any longer when its turn comes.
  void add(const std::shared_ptr<Device>& device, const KernelSource& source,
           const std::shared_ptr<LateKernel>& late);
  // Compiles on this thread what still waits, or is under way. Throws the first CompileError.
  void finish();

 private:
  struct State;
  std::shared_ptr<State> state_;
  struct Waiting {
    const Device* device;
    Hash source;
    bool operator==(const Waiting&) const = default;
  };
  struct HashOfWaiting {
    size_t operator()(const Waiting& w) const { return HashOf()(w.source); }
  };
  std::mutex mutex_;
  std::unordered_map<Waiting, std::weak_ptr<LateKernel>, HashOfWaiting> waiting_;
  size_t looked_through_at_ = 64;  // entries: then those that nobody waits for go
};

}  // namespace weft::runtime
