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

// What a launch takes that joins the parts of a row, at most, in nanoseconds.
constexpr int64_t kSecondLaunch = 10'000;
// Sets which are small, and sorts them.
void rank(std::vector<ProfileAdvice>& advice);
bool share_a_line(const std::vector<ProfileLine>& a, const std::vector<ProfileLine>& b);
// "advice: widened at blur.py:12: 31 %: 3.21 ms of 10.4 ms: …", and a line's end. No size where it is not known.
std::string advice_text(const ProfileAdvice& advice);

}  // namespace weft::detail
