#include "runtime/cuda/batch.h"

#include <algorithm>
#include <utility>

namespace weft::runtime::cuda {

thread_local Batch Batch::thread_;

void Batch::open(LaunchGraphs& graphs, Starter& starter, Queue& queue) {
  Batch& batch = thread_;
  if (batch.depth_ > 0) {
    batch.depth_ += batch.graphs_ == &graphs ? 1 : 0;
    return;
  }
  batch.graphs_ = &graphs, batch.starter_ = &starter, batch.queue_ = &queue;
  batch.depth_ = 1;
  batch.keep_from_now_on(graphs.context().get());
}

void Batch::close(const Context& context) {
  Batch* const batch = of(context);
  if (!batch) return;
  if (batch->depth_ > 1) {
    --batch->depth_;
    return;
  }
  // Closed whatever happens: what follows is started at once.
  const auto end = [&] {
    batch->begin_anew();
    batch->depth_ = 0;
    batch->keep_no_longer();
  };
  try {
    batch->flush();
  } catch (...) {
    end();
    throw;
  }
  end();
}

bool Batch::hold(const Start& what, std::span<const uint64_t> args) {
  if (sequence_.size() == LaunchGraphs::kMost) flush();
  const size_t i = sequence_.size();
  sequence_.add(what, args);
  if (i == 0) {
    candidates_ = graphs_->beginning_with(sequence_, *queue_);
  } else if (!candidates_.empty()) {
    const LaunchGraphRef first = candidates_.front();
    std::erase_if(candidates_, [&](const LaunchGraphRef& graph) {
      return graph->sequence.size() <= i || !sequence_.same_at(i, graph->sequence);
    });
    if (candidates_.empty() && !complete_) graphs_->missed(first);
  }
  if (candidates_.empty()) {
    start_until(i);
    started_ = i + 1;
    return false;
  }
  const auto ends = std::ranges::find_if(
      candidates_, [&](const LaunchGraphRef& graph) { return graph->sequence.size() == i + 1; });
  if (ends == candidates_.end()) return true;
  complete_ = *ends;
  if (candidates_.size() > 1) return true;
  launch(complete_);
  begin_anew();
  return true;
}

void Batch::start_until(size_t end) {
  if (complete_) {
    launch(complete_);
    complete_ = nullptr;
  }
  starting_ = true;
  for (; started_ < end; ++started_) {
    try {
      starter_->start(sequence_.start(started_), sequence_.args(started_));
    } catch (...) {
      starting_ = false;
      throw;
    }
  }
  starting_ = false;
}

void Batch::flush() {
  if (holds_back()) {
    if (!complete_ && !candidates_.empty()) graphs_->missed(candidates_.front());
    candidates_.clear();
    start_until(sequence_.size());
  } else if (graphs_->has_come_often(sequence_, *queue_)) {
    graphs_->capture(sequence_, *queue_, [&] {
      for (size_t i = 0; i < sequence_.size(); ++i) starter_->start(sequence_.start(i), sequence_.args(i));
    });
  }
  begin_anew();
}

void Batch::launch(const LaunchGraphRef& graph) {
  graphs_->launch(*graph);
  starter_->started(*graph);
  started_ = graph->sequence.size();
}

void Batch::begin_anew() {
  sequence_.clear();
  candidates_.clear();
  complete_ = nullptr;
  started_ = 0;
  for (Block& block : kept) graphs_->pool().free_now(std::move(block));
  kept.clear();
}

}  // namespace weft::runtime::cuda
