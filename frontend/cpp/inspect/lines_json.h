// Lines of the user's files in data that is written as JSON: [{"file": "blur.py", "line": 12}, …].
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace weft::detail {

// Of ProfileLine, SourceLine and the graph's own.
template <typename Line>
nlohmann::ordered_json lines_json(const std::vector<Line>& lines) {
  auto out = nlohmann::ordered_json::array();
  for (const Line& line : lines) out.push_back({{"file", line.file}, {"line", line.line}});
  return out;
}

}  // namespace weft::detail
