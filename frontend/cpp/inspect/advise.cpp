#include "frontend/cpp/inspect/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "frontend/cpp/inspect/compiled_again.h"
#include "frontend/cpp/inspect/host_round_trips.h"
#include "frontend/cpp/inspect/profile_data.h"

namespace weft::detail {

namespace {

using runtime::TraceEvent;
using runtime::Work;

// Its time is that of first calls, as kCompiledAgain's is.
constexpr std::string_view kRecordedAgain = "recorded again";
// Advice about less of the time is small.
constexpr int64_t kSmallPart = 20;

bool runs(const ProfileRow& row) {
  return row.kind == "kernel" || row.kind == "blocks" || row.kind == "interpret";
}

// Of the rows that `counts`, and that have one of the lines.
template <class Counts>
int64_t ns_at(const std::vector<ProfileRow>& rows, const std::vector<ProfileLine>& lines, Counts&& counts) {
  int64_t ns = 0;
  for (const ProfileRow& row : rows)
    if (counts(row) && share_a_line(row.lines, lines)) ns += row.wall_ns;
  return ns;
}

int64_t run_ns_at(const Profiled& p, const std::vector<ProfileLine>& lines) {
  return ns_at(p.rows, lines, [](const ProfileRow& row) { return runs(row) || row.kind == "library"; });
}

int64_t runs_at(const Profiled& p, const std::vector<ProfileLine>& lines) {
  int64_t count = 0;
  for (const ProfileRow& row : p.rows)
    if (runs(row) && share_a_line(row.lines, lines)) count += row.count;
  return count;
}

// Where a new program's first call spends its time: a known program of a new recording has overhead in the place of setup.
bool is_of_first_run(std::string_view kind) { return is_first_call(kind) || kind == kOverhead; }

// What the recordings of a function led to, each from where it begins to where something runs, but for the dearest: one
// is needed in any case, and the first calls of a process take longer than later ones.
int64_t ns_of_recordings(const Profiled& p, const ProfileRow& recorded) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const TraceEvent& e : p.events) {
    if (e.work != Work::Record || e.what != recorded.what) continue;
    int64_t until = e.start + e.ns, next = INT64_MAX;
    for (const TraceEvent& other : p.events) {
      // Numbers that are arguments are copied on the way.
      const bool copies =
          other.work == Work::Copy || other.work == Work::Upload || other.work == Work::Download;
      const bool ends_it = other.work == Work::Record || !(copies || is_of_first_run(kind_of(other)));
      if (ends_it && other.thread == e.thread && other.start >= until) next = std::min(next, other.start);
    }
    // A call's own work goes around the recording.
    int64_t from = INT64_MIN;
    for (const TraceEvent& other : p.events)
      if (other.thread == e.thread && other.work == Work::Plan && other.start <= e.start &&
          other.start + other.ns >= until)
        from = std::max(from, other.start);
    spans.emplace_back(from == INT64_MIN ? e.start : from, next);
  }
  std::vector<int64_t> ns_of(spans.size());
  for (size_t i = 0; i < p.events.size(); ++i) {
    if (!is_of_first_run(kind_of(p.events[i]))) continue;
    const int64_t start = p.events[i].start;
    const auto span =
        std::ranges::find_if(spans, [&](auto one) { return start >= one.first && start < one.second; });
    if (span != spans.end()) ns_of[static_cast<size_t>(span - spans.begin())] += p.event_ns[i];
  }
  return std::accumulate(ns_of.begin(), ns_of.end(), int64_t{0}) - *std::ranges::max_element(ns_of);
}

ProfileAdvice said(std::string cause, const ProfileRow& row, std::string text, int64_t ns) {
  return {std::move(cause), row.lines, std::move(text), ns};
}

ProfileAdvice on_host(const Profiled& p, const ProfileRow& row) {
  const std::string often = row.count == 1 ? "once" : fmt::format("{} times", row.count);
  return said(kHostRoundTrip, row, round_trip_text(row.what, often), std::min(row.total_ns, p.wall_ns));
}

// What names of a row's ops are reductions, as a user writes them.
std::string_view reduction_in(std::string_view what) {
  for (const std::string_view name : {"sum", "max", "min", "prod", "argmax", "argmin", "any", "all"})
    if (what == name || what.ends_with(fmt::format(", {}", name))) return name;
  return {};
}

// What asked for the row's lines most often: "float() at blur.py:12"; "" where nobody knows.
std::string look_of(const Profiled& p, const ProfileRow& row) {
  const ProfileAsked* most = nullptr;
  for (const ProfileRow& one : p.rows)
    if ((one.kind == kOverhead || runs(one)) && !one.asked.empty() && share_a_line(one.lines, row.lines) &&
        (!most || one.asked[0].count > most->count))
      most = one.asked.data();
  if (!most) return {};
  return most->line.file.empty() ? most->by
                                 : fmt::format("{} at {}", most->by, detail::text_of({most->line}));
}

// `row` is of a loop of short work. What goes around it is spared with it.
ProfileAdvice on_small_kernels(const Profiled& p, const ProfileRow& row) {
  const std::string_view reduction = reduction_in(row.what);
  const std::string rows = reduction.empty()
                               ? std::string("compute all turns at once, with an axis for the loop")
                               : fmt::format(
                                     "compute all turns at once, with an axis for the loop, as `wf.{0}(x, "
                                     "axis=1)` in the place of "
                                     "`float(wf.{0}(x[i]))` for each i",
                                     reduction);
  const int64_t around =
      ns_at(p.rows, row.lines, [](const ProfileRow& one) { return one.kind == kOverhead; });
  const std::string look = look_of(p, row);
  return said("small kernels", row,
              fmt::format("{} ran {} times, half of them for at most {:.1f} us: a loop looks at a value in "
                          "each turn, by {}: {}; or look at "
                          "values once, after the loop; or write the loop as `wf.fori_loop` or `wf.scan`",
                          row.what, row.count, static_cast<double>(row.median_ns) / 1e3,
                          look.empty() ? "float(), if, print or eval" : look, rows),
              row.wall_ns + around);
}

ProfileAdvice on_recordings(const Profiled& p, const ProfileRow& row) {
  std::string last, instead;
  for (const CostSeen& cost : p.costs)
    if (cost.cause == kRecordedFor && share_a_line(lines_of(cost.lines), row.lines))
      last = cost.text, instead = cost.instead;
  if (instead.empty())
    instead =
        "Give what changes as an array or a number, which one recording takes; pad shapes to a few; and make "
        "another function of what has to be text";
  return said(
      std::string(kRecordedAgain), row,
      fmt::format("{} was recorded again {} times after the first: {}. {}. `{}.why()` lists all recordings",
                  row.what, row.count - 1,
                  last.empty() ? "its shapes, dtypes or values that decide something changed"
                               : fmt::format("the last time for {}", last),
                  instead, row.what),
      ns_of_recordings(p, row));
}

// What rows tell of themselves.
std::optional<ProfileAdvice> advice_on(const Profiled& p, const ProfileRow& row) {
  // So often in one profile that it is a loop; so short that starting it costs more than running it. The median counts:
  // where other processes have the processors, a few pieces take a thousand times as long.
  constexpr int64_t kMany = 32, kShort = 20'000;
  constexpr int64_t kAgain = 3;
  if (row.kind == "host") return on_host(p, row);
  if (runs(row) && row.count >= kMany && row.median_ns < kShort) return on_small_kernels(p, row);
  if (row.kind == "copy" && row.what.starts_with("array from ") && row.count >= kAgain)
    return said(
        "copies between devices", row,
        fmt::format(
            "an {} was copied {} times, {:.3f} MB in all: put arrays on the device where they are used "
            "once, before the loop, and bring results back once, after it",
            row.what, row.count, static_cast<double>(row.bytes_read) * 1e-6),
        row.wall_ns);
  if (row.kind == "record" && row.count >= kAgain) return on_recordings(p, row);
  return std::nullopt;
}

// One advice for all lines that make or read numbers too small: who makes them slows down who reads them.
void add_denormals(const Profiled& p, std::vector<ProfileAdvice>& out) {
  ProfileAdvice all{kDenormals, {}, {}};
  for (const CostSeen& cost : p.costs) {
    if (cost.cause != kDenormals) continue;
    if (all.text.empty()) all.text = cost.text;
    for (const ProfileLine& line : lines_of(cost.lines))
      if (!share_a_line(all.lines, {line})) all.lines.push_back(line);
  }
  if (all.text.empty()) return;
  all.ns = run_ns_at(p, all.lines);
  out.push_back(std::move(all));
}

// The first of each cause and its lines stays, with what all are about.
std::vector<ProfileAdvice> united(std::vector<ProfileAdvice> all) {
  std::vector<ProfileAdvice> out;
  for (ProfileAdvice& one : all) {
    const auto same = std::ranges::find_if(out, [&](const ProfileAdvice& other) {
      return other.cause == one.cause && std::ranges::equal(other.lines, one.lines, is_same);
    });
    if (same == out.end())
      out.push_back(std::move(one));
    else
      same->ns = std::max(same->ns, one.ns);
  }
  return out;
}

}  // namespace

std::vector<ProfileAdvice> advice_on(const Profiled& p) {
  std::vector<ProfileAdvice> out;
  for (const ProfileRow& row : p.rows)
    if (std::optional<ProfileAdvice> one = advice_on(p, row)) out.push_back(*std::move(one));
  for (ProfileAdvice& one : on_compiled_again(p)) out.push_back(std::move(one));
  for (const CostSeen& cost : p.costs) {
    if (cost.cause == kRecordedFor || cost.cause == kDenormals) continue;
    std::vector<ProfileLine> lines = lines_of(cost.lines);
    int64_t ns = run_ns_at(p, lines);
    if (cost.cause == kSplitReduction) ns = std::min(ns, kSecondLaunch * runs_at(p, lines));
    out.push_back({cost.cause, std::move(lines), cost.text, ns});
  }
  add_denormals(p, out);
  out = united(std::move(out));
  for (ProfileAdvice& one : out) {
    const bool is_of_first_calls = one.cause == kCompiledAgain || one.cause == kRecordedAgain;
    one.of_ns = is_of_first_calls ? p.wall_ns : p.wall_ns - p.first_calls_ns;
  }
  rank(out);
  return out;
}

void rank(std::vector<ProfileAdvice>& advice) {
  for (ProfileAdvice& one : advice) one.small = one.ns > 0 && one.ns * kSmallPart < one.of_ns;
  std::ranges::stable_sort(advice, std::ranges::greater{}, &ProfileAdvice::ns);
}

namespace {

// "31 %: 3.21 ms of 10.4 ms", or "" where it is not known.
std::string size_of(const ProfileAdvice& advice) {
  if (advice.ns <= 0 || advice.of_ns <= 0) return "";
  const double part =
      static_cast<double>(std::min(advice.ns, advice.of_ns)) / static_cast<double>(advice.of_ns);
  return fmt::format("{:.{}f} %: {} of {}", 100 * part, part < 0.1 ? 1 : 0,
                     milliseconds(std::min(advice.ns, advice.of_ns)), milliseconds(advice.of_ns));
}

}  // namespace

std::string advice_text(const ProfileAdvice& advice) {
  const std::string size = size_of(advice), lines = text_of(advice.lines);
  return fmt::format("advice: {}{}: {}{}{}\n", advice.cause,
                     lines.empty() ? "" : fmt::format(" at {}", lines), advice.small ? "small, " : "",
                     size.empty() ? "" : size + ": ", advice.text);
}

}  // namespace weft::detail
