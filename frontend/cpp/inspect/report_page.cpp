#include "frontend/cpp/inspect/report_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <vector>

namespace weft::detail {

namespace {

using nlohmann::ordered_json;

// Of the longest pieces of work; a page with more would be slow to open.
constexpr size_t kMostDrawn = 20'000;

constexpr std::string_view kPageHead =
#include "frontend/cpp/inspect/report_page.inc"
    ;
constexpr std::string_view kPageScript =
#include "frontend/cpp/inspect/report_script.inc"
    ;

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
    const auto row = rows.find(RowKey(kind_name(e->work), e->what, std::move(lines)));
    if (row != rows.end()) out.push_back({row->second, e->start - report.start, e->ns, e->thread});
  }
  return out;
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
  const size_t left_out = report.events.size() - events.size();
  const ordered_json data = {
      {"title", parts.title},
      {"profile", ordered_json::parse(json_of(report))},
      {"events", std::move(events)},
      {"left_out", left_out},
      {"memory_bytes_per_second", parts.memory_speed > 0 ? ordered_json(parts.memory_speed) : ordered_json()},
      {"explain", parts.explain.empty() ? ordered_json() : ordered_json::parse(parts.explain)}};
  std::string page(kPageHead);
  return page.append(in_script(data)).append(kPageScript);
}

bool is_page(const std::string& path) { return path.ends_with(".html") || path.ends_with(".htm"); }

}  // namespace weft::detail
