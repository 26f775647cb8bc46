// What a profile advises: what could be spared, the lines that have it, what to write instead, and how much time it is about.
#pragma once

#include <string>
#include <vector>

#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/weft/profile.h"
#include "runtime/trace.h"

namespace weft::detail {

struct Profiled {
  const std::vector<runtime::TraceEvent>& events;
  const std::vector<int64_t>& event_ns;  // of the wall time, of each
  const std::vector<ProfileRow>& rows;
  const std::vector<CostSeen>& costs;
  int64_t wall_ns = 0, first_calls_ns = 0;
};

// The most time first; one for each cause and its lines.
std::vector<ProfileAdvice> advice_on(const Profiled& profiled);

// "31 % of the time: 3.21 ms of 10.4 ms", or "" where it is not known.
std::string size_of(const ProfileAdvice& advice);

}  // namespace weft::detail
