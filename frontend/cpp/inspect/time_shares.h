// Who has each moment of a trace: pieces of work lie within each other, and threads work at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/trace.h"

namespace weft::detail {

struct TimeShares {
  // Of each event, in nanoseconds. A moment belongs to the innermost work of a thread. Threads that work at the same
  // time have equal parts of it, so the sum over all events is `covered`.
  std::vector<int64_t> ns;
  // In which some thread worked.
  int64_t covered = 0;
};

// Work around other work waits for it: it has the moments alone in which no thread does anything else. Compiling that
// nobody waits for has none.
TimeShares time_shares(const std::vector<runtime::TraceEvent>& events,
                       const std::function<bool(const runtime::TraceEvent&)>& is_around);

}  // namespace weft::detail
