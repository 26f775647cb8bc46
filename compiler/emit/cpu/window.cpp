#include "compiler/emit/cpu/window.h"

#include "compiler/emit/cpu/uniform.h"

namespace weft::emit::cpu {

using namespace plan;

std::string find_bounds(const Entry& e) {
  std::string out;
  for (auto& [name, bound] : e.entry.bounds) {
    const std::string at = format("b{} + {}", bound.buffer, word(e, bound.elements));
    out += bound.is_end
               ? format("  const char* const {} = (const char*)(((long)({}) + 4095) & -4096);\n", name, at)
               : format("  const char* const {} = (const char*)((long)({}) & -4096);\n", name, at);
  }
  if (const auto& zeros = e.layout.scratch.zeros)
    out += format("  __builtin_memset({}, 0, {});\n", in_scratch(e, zeros->at), word(e, zeros->bytes));
  return out;
}

std::string place_window(const Entry& e, const Load& s, const std::string& low, const std::string& high) {
  const auto size = static_cast<int64_t>(size_of(e.program.buffers[s.buffer].dtype));
  const std::string element = e.element(e.program.buffers[s.buffer].dtype);
  const int64_t by = along_lanes(e.layout.lanes, s.at)->value;
  auto times = [&](const std::string& x) { return by == 1 ? x : format("({}) * {}", x, by); };
  const std::string count = times(format("right - left + {}", slack_of_window(e.layout.lanes.count, size)));
  const std::string only_if = guard(e, s.guards);
  const std::string unless = only_if.empty() ? ""
                                             : format("!({}) ? (const {}*){} : ", only_if, element,
                                                      in_scratch(e, e.layout.scratch.zeros->at));
  return format(
      "      const {0}* at{1} = {2} + {3};\n"
      "      s.r{1} = {4}(const char*)at{1} >= first{5} && (const char*)(at{1} + {6}) <= past{5} ? at{1}\n"
      "               : (const {0}*)weft_aside(at{1}, {7}, {8}, {6}, {9}, {10});\n",
      element, s.out, address(e, s.buffer, s.at), times("left"), unless, s.buffer, count, times(low),
      by == 1 ? high : format("(({}) - 1) * {} + 1", high, by), size,
      in_scratch(e, e.layout.scratch.windows.at(s.out)));
}

}  // namespace weft::emit::cpu
