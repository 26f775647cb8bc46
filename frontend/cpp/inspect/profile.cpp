#include "frontend/cpp/weft/profile.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "frontend/cpp/evaluate/graphs_seen.h"
#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/evaluate/see_costs.h"
#include "frontend/cpp/inspect/compute_speed.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/page_programs.h"
#include "frontend/cpp/inspect/profile_report.h"
#include "frontend/cpp/inspect/report_page.h"
#include "frontend/cpp/inspect/users_words.h"
#include "frontend/cpp/session/session_state.h"

namespace weft {

struct Profile::State {
  detail::SessionState& session;
  runtime::Trace& trace = session.counters.trace;
  int64_t start = 0, bytes_before = 0;
  const runtime::HardwareCounters hardware;  // since the profile began
  const runtime::ProcessorWaiting waiting;
  detail::GraphsSeen graphs;
  std::optional<detail::ProfileReport> report;

  // What happened to memory.
  std::vector<runtime::MemoryChange> end() {
    trace.stop();
    graphs = detail::take_graphs(session);
    std::vector<const runtime::Device*> devices;
    session.for_each_open_device([&](detail::DeviceSlot& slot) { devices.push_back(slot.device.get()); });
    return runtime::memory_trace.stop(devices, start);
  }
  std::vector<std::string> programs(double memory_speed) const {
    std::vector<std::string> out;
    out.reserve(graphs.graphs.size());
    for (const detail::GraphSeen& seen : graphs.graphs)
      out.push_back(json_of(detail::PageProgram{seen.graph, seen.device->target,
                                                seen.device->compile_options(), seen.device->device.get(),
                                                seen.device->name, memory_speed, seen.runs}));
    return out;
  }
  // Since the profile began.
  std::vector<detail::Planned> planned() const {
    constexpr size_t kMost = 1024;
    std::vector<detail::Planned> out = detail::last_planned(session, kMost);
    std::erase_if(out, [&](const detail::Planned& one) { return one.at < start; });
    return out;
  }
  const detail::ProfileReport& ended() const {
    if (!report) throw Error("profile: it is still running: stop it first, as the end of its block does");
    return *report;
  }
};

Profile::Profile(const Session& session) : state_(new State{session.state()}) {
  if (!state_->trace.start(&runtime::waited_by_thread))
    throw Error(
        "profile: another profile of this session is running, and profiles do not nest: stop it first, or "
        "measure "
        "with the outer one alone");
  state_->session.costs_seen.take();
  detail::take_graphs(state_->session);
  state_->session.for_each_open_device([&](detail::DeviceSlot& slot) {
    state_->bytes_before += static_cast<int64_t>(slot.device->memory().in_use);
  });
  runtime::memory_trace.start();
  state_->start = runtime::Trace::now();
  state_->trace.pass(state_->start);
}

Profile::Profile(Profile&&) noexcept = default;

Profile::~Profile() {
  if (running()) state_->end();
}

bool Profile::running() const { return state_ && !state_->report; }

void Profile::stop(const std::string& error) {
  if (!running()) return;
  const int64_t end = runtime::Trace::now();
  state_->trace.pass(end);
  const runtime::HardwareCounts counts = state_->hardware.read();
  const runtime::ProcessorWaits waits = state_->waiting.read();
  runtime::Trace::Taken taken = state_->trace.stop();
  std::vector<runtime::MemoryChange> memory = state_->end();
  for (const detail::GraphSeen& seen : state_->graphs.graphs)
    detail::see_spills(seen.graph, *seen.program, *seen.device, state_->session.costs_seen);
  std::vector<detail::CostSeen> costs = state_->session.costs_seen.take();
  std::ranges::for_each(costs, detail::tell_in_users_words);
  detail::ProfileReport report =
      detail::report_of(std::move(taken), costs, state_->start, end, state_->planned());
  report.waits = waits;
  report.error = error;
  report.memory = std::move(memory);
  report.bytes_before = state_->bytes_before;
  report.counts = counts, report.no_counters = state_->hardware.problem();
  state_->report = std::move(report);
}

const std::vector<ProfileRow>& Profile::rows() const { return state_->ended().rows; }
const std::vector<ProfileAdvice>& Profile::advice() const { return state_->ended().advice; }
int64_t Profile::wall_ns() const { return state_->ended().wall_ns; }
int64_t Profile::accounted_ns() const { return state_->ended().accounted_ns; }
int64_t Profile::first_calls_ns() const { return state_->ended().first_calls_ns; }
int64_t Profile::dropped() const { return state_->ended().dropped; }
std::string Profile::table() const { return detail::table_of(state_->ended()); }
std::string Profile::json() const { return detail::json_of(state_->ended()); }
std::string Profile::trace() const { return detail::trace_of(state_->ended()); }
void Profile::save(const std::string& path) const {
  const detail::ProfileReport& report = state_->ended();
  if (path.ends_with(".csv")) return detail::save_text("profile", path, detail::csv_of(report));
  if (!detail::is_page(path)) return detail::save_text("profile", path, detail::trace_of(report));
  const std::shared_ptr<runtime::Device>& device = state_->session.device("").device;
  runtime::KernelCache* cache = state_->session.cache.get();
  const double speed = detail::memory_speed(device, cache);
  detail::save_text("profile", path,
                    detail::page_of(report, {{},
                                             speed,
                                             detail::compute_speed(device, cache),
                                             state_->programs(speed),
                                             state_->graphs.more,
                                             detail::planned_json(state_->session)}));
}

}  // namespace weft
