// CUDA graphs of sequences that came again and again: one call of the driver starts what took a call for each
// kernel. The sequences of one device are counted here, and the graphs of the frequent ones kept.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/cuda/context.h"
#include "runtime/cuda/device_pool.h"
#include "runtime/cuda/kernel_table.h"
#include "runtime/cuda/sequence.h"

namespace weft::runtime::cuda {

// A sequence as the driver starts it in one call. The context is current at its end.
struct LaunchGraph {
  Sequence sequence;
  Queue* queue = nullptr;  // for which it was made
  CUgraphExec exec = nullptr;
  std::vector<std::shared_ptr<const CudaKernel>> kernels;  // that it starts, in order
  int64_t launches = 0, products = 0;
  std::vector<Block> memory;  // that its products work in
  // How often it was started, and how often a sequence began like it and then went another way.
  std::atomic<int64_t> hits{0}, misses{0};
};
using LaunchGraphRef = std::shared_ptr<LaunchGraph>;

class LaunchGraphs {
 public:
  // A shorter sequence gains nothing; a longer one is cut, lest the GPU wait for its end.
  static constexpr size_t kFewest = 6, kMost = 256;
  // Times that a sequence must have come before it becomes a graph: making one takes as long as some turns.
  static constexpr int kTimes = 4;

  LaunchGraphs(std::shared_ptr<Context> context, DevicePool& pool)
      : context_(std::move(context)), pool_(pool) {}
  ~LaunchGraphs();
  LaunchGraphs(const LaunchGraphs&) = delete;
  LaunchGraphs& operator=(const LaunchGraphs&) = delete;

  bool supported() const;
  const std::shared_ptr<Context>& context() const { return context_; }
  DevicePool& pool() const { return pool_; }

  // Graphs for this queue whose first start is that of the sequence.
  std::vector<LaunchGraphRef> beginning_with(const Sequence& sequence, const Queue& queue);
  // Counts the sequence; true where it has come so often that it is to be captured, which is said once.
  bool has_come_often(const Sequence& sequence, const Queue& queue);
  // Makes a graph of what `start_all` gives to the thread's stream; none of it runs now. Where the driver or the
  // memory does not allow it, there is no graph.
  void capture(const Sequence& sequence, Queue& queue, const std::function<void()>& start_all);
  // The sequence went another way than the graph.
  void missed(const LaunchGraphRef& graph);
  void launch(LaunchGraph& graph);

 private:
  static constexpr size_t kMostCounted = 1024, kMostGraphs = 128;

  void insert(LaunchGraphRef graph);
  void end(LaunchGraph& graph);

  std::shared_ptr<Context> context_;
  DevicePool& pool_;
  std::mutex capturing_;       // one at a time
  CUstream stream_ = nullptr;  // that captures
  std::mutex mutex_;           // guards what follows
  std::unordered_map<Hash, int, HashOf> times_;
  std::unordered_multimap<Hash, LaunchGraphRef, HashOf> graphs_;  // by their first start
  std::vector<std::pair<LaunchGraphRef, uint64_t>> dropped_;      // until their queue has passed the position
};

}  // namespace weft::runtime::cuda
