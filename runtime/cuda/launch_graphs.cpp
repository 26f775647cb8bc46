#include "runtime/cuda/launch_graphs.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "runtime/cuda/cuda_stream.h"

namespace weft::runtime::cuda {

namespace {

constexpr CUresult kFailed = 999;

// Of the sequence's first `count` starts on this queue.
Hash key(const Sequence& sequence, size_t count, const Queue& queue) {
  Hash hash = sequence.hash(count);
  hash.low ^= reinterpret_cast<uint64_t>(&queue);
  return hash;
}

// What the sequence starts, as counters have it, and what has to live as long as its graph.
void take_stock(LaunchGraph& graph) {
  for (size_t i = 0; i < graph.sequence.size(); ++i) {
    const Start& start = graph.sequence.start(i);
    if (const auto* k = std::get_if<KernelStart>(&start)) {
      graph.kernels.push_back(k->kernel->shared_from_this());
      graph.launches += k->how.finish_tasks > 0 ? 2 : 1;
    } else if (std::holds_alternative<ProductStart>(start)) {
      ++graph.products;
    }
  }
}

}  // namespace

LaunchGraphs::~LaunchGraphs() {
  Context::Scope scope(*context_);
  if (!scope.entered()) return;
  for (auto& [hash, graph] : graphs_) dropped_.emplace_back(graph, 0);
  if (!dropped_.empty()) context_->driver().cuCtxSynchronize();
  for (auto& [graph, until] : dropped_) end(*graph);
  if (stream_) context_->driver().cuStreamDestroy(stream_);
}

bool LaunchGraphs::supported() const {
  const DriverApi& driver = context_->driver();
  return driver.cuStreamBeginCapture && driver.cuStreamEndCapture && driver.cuGraphInstantiateWithFlags &&
         driver.cuGraphLaunch && driver.cuGraphDestroy && driver.cuGraphExecDestroy;
}

std::vector<LaunchGraphRef> LaunchGraphs::beginning_with(const Sequence& sequence, const Queue& queue) {
  std::vector<LaunchGraphRef> found;
  const std::lock_guard lock(mutex_);
  if (graphs_.empty()) return found;
  auto [from, to] = graphs_.equal_range(key(sequence, 1, queue));
  for (; from != to; ++from)
    if (sequence.same_at(0, from->second->sequence)) found.push_back(from->second);
  return found;
}

bool LaunchGraphs::has_come_often(const Sequence& sequence, const Queue& queue) {
  if (sequence.size() < kFewest) return false;
  const std::lock_guard lock(mutex_);
  if (times_.size() >= kMostCounted) times_.clear();
  return ++times_[key(sequence, sequence.size(), queue)] == kTimes;
}

void LaunchGraphs::capture(const Sequence& sequence, Queue& queue, const std::function<void()>& start_all) {
  auto graph = std::make_shared<LaunchGraph>();
  graph->sequence = sequence, graph->queue = &queue;
  take_stock(*graph);
  const DriverApi& driver = context_->driver();
  const std::lock_guard one(capturing_);
  if (!stream_) context_->check(driver.cuStreamCreate(&stream_, kStreamNonBlocking), "cuStreamCreate");
  if (driver.cuStreamBeginCapture(stream_, kCaptureRelaxed) != kCudaSuccess) return;
  bool started = true;
  {
    CaptureScope scope(*context_, stream_);
    try {
      start_all();
    } catch (const Error&) {
      started = false;
    }
    graph->memory = std::move(scope.kept);
  }
  CUgraph captured = nullptr;
  CUresult result = driver.cuStreamEndCapture(stream_, &captured);
  if (!started) result = kFailed;
  if (result == kCudaSuccess) result = driver.cuGraphInstantiateWithFlags(&graph->exec, captured, 0);
  if (captured) driver.cuGraphDestroy(captured);
  if (result == kCudaSuccess)
    insert(std::move(graph));
  else
    end(*graph);
}

void LaunchGraphs::insert(LaunchGraphRef graph) {
  const std::lock_guard lock(mutex_);
  // The one that was used least makes room.
  if (graphs_.size() >= kMostGraphs) {
    const auto least = std::ranges::min_element(
        graphs_, {}, [](const auto& entry) { return entry.second->hits.load(std::memory_order_relaxed); });
    dropped_.emplace_back(least->second, least->second->queue->given());
    graphs_.erase(least);
  }
  const Hash first = key(graph->sequence, 1, *graph->queue);
  graphs_.emplace(first, std::move(graph));
  std::erase_if(dropped_, [&](auto& entry) {
    auto& [old, until] = entry;
    if (old.use_count() > 1 || !old->queue->passed(until)) return false;
    end(*old);
    return true;
  });
}

void LaunchGraphs::end(LaunchGraph& graph) {
  if (graph.exec) context_->driver().cuGraphExecDestroy(graph.exec);
  graph.exec = nullptr;
  for (Block& block : graph.memory) pool_.free_now(std::move(block));
  graph.memory.clear();
}

void LaunchGraphs::missed(const LaunchGraphRef& graph) {
  constexpr int64_t kPatience = 16;
  const int64_t misses = graph->misses.fetch_add(1, std::memory_order_relaxed) + 1;
  if (misses < kPatience + graph->hits.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  auto [from, to] = graphs_.equal_range(key(graph->sequence, 1, *graph->queue));
  const auto found = std::find_if(from, to, [&](const auto& entry) { return entry.second == graph; });
  if (found == to) return;
  dropped_.emplace_back(graph, graph->queue->given());
  graphs_.erase(found);
}

void LaunchGraphs::launch(LaunchGraph& graph) {
  context_->check(context_->driver().cuGraphLaunch(graph.exec, graph.queue->handle()), "cuGraphLaunch");
  graph.hits.fetch_add(1, std::memory_order_relaxed);
  constexpr size_t kSuspects = 8;
  const size_t count = graph.kernels.size();
  for (size_t i = count - std::min(count, kSuspects); i < count; ++i)
    context_->started(&graph.kernels[i]->module());
  graph.queue->gave();
}

}  // namespace weft::runtime::cuda
