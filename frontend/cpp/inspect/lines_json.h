// Lines of the user's files in data that is written as JSON: [{"file": "blur.py", "line": 12}, …], with their
// callers where these were noted.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/base/source_line.h"

namespace weft::detail {

inline std::vector<SourceLine> without_callers(std::vector<SourceLine> lines) {
  for (SourceLine& line : lines) line.callers = 0;
  return lines;
}

// Of ProfileLine, SourceLine and the graph's own.
template <typename Line>
nlohmann::ordered_json lines_json(const std::vector<Line>& lines) {
  auto out = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    out.push_back({{"file", line.file}, {"line", line.line}});
    if constexpr (requires { line.callers; })
      if (line.callers > 0) out.back()["callers"] = lines_json(without_callers(callers_of(line)));
  }
  return out;
}

}  // namespace weft::detail
