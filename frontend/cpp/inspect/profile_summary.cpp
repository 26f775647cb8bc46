#include "frontend/cpp/inspect/profile_summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::detail {

namespace {

double percent(int64_t ns, int64_t of) {
  return of > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(of) : 0;
}

// The operations that took most of the time, as "exp, add took 71 % (5.2 ms)".
std::string longest_operation(const ProfileReport& report, int64_t of) {
  for (const ProfileRow& row : report.rows)
    if (!is_first_call(row.kind) && row.kind != kOverhead && row.kind != kYourCode)
      return fmt::format("; the longest of them, {}, took {:.0f} % ({})", row.what, percent(row.wall_ns, of),
                         milliseconds(row.wall_ns));
  return "";
}

}  // namespace

TimeGroups time_groups(const ProfileReport& report) {
  TimeGroups groups;
  for (const ProfileRow& row : report.rows) {
    int64_t& group = row.kind == kYourCode     ? groups.own
                     : row.kind == kOverhead   ? groups.overhead
                     : is_first_call(row.kind) ? groups.first_calls
                                               : groups.operations;
    group += row.wall_ns;
  }
  return groups;
}

std::string first_calls_text(const ProfileReport& report) {
  constexpr int64_t kMuch = 10;  // a tenth of the time
  const int64_t first = report.first_calls_ns;
  if (first * kMuch < report.wall_ns) return "";
  return fmt::format(
      "{} of {} went to first calls: compiling, planning and loading what had not run before. The same again "
      "in this "
      "process takes about {}",
      milliseconds(first), milliseconds(report.wall_ns), milliseconds(report.wall_ns - first));
}

namespace {

// "the rows hold this time: 20 ms in exp, add at blur.py:3, 4 ms in your code".
std::string where_it_waited(const ProfileReport& report) {
  constexpr size_t kMost = 3;
  std::vector<const ProfileRow*> rows;
  for (const ProfileRow& row : report.rows)
    if (row.waited_ns > 0) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater{}, &ProfileRow::waited_ns);
  if (rows.empty()) return "the rows hold this time, as of kernels, overhead or your code";
  std::string out = "the rows hold this time";
  for (size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
    const ProfileRow& row = *rows[i];
    const std::string lines = text_of(row.lines);
    const bool is_named = row.kind != kOverhead && row.kind != kYourCode;
    out += fmt::format("{} {} in {}{}", i == 0 ? ":" : ",", milliseconds(row.waited_ns),
                       is_named ? row.what : row.kind, lines.empty() ? "" : " at " + lines);
  }
  return out;
}

}  // namespace

std::string busy_text(const ProfileReport& report) {
  constexpr int64_t kMuch = 20;  // a twentieth of the time
  const runtime::ProcessorWaits& waits = report.waits;
  const int64_t most = std::max(waits.own, waits.others);
  std::string out;
  if (waits.known && most * kMuch >= report.wall_ns)
    out = fmt::format("this thread waited {} of {} for a processor{}, as other processes or threads had them",
                      milliseconds(waits.own), milliseconds(report.wall_ns),
                      waits.others > waits.own
                          ? fmt::format(", and another of this process {}", milliseconds(waits.others))
                          : "");
  if (waits.stolen * kMuch >= report.wall_ns && waits.stolen > 0)
    out += fmt::format("{}the host of this virtual machine kept {} of its processors from it",
                       out.empty() ? "" : "; ", milliseconds(waits.stolen));
  if (out.empty()) return out;
  return fmt::format("the machine was busy: {}: {}", out, where_it_waited(report));
}

std::string conclusion_text(const ProfileReport& report) {
  if (report.rows.empty() ||
      std::ranges::any_of(report.advice, [](const ProfileAdvice& one) { return !one.small; }))
    return "";
  const TimeGroups groups = time_groups(report);
  const int64_t again = report.wall_ns - report.first_calls_ns;
  const std::string rest =
      groups.first_calls * 2 > report.wall_ns ? " of what a second call takes" : " of the time";
  std::string why;
  if (groups.own * 2 > again)
    why = fmt::format("{:.0f} %{} is your own code and Python, outside of Weft's work",
                      percent(groups.own, again), rest);
  else if (groups.overhead > groups.operations)
    why = fmt::format(
        "{:.0f} %{} is Weft's overhead, which the size of arrays does not change: larger arrays, or fewer "
        "evals, use the machine better",
        percent(groups.overhead, again), rest);
  else
    why = fmt::format("{:.0f} %{} is the operations themselves{}", percent(groups.operations, again), rest,
                      longest_operation(report, again));
  return fmt::format("nothing here is worth changing: {}", why);
}

}  // namespace weft::detail
