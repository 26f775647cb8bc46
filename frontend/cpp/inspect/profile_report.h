// A trace as people and programs read it: rows of equal work, a table, JSON, and a trace for Perfetto.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/inspect/profile_data.h"
#include "frontend/cpp/session/costs_seen.h"

namespace weft::detail {

// The most memory that was held at once, beyond what was held when the profile began, and whose it was.
struct MemoryPeak {
  int64_t bytes = 0, at = 0;
  std::vector<std::pair<std::string, int64_t>> owners;  // the most bytes first
};
MemoryPeak peak_of(const ProfileReport& report);

// `planned`: what the session planned meanwhile.
ProfileReport report_of(runtime::Trace::Taken taken, const std::vector<CostSeen>& costs, int64_t start,
                        int64_t end, std::span<const Planned> planned = {});
std::string table_of(const ProfileReport& report);
std::string json_of(const ProfileReport& report);
// The rows, as comma-separated values: one line of names, then a line for each.
std::string csv_of(const ProfileReport& report);
std::string trace_of(const ProfileReport& report);
// Writes the text to a file, whole or not at all.
void save_text(const char* op, const std::string& path, const std::string& text);

}  // namespace weft::detail
