// A profile as one page for a browser: it asks nothing of another host, and works from a file.
#pragma once

#include <string>

#include "frontend/cpp/inspect/profile_report.h"

namespace weft::detail {

struct PageParts {
  std::string title;        // what was profiled; empty: a program
  double memory_speed = 0;  // bytes a second; 0: not known
  std::string explain;      // JSON of explain; empty: none
};

// HTML: what happened in one glance, advice, a time line, rows, lines, speeds, and kernels with their reasons.
std::string page_of(const ProfileReport& report, const PageParts& parts);
// Whether a file of this name is to be the page, not the trace.
bool is_page(const std::string& path);

}  // namespace weft::detail
