#include "frontend/cpp/inspect/time_shares.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace weft::detail {

namespace {

struct Boundary {
  int64_t at = 0;
  bool begins = false;
  int64_t ns = 0;
  size_t event = 0;
};

// Ends first, then beginnings, the longest first: what lies within other work begins after it.
std::vector<Boundary> boundaries_of(const std::vector<runtime::TraceEvent>& events) {
  std::vector<Boundary> out;
  out.reserve(2 * events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    const runtime::TraceEvent& e = events[i];
    if (e.behind || e.ns <= 0) continue;
    out.push_back({e.start, true, e.ns, i});
    out.push_back({e.start + e.ns, false, e.ns, i});
  }
  std::ranges::sort(out, {}, [](const Boundary& b) {
    return std::tuple(b.at, b.begins, b.begins ? -b.ns : b.ns, b.event);
  });
  return out;
}

}  // namespace

TimeShares time_shares(const std::vector<runtime::TraceEvent>& events,
                       const std::function<bool(const runtime::TraceEvent&)>& is_around) {
  TimeShares out;
  out.ns.resize(events.size());
  std::map<int, std::vector<size_t>> open;  // of each thread that works, the innermost last
  std::vector<size_t> at_work, around;
  int64_t since = 0;
  for (const Boundary& b : boundaries_of(events)) {
    if (const int64_t ns = b.at - since; ns > 0 && !open.empty()) {
      at_work.clear(), around.clear();
      for (const auto& [thread, stack] : open)
        (is_around(events[stack.back()]) ? around : at_work).push_back(stack.back());
      const std::vector<size_t>& those = at_work.empty() ? around : at_work;
      const auto count = static_cast<int64_t>(those.size());
      for (const size_t i : those) out.ns[i] += ns / count;
      out.ns[those.front()] += ns % count;
      out.covered += ns;
    }
    since = b.at;
    std::vector<size_t>& stack = open[events[b.event].thread];
    if (b.begins)
      stack.push_back(b.event);
    else
      std::erase(stack, b.event);
    if (stack.empty()) open.erase(events[b.event].thread);
  }
  return out;
}

}  // namespace weft::detail
