// A profile as one page for a browser: it asks nothing of another host, and works from a file.
#pragma once

#include <string>
#include <vector>

#include "frontend/cpp/inspect/compute_speed.h"
#include "frontend/cpp/inspect/profile_report.h"

namespace weft::detail {

struct PageParts {
  std::string title;                       // what was profiled; empty: a program
  double memory_speed = 0;                 // bytes a second; 0: not known
  ComputeSpeed compute_speed = {};         // of the device
  std::vector<std::string> programs = {};  // JSON of each, as page_programs.h makes it
  int64_t more_runs = 0;                   // of programs that are not on the page
  std::string planned = "[]";  // JSON: what was planned lately, and why, as planned_json() makes it
};

// HTML: what happened in one glance, advice, a time line, rows, lines, speeds, memory, what was compiled, and each program as a graph
// and as texts.
std::string page_of(const ProfileReport& report, const PageParts& parts);
// Whether a file of this name is to be the page, not the trace.
bool is_page(const std::string& path);

}  // namespace weft::detail
