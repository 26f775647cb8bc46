// What a thread starts between the opening and the end of a batch. Where a graph begins with the same starts,
// they are held back until it is seen whether the rest is the same too; then one call of the driver starts them
// all. Other starts go to the stream at once. Memory that is freed meanwhile stays with the thread until what
// uses it was started: other threads share the stream.
#pragma once

#include <span>
#include <vector>

#include "runtime/cuda/launch_graphs.h"
#include "runtime/cuda/sequence.h"

namespace weft::runtime::cuda {

// Gives starts to the thread's stream.
class Starter {
 public:
  virtual void start(const Start& what, std::span<const uint64_t> args) = 0;
  // Counts what a graph started.
  virtual void started(const LaunchGraph& graph) = 0;

 protected:
  ~Starter() = default;
};

class Batch final : public BlockKeeper {
 public:
  // The thread's, where one is open for this context; else null.
  static Batch* of(const Context& context) {
    return thread_.depth_ > 0 && thread_.graphs_->context().get() == &context ? &thread_ : nullptr;
  }
  // Batches of one device nest, and the outermost starts what is held back. Within that of one device, another
  // device has none.
  static void open(LaunchGraphs& graphs, Starter& starter, Queue& queue);
  static void close(const Context& context);

  // True: held back, or started already. False: it is the caller's to start.
  bool hold(const Start& what, std::span<const uint64_t> args);
  // Starts what is held back; what comes next begins anew.
  void flush();
  // While it starts what it held back, memory is asked for and freed as if it held nothing.
  bool holds_back() const { return started_ < sequence_.size() && !starting_; }

  bool keeps() const override { return holds_back(); }
  bool prefers_smaller() const override { return true; }  // as when nothing is held back
  // Only what the driver was told waits for memory.
  void has_none() override { flush(); }

 private:
  void start_until(size_t end);
  void launch(const LaunchGraphRef& graph);
  void begin_anew();

  static thread_local Batch thread_;

  int depth_ = 0;
  LaunchGraphs* graphs_ = nullptr;
  Starter* starter_ = nullptr;
  Queue* queue_ = nullptr;
  Sequence sequence_;
  size_t started_ = 0;  // of the sequence
  bool starting_ = false;
  std::vector<LaunchGraphRef> candidates_;  // that are as the sequence so far
  LaunchGraphRef complete_;                 // the longest that the sequence holds from its beginning
};

}  // namespace weft::runtime::cuda
