// A trace as people and programs read it: rows of equal work, a table, JSON, and a trace for Perfetto.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/weft/profile.h"
#include "runtime/hardware_counters.h"
#include "runtime/memory_trace.h"
#include "runtime/trace.h"

namespace weft::detail {

struct ProfileReport {
  std::vector<runtime::TraceEvent> events;  // in the order in which they ended
  std::vector<ProfileRow> rows;             // the most time first
  std::vector<ProfileAdvice> advice;
  std::vector<runtime::MemoryChange> memory;  // in order
  int64_t bytes_before = 0;                   // held when it began
  int64_t start = 0, wall_ns = 0, accounted_ns = 0, dropped = 0;
  runtime::HardwareCounts counts;  // of all threads; of the processor
  std::string no_counters;         // why there are none; empty: there are
};

// The most memory that was held at once, beyond what was held when the profile began, and whose it was.
struct MemoryPeak {
  int64_t bytes = 0, at = 0;
  std::vector<std::pair<std::string, int64_t>> owners;  // the most bytes first
};
MemoryPeak peak_of(const ProfileReport& report);

// "kernel", "blocks", …
std::string_view kind_of(const runtime::TraceEvent& event);
ProfileReport report_of(runtime::Trace::Taken taken, const std::vector<CostSeen>& costs, int64_t start,
                        int64_t end);
std::string table_of(const ProfileReport& report);
std::string json_of(const ProfileReport& report);
// The rows, as comma-separated values: one line of names, then a line for each.
std::string csv_of(const ProfileReport& report);
std::string trace_of(const ProfileReport& report);
// Writes the text to a file, whole or not at all.
void save_text(const char* op, const std::string& path, const std::string& text);

}  // namespace weft::detail
