#include "frontend/cpp/inspect/report_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "frontend/cpp/inspect/page_programs.h"
#include "frontend/cpp/inspect/page_text.h"

namespace weft::detail {

namespace {

using nlohmann::ordered_json;

// Of the longest pieces of work; a page with more would be slow to open.
constexpr size_t kMostDrawn = 20'000;

using RowKey = std::tuple<std::string, std::string, std::vector<std::pair<std::string, uint32_t>>>;

// The longest events: the number of the row that counts each, its start and length in nanoseconds, its thread.
ordered_json drawn_events(const ProfileReport& report) {
  std::map<RowKey, size_t> rows;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    std::vector<std::pair<std::string, uint32_t>> lines;
    lines.reserve(report.rows[i].lines.size());
    for (const ProfileLine& line : report.rows[i].lines) lines.emplace_back(line.file, line.line);
    rows.emplace(RowKey(report.rows[i].kind, report.rows[i].what, std::move(lines)), i);
  }
  std::vector<const runtime::TraceEvent*> longest;
  longest.reserve(report.events.size());
  for (const runtime::TraceEvent& e : report.events) longest.push_back(&e);
  if (longest.size() > kMostDrawn) {
    std::ranges::nth_element(longest, longest.begin() + kMostDrawn, std::ranges::greater{},
                             &runtime::TraceEvent::ns);
    longest.resize(kMostDrawn);
  }
  ordered_json out = ordered_json::array();
  for (const runtime::TraceEvent* e : longest) {
    std::vector<std::pair<std::string, uint32_t>> lines;
    lines.reserve(e->lines.size());
    for (const SourceLine& line : e->lines) lines.emplace_back(line.file, line.line);
    const auto row = rows.find(RowKey(kind_of(*e), e->what, std::move(lines)));
    if (row != rows.end()) out.push_back({row->second, e->start - report.start, e->ns, e->thread});
  }
  return out;
}

// The lines of all rows and advice; those of programs are among them.
std::vector<SourceLine> lines_of_rows(const ProfileReport& report) {
  std::vector<SourceLine> out;
  for (const ProfileRow& row : report.rows)
    for (const ProfileLine& line : row.lines) out.push_back({line.file.c_str(), line.line});
  for (const ProfileAdvice& advice : report.advice)
    for (const ProfileLine& line : advice.lines) out.push_back({line.file.c_str(), line.line});
  return out;
}

// Bytes that are held, as changes: when, by how many, whose. The owners' texts stand once.
ordered_json memory_json(const ProfileReport& report) {
  std::map<std::string, size_t> numbers;
  std::unordered_map<const void*, size_t> held_by;
  ordered_json owners = ordered_json::array(), changes = ordered_json::array();
  for (const runtime::MemoryChange& one : report.memory) {
    if (changes.size() == kMostDrawn) break;
    size_t owner = 0;
    if (one.bytes > 0) {
      const auto [at, fresh] = numbers.try_emplace(one.owner, numbers.size());
      if (fresh) owners.push_back(one.owner);
      owner = held_by[one.memory] = at->second;
    } else if (const auto known = held_by.find(one.memory); known != held_by.end()) {
      owner = known->second;
      held_by.erase(known);
    } else {
      continue;  // was there before
    }
    changes.push_back({one.at - report.start, one.bytes, owner});
  }
  return {
      {"bytes_before", report.bytes_before}, {"owners", std::move(owners)}, {"changes", std::move(changes)}};
}

// Text of JSON that may stand in a script: no end tag is in it.
std::string in_script(const ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string page_of(const ProfileReport& report, const PageParts& parts) {
  ordered_json events = drawn_events(report);
  ordered_json programs = ordered_json::array();
  for (const std::string& program : parts.programs) programs.push_back(ordered_json::parse(program));
  const size_t left_out = report.events.size() - events.size();
  const ordered_json data = {
      {"title", parts.title},
      {"profile", ordered_json::parse(json_of(report))},
      {"events", std::move(events)},
      {"left_out", left_out},
      {"memory_bytes_per_second", parts.memory_speed > 0 ? ordered_json(parts.memory_speed) : ordered_json()},
      {"operations_per_second", {{"f32", parts.compute_speed.f32}, {"f64", parts.compute_speed.f64}}},
      {"memory", memory_json(report)},
      {"programs", std::move(programs)},
      {"planned", ordered_json::parse(parts.planned)},
      {"more_runs", parts.more_runs},
      {"sources", ordered_json::parse(sources_of(lines_of_rows(report)))}};
  std::string page(kPageHead);
  return page.append(in_script(data)).append(kPageScript);
}

bool is_page(const std::string& path) { return path.ends_with(".html") || path.ends_with(".htm"); }

}  // namespace weft::detail
