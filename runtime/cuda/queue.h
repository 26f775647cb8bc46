// A stream of the driver, and how far its work is known to be done. Work is counted as it is given. An event
// is recorded only where somebody has to know that a count was passed, so one stream alone records nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/cuda/driver_calls.h"

namespace weft::runtime::cuda {

class Queue {
 public:
  // The context is current here and in every call.
  explicit Queue(const DriverCalls& calls);
  // The context ends its queues by this, while it still can call the driver.
  void destroy() noexcept;

  CUstream handle() const { return handle_; }
  // Counts a piece of work that was just put on the stream.
  void gave() { given_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t given() const { return given_.load(std::memory_order_relaxed); }

  // Whether the work up to `position` is known to be done. Does not wait.
  bool passed(uint64_t position);
  // What this queue is given from now on runs after the other's work up to `position`.
  void wait_for(Queue& other, uint64_t position);
  // Returns when the work up to `position` is done.
  void synchronize_to(uint64_t position);
  // To be told after the host waited for all work up to `position`.
  void known_done(uint64_t position);

  // At least so many words for kernels of this queue that find 0 in them and leave 0 there: no two of them
  // run at once.
  CUdeviceptr counters(size_t count);

 private:
  void mark_locked(uint64_t position);

  const DriverCalls& calls_;
  CUstream handle_ = nullptr;
  std::atomic<uint64_t> given_{0}, done_{0};
  std::mutex mutex_;  // guards what follows
  CUevent marker_ = nullptr;
  uint64_t marked_ = 0;  // what was given when the marker was recorded
  // The last is the largest; work may still use the others.
  std::vector<CUdeviceptr> counters_;
  size_t counter_count_ = 0;
};

// Who uses a piece of memory: the queue that wrote to it last and reads it as it likes, and what other queues
// read.
struct Uses {
  struct Read {
    Queue* queue;
    uint64_t position;
  };
  // Instead of a position: whatever the queue was given by the time that somebody asks.
  static constexpr uint64_t kLatest = UINT64_MAX;

  Queue* home = nullptr;
  uint64_t written = 0;  // position of the home queue, or kLatest
  std::vector<Read> elsewhere;

  // Before and after `queue` is given work that reads or writes the memory.
  void before_read(Queue& queue) const { queue.wait_for(*home, std::min(written, home->given())); }
  void before_write(Queue& queue) const;
  void after_read(Queue& queue);
  void after_write(Queue& queue, uint64_t position);
};

}  // namespace weft::runtime::cuda
