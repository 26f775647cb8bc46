// What a profile holds once it has ended: pieces of work, rows of equal work, advice, memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/cpp/weft/profile.h"
#include "runtime/hardware_counters.h"
#include "runtime/memory_trace.h"
#include "runtime/processor_waits.h"
#include "runtime/trace.h"

namespace weft::detail {

struct ProfileReport {
  std::vector<runtime::TraceEvent> events;  // in the order in which they ended
  std::vector<ProfileRow> rows;             // the most time first; overhead and the caller's code last
  std::vector<ProfileAdvice> advice;
  std::vector<runtime::MemoryChange> memory;  // in order
  int64_t bytes_before = 0;                   // held when it began
  int64_t start = 0, wall_ns = 0, accounted_ns = 0, first_calls_ns = 0, dropped = 0;
  runtime::HardwareCounts counts;  // of all threads; of the processor
  runtime::ProcessorWaits waits;   // as other processes had the processors
  std::string error;               // what ended it early; empty: nothing
  std::string no_counters;         // why there are none; empty: there are
};

// Kinds of rows that are no work that somebody asked for: what Weft does around it, and what no event covers.
constexpr std::string_view kOverhead = "overhead", kYourCode = "your code";
// "kernel", "blocks", …
std::string_view kind_of(const runtime::TraceEvent& event);
// Of rows of this kind, whether a second call has none of it.
bool is_first_call(std::string_view kind);

std::vector<ProfileLine> lines_of(const std::vector<SourceLine>& lines);
bool is_same(const ProfileLine& a, const ProfileLine& b);
bool share_a_line(const std::vector<ProfileLine>& a, const std::vector<ProfileLine>& b);
// "blur.py:12, 14, model.py:3", of six lines at most.
std::string text_of(const std::vector<ProfileLine>& lines);
// "3.21 ms", "1.05 s".
std::string milliseconds(int64_t ns);

}  // namespace weft::detail
