#include "frontend/cpp/evaluate/graphs_seen.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

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

bool see_graph(DeviceSlot& device, const std::shared_ptr<const runtime::Executable>& program,
               const std::function<ir::Graph()>& make) {
  AllGraphs& all = all_graphs();
  const std::lock_guard lock(all.mutex);
  GraphsSeen& seen = all.of[&device.session];
  const auto known = std::ranges::find(seen.graphs, program, &GraphSeen::program);
  if (known != seen.graphs.end()) {
    ++known->runs;
    return false;
  }
  if (seen.graphs.size() < GraphsSeen::kMost)
    seen.graphs.push_back({&device, program, make()});
  else
    ++seen.more;
  return true;
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
