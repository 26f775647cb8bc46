// What advice is made of: what ran while a profile did, what it cost, and what the session noted meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/cpp/evaluate/planned.h"
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
  std::span<const Planned> planned = {};  // what the session planned meanwhile
};

}  // namespace weft::detail
