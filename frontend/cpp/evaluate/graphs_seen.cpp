#include "frontend/cpp/evaluate/graphs_seen.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "compiler/base/hash.h"
#include "frontend/cpp/session/asked.h"

namespace weft::detail {

namespace {

struct AllGraphs {
  std::mutex mutex;
  std::unordered_map<const SessionState*, GraphsSeen> of;
};

AllGraphs& all_graphs() {
  static AllGraphs graphs_of_sessions;
  return graphs_of_sessions;
}

}  // namespace

runtime::TraceEvent event_around(std::span<const ir::NodeRef> nodes) {
  runtime::TraceEvent event;
  event.work = runtime::Work::Plan, event.what = kFindsPrograms;
  ir::Lines lines;
  for (const ir::NodeRef& node : nodes) lines = lines.united(node->lines);
  event.lines = lines.all();
  const Asked& asked = asked_now();
  event.asked_by = asked.by, event.asked_at = asked.line;
  return event;
}

uint64_t number_around(std::span<const ir::NodeRef> nodes) {
  const Asked& asked = asked_now();
  uint64_t hash = reinterpret_cast<uintptr_t>(asked.by);
  const auto add = [&](const SourceLine& line) {
    const std::array<uint64_t, 3> one{reinterpret_cast<uintptr_t>(line.file), line.line, line.callers};
    hash = hash_bytes(one.data(), sizeof one, hash).low;
  };
  add(asked.line);
  for (const ir::NodeRef& node : nodes) {
    if (!node->lines.only().file && !node->lines.empty()) return 0;
    add(node->lines.only());
  }
  return hash;
}

int64_t see_graph(DeviceSlot& device, const std::shared_ptr<const runtime::Executable>& program,
                  uint64_t lines, const std::function<ir::Graph()>& make) {
  AllGraphs& all = all_graphs();
  const std::lock_guard lock(all.mutex);
  GraphsSeen& seen = all.of[&device.session];
  const auto count = [&](size_t graph) {
    ++(graph < seen.graphs.size() ? seen.graphs[graph].runs : seen.more);
  };
  const uint64_t key = reinterpret_cast<uintptr_t>(program.get()) + lines;
  if (const auto known = seen.ran.find(key); known != seen.ran.end()) {
    count(known->second.graph);
    return ++known->second.runs;
  }
  const auto drawn = std::ranges::find(seen.graphs, program, &GraphSeen::program);
  const auto graph = static_cast<size_t>(drawn - seen.graphs.begin());
  if (seen.ran.size() < GraphsSeen::kMostRan) seen.ran.try_emplace(key, GraphsSeen::Ran{program, 1, graph});
  if (graph == seen.graphs.size() && graph < GraphsSeen::kMost)
    seen.graphs.push_back({&device, program, make()});
  else
    count(graph);
  return 1;
}

GraphsSeen take_graphs(const SessionState& session) {
  GraphsSeen taken;  // what is dropped is dropped after the lock
  AllGraphs& all = all_graphs();
  const std::lock_guard lock(all.mutex);
  const auto found = all.of.find(&session);
  if (found == all.of.end()) return taken;
  taken = std::move(found->second);
  all.of.erase(found);
  return taken;
}

}  // namespace weft::detail
