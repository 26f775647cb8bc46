#include "frontend/cpp/weft/profile.h"

#include <optional>

#include "compiler/base/error.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/profile_report.h"
#include "frontend/cpp/inspect/report_page.h"
#include "frontend/cpp/session/session_state.h"

namespace weft {

struct Profile::State {
  detail::SessionState& session;
  runtime::Trace& trace = session.counters.trace;
  int64_t start = 0;
  std::optional<detail::ProfileReport> report;

  const detail::ProfileReport& ended() const {
    if (!report) throw Error("profile: it is still running: stop it first, as the end of its block does");
    return *report;
  }
};

Profile::Profile(const Session& session) : state_(new State{session.state()}) {
  if (!state_->trace.start())
    throw Error(
        "profile: another profile of this session is running, and profiles do not nest: stop it first, or "
        "measure "
        "with the outer one alone");
  state_->session.costs_seen.take();
  state_->start = runtime::Trace::now();
}

Profile::Profile(Profile&&) noexcept = default;

Profile::~Profile() {
  if (running()) state_->trace.stop();
}

bool Profile::running() const { return state_ && !state_->report; }

void Profile::stop() {
  if (!running()) return;
  const int64_t end = runtime::Trace::now();
  state_->report =
      detail::report_of(state_->trace.stop(), state_->session.costs_seen.take(), state_->start, end);
}

const std::vector<ProfileRow>& Profile::rows() const { return state_->ended().rows; }
const std::vector<ProfileAdvice>& Profile::advice() const { return state_->ended().advice; }
int64_t Profile::wall_ns() const { return state_->ended().wall_ns; }
int64_t Profile::accounted_ns() const { return state_->ended().accounted_ns; }
int64_t Profile::dropped() const { return state_->ended().dropped; }
std::string Profile::table() const { return detail::table_of(state_->ended()); }
std::string Profile::json() const { return detail::json_of(state_->ended()); }
std::string Profile::trace() const { return detail::trace_of(state_->ended()); }
void Profile::save(const std::string& path) const {
  const detail::ProfileReport& report = state_->ended();
  if (!detail::is_page(path)) return detail::save_text("profile", path, detail::trace_of(report));
  const double speed = detail::memory_speed(state_->session.device("").device);
  detail::save_text("profile", path, detail::page_of(report, {{}, speed, {}}));
}

}  // namespace weft
