#include "compiler/base/source_line.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace weft {

namespace {

struct HashOfLine {
  size_t operator()(const SourceLine& line) const {
    return (reinterpret_cast<uintptr_t>(line.file) * 31 + line.line) * 31 + line.callers;
  }
};
struct AreOne {
  bool operator()(const SourceLine& a, const SourceLine& b) const { return are_one(a, b); }
};

struct Callers {
  static constexpr size_t kMost = 1 << 16;
  std::mutex mutex;
  std::deque<SourceLine> lines;  // by number, from 1
  std::unordered_map<SourceLine, uint32_t, HashOfLine, AreOne> numbers;
};
// Lines that name them live as long as the program.
Callers& all_callers() {
  static auto* const callers = new Callers;
  return *callers;
}

std::string text_of(const SourceLine& at) {
  std::string_view file = at.file;
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  return std::string(file) + ":" + std::to_string(at.line);
}

}  // namespace

uint32_t number_of_caller(const SourceLine& caller) {
  Callers& all = all_callers();
  const std::lock_guard lock(all.mutex);
  const auto known = all.numbers.find(caller);
  if (known != all.numbers.end()) return known->second;
  if (all.lines.size() == Callers::kMost) return 0;
  all.lines.push_back(caller);
  const auto number = static_cast<uint32_t>(all.lines.size());
  all.numbers.emplace(caller, number);
  return number;
}

std::vector<SourceLine> callers_of(const SourceLine& line) {
  std::vector<SourceLine> out;
  if (line.callers == 0) return out;
  Callers& all = all_callers();
  const std::lock_guard lock(all.mutex);
  for (uint32_t number = line.callers; number > 0; number = out.back().callers)
    out.push_back(all.lines[number - 1]);
  return out;
}

std::string to_string(std::span<const SourceLine> lines) {
  std::string text;
  for (const SourceLine& at : lines) {
    if (!text.empty()) text += ", ";
    text += text_of(at);
    for (const SourceLine& caller : callers_of(at)) text += " from " + text_of(caller);
  }
  return text;
}

}  // namespace weft
