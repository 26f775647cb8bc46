#include "runtime/cuda/queue.h"

#include <algorithm>

namespace weft::runtime::cuda {

Queue::Queue(const DriverCalls& calls) : calls_(calls) {
  calls.check(calls.driver().cuStreamCreate(&handle_, kStreamNonBlocking), "cuStreamCreate");
}

void Queue::destroy() noexcept {
  if (marker_) calls_.driver().cuEventDestroy(marker_);
  for (CUdeviceptr counters : counters_) calls_.driver().cuMemFree(counters);
  calls_.driver().cuStreamDestroy(handle_);
}

void Queue::known_done(uint64_t position) {
  uint64_t known = done_.load(std::memory_order_relaxed);
  while (known < position && !done_.compare_exchange_weak(known, position)) {
  }
}

void Queue::mark_locked(uint64_t position) {
  if (marked_ >= position && marker_) return;
  const DriverApi& driver = calls_.driver();
  if (!marker_) calls_.check(driver.cuEventCreate(&marker_, kEventDisableTiming), "cuEventCreate");
  // Counted before it is recorded: work that another thread gives in between is covered and not counted.
  const uint64_t given = this->given();
  calls_.check(driver.cuEventRecord(marker_, handle_), "cuEventRecord");
  marked_ = given;
}

bool Queue::passed(uint64_t position) {
  if (done_.load(std::memory_order_relaxed) >= position) return true;
  std::lock_guard lock(mutex_);
  // A marker that is under way is asked again before a later one is recorded: it may never come to an end
  // otherwise.
  if (marked_ < position && (marked_ == 0 || done_.load(std::memory_order_relaxed) >= marked_))
    mark_locked(position);
  constexpr CUresult kNotReady = 600;
  const CUresult result = calls_.driver().cuEventQuery(marker_);
  if (result == kNotReady) return false;
  calls_.check(result, "cuEventQuery");
  known_done(marked_);
  return marked_ >= position;
}

void Queue::wait_for(Queue& other, uint64_t position) {
  if (&other == this || other.done_.load(std::memory_order_relaxed) >= position) return;
  std::lock_guard lock(other.mutex_);
  other.mark_locked(position);
  calls_.check(calls_.driver().cuStreamWaitEvent(handle_, other.marker_, 0), "cuStreamWaitEvent");
  gave();
}

void Queue::synchronize_to(uint64_t position) {
  if (done_.load(std::memory_order_relaxed) >= position) return;
  CUevent event = nullptr;
  uint64_t covers = 0;
  {
    std::lock_guard lock(mutex_);
    mark_locked(position);
    event = marker_;
    covers = marked_;
  }
  // Recorded again meanwhile, it only comes later.
  calls_.check(calls_.driver().cuEventSynchronize(event), "cuEventSynchronize");
  known_done(covers);
}

CUdeviceptr Queue::counters(size_t count) {
  constexpr size_t kFewest = 4096;
  std::lock_guard lock(mutex_);
  if (counter_count_ < count) {
    const size_t words = std::max(count, kFewest), bytes = words * sizeof(uint32_t);
    CUdeviceptr memory = 0;
    calls_.check(calls_.driver().cuMemAlloc(&memory, bytes), "cuMemAlloc of counters");
    counters_.push_back(memory);
    calls_.check(calls_.driver().cuMemsetD8Async(memory, 0, bytes, handle_), "zeros for counters");
    gave();
    counter_count_ = words;
  }
  return counters_.back();
}

void Uses::before_write(Queue& queue) const {
  if (&queue != home) queue.wait_for(*home, home->given());
  for (const Read& read : elsewhere) queue.wait_for(*read.queue, read.position);
}

void Uses::after_read(Queue& queue) {
  if (&queue == home) return;
  const auto known =
      std::find_if(elsewhere.begin(), elsewhere.end(), [&](const Read& r) { return r.queue == &queue; });
  if (known != elsewhere.end()) {
    known->position = queue.given();
  } else {
    elsewhere.push_back({&queue, queue.given()});
  }
}

void Uses::after_write(Queue& queue, uint64_t position) {
  home = &queue;
  written = position;
  elsewhere.clear();
}

}  // namespace weft::runtime::cuda
