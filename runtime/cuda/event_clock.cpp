#include "runtime/cuda/event_clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

namespace weft::runtime::cuda {

namespace {
// A start that waits for the stream itself, as the loading of a kernel may, would wait for a gate that opens later.
constexpr std::chrono::milliseconds kLongest{5};
}  // namespace

struct EventClock::Gate {
  std::atomic<bool> open{false};

  // Called by the driver's thread, in the stream's order. It owns the share that it is given.
  static void wait(void* share) {
    const std::unique_ptr<std::shared_ptr<Gate>> gate(static_cast<std::shared_ptr<Gate>*>(share));
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (!(*gate)->open.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
  }
};

EventClock::EventClock(std::shared_ptr<Context> context, CUstream stream, int64_t overhead)
    : context_(std::move(context)), stream_(stream), overhead_(overhead) {
  Context::Scope scope(*context_);
  if (const auto call = context_->driver().cuLaunchHostFunc) {
    gate_ = std::make_shared<Gate>();
    auto share = std::make_unique<std::shared_ptr<Gate>>(gate_);
    std::shared_ptr<Gate>* const given = share.release();
    const CUresult result = call(stream_, Gate::wait, given);
    if (result != kCudaSuccess) share.reset(given);
    context_->check(result, "cuLaunchHostFunc");
  }
  start_ = std::make_unique<CudaEvent>(context_, stream_);
}

EventClock::~EventClock() {
  if (gate_) gate_->open.store(true, std::memory_order_release);
}

int64_t EventClock::stop() {
  CudaEvent end(context_, stream_);
  if (gate_) gate_->open.store(true, std::memory_order_release);
  end.synchronize();
  return std::max<int64_t>(std::llround(end.milliseconds_since(*start_) * 1e6) - overhead_, 0);
}

int64_t EventClock::overhead(const std::shared_ptr<Context>& context, CUstream stream, CUdeviceptr memory) {
  // What CUPTI says of the least kernels of an H100 and an H200.
  constexpr int64_t kLeast = 900;
  constexpr int kTimes = 7;
  std::array<int64_t, kTimes> times{};
  for (int64_t& one : times) {
    EventClock clock(context, stream, 0);
    const Context::Scope scope(*context);
    context->check(context->driver().cuMemsetD8Async(memory, 0, 1, stream), "cuMemsetD8Async");
    one = clock.stop();
  }
  std::ranges::nth_element(times, times.begin() + kTimes / 2);
  return std::max<int64_t>(times[kTimes / 2] - kLeast, 0);
}

}  // namespace weft::runtime::cuda
