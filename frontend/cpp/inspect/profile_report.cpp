#include "frontend/cpp/inspect/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "compiler/base/error.h"
#include "frontend/cpp/evaluate/graphs_seen.h"
#include "frontend/cpp/inspect/advise.h"
#include "frontend/cpp/inspect/lines_json.h"
#include "frontend/cpp/inspect/profile_summary.h"
#include "frontend/cpp/inspect/time_shares.h"
#include "frontend/files/whole_file.h"

namespace weft::detail {

namespace {

using nlohmann::ordered_json;
using runtime::TraceEvent;

// 2: the kinds "overhead" and "your code" had other names. 3: three causes of advice had.
constexpr int kSchemaVersion = 3;

// What the kinds mean, of those that the table has.
constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"kernel", "a compiled kernel"},
    {"blocks", "a kernel's work while its kernel is not compiled, or without one: results are the same"},
    {"library", "a matrix product, a decomposition, a Fourier transform or a sort by a library"},
    {"copy", "within a device"},
    {"upload", "a copy from the host"},
    {"download", "a copy to the host"},
    {"compile", "of a kernel, by Clang or NVRTC, once for each"},
    {"load", "of a kernel from the disk cache"},
    {"plan", "deciding for new operations which of them share a kernel, and how its loops run; once"},
    {"interpret", "what is too small for a kernel: the library's own loops compute it op by op"},
    {"host", "NumPy's answer"},
    {"record", "a call of a function of compile() that runs its Python code, to record its operations"},
    {"setup", "what Weft does around a first call: libraries opened, threads started, memory asked for"},
    {kOverhead, "what Weft does around the rows above: it finds what was compiled, and memory for results"},
    {kYourCode, "the rest: your own code, Python, and recording operations"},
};

bool is_around(const TraceEvent& event) {
  const std::string_view kind = kind_of(event);
  return kind == kOverhead || kind == "setup";
}

// What goes around a plan is of a first call.
void tell_setup(std::vector<TraceEvent>& events) {
  std::map<int, std::vector<int64_t>> plans;  // of each thread when it planned
  for (const TraceEvent& e : events)
    if (kind_of(e) == "plan") plans[e.thread].push_back(e.start);
  for (auto& [thread, starts] : plans) std::ranges::sort(starts);
  for (TraceEvent& e : events) {
    if (kind_of(e) != kOverhead || !plans.contains(e.thread)) continue;
    const std::vector<int64_t>& starts = plans[e.thread];
    const auto first = std::ranges::lower_bound(starts, e.start);
    if (first != starts.end() && *first < e.start + e.ns) e.what = kSetsUp;
  }
}

ProfileLine line_of(const SourceLine& line) {
  return line.file ? ProfileLine{line.file, line.line} : ProfileLine{};
}

void add_asked(const TraceEvent& e, std::vector<ProfileAsked>& asked) {
  if (!e.asked_by) return;
  const ProfileLine line = line_of(e.asked_at);
  const auto known = std::ranges::find_if(asked, [&](const ProfileAsked& one) {
    return one.by == e.asked_by && one.line.line == line.line && one.line.file == line.file;
  });
  if (known != asked.end())
    ++known->count;
  else
    asked.push_back({e.asked_by, line, 1});
}

// ", as eval() at blur.py:12 and print at blur.py:14 asked", or "".
std::string asked_text(const std::vector<ProfileAsked>& asked) {
  constexpr size_t kMost = 2;
  std::string out;
  for (size_t i = 0; i < std::min(kMost, asked.size()); ++i)
    out += fmt::format("{}{}{}", i == 0 ? ", as " : " and ", asked[i].by,
                       asked[i].line.file.empty() ? "" : " at " + detail::text_of({asked[i].line}));
  if (asked.size() > kMost) out += fmt::format(" and {} more", asked.size() - kMost);
  return out.empty() ? out : out + " asked";
}

int64_t median_of(std::vector<int64_t> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

// Of each event how long its thread waited for a processor within it, and last what was in none.
std::vector<int64_t> waits_of(const std::vector<TraceEvent>& events,
                              const std::vector<runtime::Trace::Wait>& waits) {
  std::vector<int64_t> out(events.size() + 1);
  const auto end_of = [](const TraceEvent& e) { return e.start + e.ns; };
  std::map<int, std::vector<size_t>> of_thread;  // in the order in which they ended
  for (size_t i = 0; i < events.size(); ++i) of_thread[events[i].thread].push_back(i);
  for (auto& [thread, all] : of_thread)
    std::ranges::stable_sort(all, {}, [&](size_t i) { return end_of(events[i]); });
  // The innermost ends first, and what it lies in soon after it.
  constexpr std::ptrdiff_t kNear = 1024;
  for (const runtime::Trace::Wait& wait : waits) {
    const std::vector<size_t>& all = of_thread[wait.thread];
    const auto first =
        std::ranges::lower_bound(all, wait.to, {}, [&](size_t i) { return end_of(events[i]); });
    const auto last = first + std::min<std::ptrdiff_t>(kNear, all.end() - first);
    const auto around = std::find_if(first, last, [&](size_t i) { return events[i].start <= wait.from; });
    out[around == last ? events.size() : *around] += wait.ns;
  }
  return out;
}

std::vector<ProfileRow> rows_of(const std::vector<TraceEvent>& events, const TimeShares& shares,
                                const std::vector<int64_t>& waits) {
  const auto key_of = [](const TraceEvent& e) {
    std::vector<std::pair<std::string_view, uint32_t>> lines;
    lines.reserve(e.lines.size());
    for (const SourceLine& line : e.lines) lines.emplace_back(line.file, line.line);
    return std::tuple(e.work, std::string_view(e.what), std::move(lines));
  };
  std::map<decltype(key_of(events[0])), size_t> known;
  std::vector<ProfileRow> rows;
  std::vector<std::vector<int64_t>> times;  // of each row's pieces
  for (size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& e = events[i];
    const int64_t ns = is_around(e) ? shares.ns[i] : e.ns;
    const auto [at, fresh] = known.try_emplace(key_of(e), rows.size());
    if (fresh) {
      ProfileRow row;
      row.kind = kind_of(e), row.what = e.what, row.lines = lines_of(e.lines);
      row.least_ns = row.most_ns = ns;
      rows.push_back(std::move(row));
      times.emplace_back();
    }
    ProfileRow& row = rows[at->second];
    times[at->second].push_back(ns);
    ++row.count;
    row.total_ns += ns, row.wall_ns += shares.ns[i];
    row.least_ns = std::min(row.least_ns, ns), row.most_ns = std::max(row.most_ns, ns);
    row.bytes_read += e.bytes_read, row.bytes_written += e.bytes_written;
    row.operations += e.operations;
    row.waited_ns += waits[i];
    row.behind += e.behind;
    add_asked(e, row.asked);
  }
  // A thread tells how long it waited between two borders, which may lie around several events.
  for (ProfileRow& row : rows) row.waited_ns = std::min(row.waited_ns, row.total_ns);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].median_ns = median_of(std::move(times[i]));
  for (ProfileRow& row : rows)
    std::ranges::stable_sort(row.asked, std::ranges::greater{}, &ProfileAsked::count);
  std::ranges::stable_sort(
      rows, {}, [](const ProfileRow& row) { return std::pair(row.kind == kOverhead, -row.wall_ns); });
  return rows;
}

std::string time_text(int64_t ns) { return fmt::format("{:.3f} ms", static_cast<double>(ns) * 1e-6); }

double share_of(int64_t ns, const ProfileReport& report) {
  return report.wall_ns > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(report.wall_ns) : 0;
}

std::string bytes_text(int64_t bytes) {
  constexpr double kMega = 1e6;
  return bytes == 0 ? "" : fmt::format("{:.3f} MB", static_cast<double>(bytes) / kMega);
}

// A billion a second, of what took so many nanoseconds.
std::string rate_text(int64_t amount, int64_t ns) {
  return amount == 0 || ns <= 0
             ? ""
             : fmt::format("{:.3g}", static_cast<double>(amount) / static_cast<double>(ns));
}

// What JSON holds has to be UTF-8; names of files may be anything.
std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

ProfileReport report_of(runtime::Trace::Taken taken, const std::vector<CostSeen>& costs, int64_t start,
                        int64_t end, std::span<const Planned> planned) {
  ProfileReport report;
  report.events = std::move(taken.events);
  tell_setup(report.events);
  const TimeShares shares = time_shares(report.events, is_around);
  const std::vector<int64_t> waits = waits_of(report.events, taken.waits);
  report.rows = rows_of(report.events, shares, waits);
  report.start = start, report.wall_ns = end - start;
  report.accounted_ns = shares.covered;
  for (const ProfileRow& row : report.rows)
    if (is_first_call(row.kind)) report.first_calls_ns += row.wall_ns;
  // What no event covers is the caller's.
  if (const int64_t rest = report.wall_ns - report.accounted_ns; rest > 0 && !report.rows.empty()) {
    ProfileRow row;
    row.kind = kYourCode, row.what = "Python, and recording";
    row.count = 1, row.total_ns = row.least_ns = row.most_ns = row.median_ns = row.wall_ns = rest;
    row.waited_ns = std::min(waits.back(), rest);
    report.rows.push_back(std::move(row));
  }
  report.dropped = taken.dropped;
  report.advice = advice_on(
      {report.events, shares.ns, report.rows, costs, report.wall_ns, report.first_calls_ns, planned});
  return report;
}

MemoryPeak peak_of(const ProfileReport& report) {
  const auto walk = [&](size_t until, auto&& note) {
    std::unordered_map<const void*, const runtime::MemoryChange*> held;
    int64_t total = 0;
    for (size_t i = 0; i < until; ++i) {
      const runtime::MemoryChange& one = report.memory[i];
      if (one.bytes > 0)
        held[one.memory] = &one;
      else if (held.erase(one.memory) == 0)
        continue;  // was there before
      total += one.bytes;
      note(total, i, held);
    }
  };
  MemoryPeak peak;
  size_t last = 0;
  walk(report.memory.size(), [&](int64_t total, size_t i, const auto&) {
    if (total > peak.bytes) peak.bytes = total, peak.at = report.memory[i].at - report.start, last = i;
  });
  if (peak.bytes == 0) return peak;
  std::map<std::string, int64_t> owners;
  walk(last + 1, [&](int64_t, size_t i, const auto& held) {
    if (i != last) return;
    for (const auto& [memory, change] : held) owners[change->owner] += change->bytes;
  });
  peak.owners.assign(owners.begin(), owners.end());
  std::ranges::stable_sort(peak.owners, std::ranges::greater{}, &std::pair<std::string, int64_t>::second);
  return peak;
}

namespace {

// ", 12 ms of it without a processor", or "" where that is a small part.
std::string waited_text(const ProfileRow& row) {
  constexpr int64_t kMuch = 20;  // a twentieth of the time
  if (row.waited_ns == 0 || row.waited_ns * kMuch < row.total_ns) return "";
  return fmt::format(", {} of it without a processor", milliseconds(row.waited_ns));
}

}  // namespace

std::string table_of(const ProfileReport& report) {
  const TimeGroups groups = time_groups(report);
  std::string out = fmt::format("profile of {}", time_text(report.wall_ns));
  if (report.rows.empty())
    return out + (report.error.empty()
                      ? ": nothing ran: what is recorded runs when somebody looks at it, as by eval\n"
                      : fmt::format(": nothing ran before it ended with {}\n", report.error));
  out +=
      fmt::format(": {:.1f} % ran operations, {:.1f} % first calls, {:.1f} % overhead, {:.1f} % your code\n",
                  share_of(groups.operations, report), share_of(groups.first_calls, report),
                  share_of(groups.overhead, report), share_of(groups.own, report));
  if (!report.error.empty())
    out += fmt::format("it ended with {}: what would have come after that is missing\n", report.error);
  if (const std::string first = first_calls_text(report); !first.empty()) out += first + "\n";
  if (const std::string busy = busy_text(report); !busy.empty()) out += busy + "\n";
  out += fmt::format("{:>7}  {:>6}  {:>13}  {:>12}  {:>13}  {:>7}  {:<9}  {}\n", "share", "count", "total",
                     "each", "bytes", "GB/s", "kind", "what");
  for (const ProfileRow& row : report.rows) {
    const int64_t bytes = row.bytes_read + row.bytes_written;
    const std::string lines = text_of(row.lines);
    out += fmt::format(
        "{:>5.1f} %  {:>6}  {:>13}  {:>12}  {:>13}  {:>7}  {:<9}  {}{}{}{}{}{}\n",
        share_of(row.wall_ns, report), row.count, time_text(row.total_ns),
        time_text(row.total_ns / row.count), bytes_text(bytes), rate_text(bytes, row.total_ns), row.kind,
        row.what, lines.empty() ? "" : fmt::format(" at {}", lines), asked_text(row.asked),
        row.operations ? fmt::format(", {} GFLOP/s", rate_text(row.operations, row.total_ns)) : "",
        row.behind ? fmt::format(", {} while nobody waited", row.behind) : "", waited_text(row));
  }
  for (auto [kind, meaning] : kKinds)
    if (std::ranges::any_of(report.rows, [&](const ProfileRow& row) { return row.kind == kind; }))
      out += fmt::format("{}: {}\n", kind, meaning);
  if (const MemoryPeak peak = peak_of(report); peak.bytes > 0) {
    constexpr size_t kMost = 3;
    out += fmt::format("memory: at most {} more than the {} at the beginning:", bytes_text(peak.bytes),
                       report.bytes_before ? bytes_text(report.bytes_before) : "0 MB");
    for (size_t i = 0; i < std::min(kMost, peak.owners.size()); ++i)
      out += fmt::format("{} {} {}", i == 0 ? "" : ",", bytes_text(peak.owners[i].second),
                         peak.owners[i].first.empty() ? "of data that was given" : peak.owners[i].first);
    out += peak.owners.size() > kMost ? fmt::format(" and {} more\n", peak.owners.size() - kMost) : "\n";
  }
  if (const std::string conclusion = conclusion_text(report); !conclusion.empty()) out += conclusion + "\n";
  for (const ProfileAdvice& advice : report.advice) out += advice_text(advice);
  if (const runtime::HardwareCounts& c = report.counts; c.cycles > 0 && c.instructions > 0)
    out += fmt::format(
        "processor: {} instructions, {:.2f} a cycle; {:.2f} cache misses in 1000 instructions, on all "
        "threads\n",
        c.instructions, static_cast<double>(c.instructions) / static_cast<double>(c.cycles),
        1e3 * static_cast<double>(c.cache_misses) / static_cast<double>(c.instructions));
  if (report.dropped) out += fmt::format("{} pieces of work came too late to be noted\n", report.dropped);
  return out;
}

namespace {

// What the processor counted, or why it did not.
ordered_json processor_json(const ProfileReport& report) {
  if (!report.no_counters.empty()) return {{"problem", report.no_counters}};
  return {{"instructions", report.counts.instructions},
          {"cycles", report.counts.cycles},
          {"cache_misses", report.counts.cache_misses}};
}

}  // namespace

namespace {

ordered_json asked_json(const std::vector<ProfileAsked>& asked) {
  ordered_json out = ordered_json::array();
  for (const ProfileAsked& one : asked) {
    const bool known = !one.line.file.empty();
    out.push_back({{"by", one.by},
                   {"file", known ? ordered_json(one.line.file) : ordered_json()},
                   {"line", known ? ordered_json(one.line.line) : ordered_json()},
                   {"count", one.count}});
  }
  return out;
}

}  // namespace

std::string json_of(const ProfileReport& report) {
  ordered_json rows = ordered_json::array();
  for (const ProfileRow& row : report.rows)
    rows.push_back({{"kind", row.kind},
                    {"what", row.what},
                    {"lines", lines_json(row.lines)},
                    {"count", row.count},
                    {"total_ns", row.total_ns},
                    {"least_ns", row.least_ns},
                    {"most_ns", row.most_ns},
                    {"median_ns", row.median_ns},
                    {"wall_ns", row.wall_ns},
                    {"bytes_read", row.bytes_read},
                    {"bytes_written", row.bytes_written},
                    {"operations", row.operations},
                    {"waited_ns", row.waited_ns},
                    {"behind", row.behind},
                    {"asked", asked_json(row.asked)}});
  ordered_json advice = ordered_json::array();
  for (const ProfileAdvice& one : report.advice)
    advice.push_back({{"cause", one.cause},
                      {"lines", lines_json(one.lines)},
                      {"text", one.text},
                      {"ns", one.ns > 0 ? ordered_json(one.ns) : ordered_json()},
                      {"of_ns", one.of_ns},
                      {"small", one.small}});
  const MemoryPeak peak = peak_of(report);
  ordered_json owners = ordered_json::array();
  for (const auto& [owner, bytes] : peak.owners) owners.push_back({{"owner", owner}, {"bytes", bytes}});
  return dumped(
      {{"schema", "weft.profile"},
       {"version", kSchemaVersion},
       {"wall_ns", report.wall_ns},
       {"accounted_ns", report.accounted_ns},
       {"first_calls_ns", report.first_calls_ns},
       {"first_calls", first_calls_text(report)},
       {"conclusion", conclusion_text(report)},
       {"waited_ns", report.waits.known ? ordered_json(report.waits.own) : ordered_json()},
       {"threads_waited_ns", report.waits.known ? ordered_json(report.waits.others) : ordered_json()},
       {"busy", busy_text(report)},
       {"error", report.error},
       {"dropped", report.dropped},
       {"processor", processor_json(report)},
       {"rows", std::move(rows)},
       {"advice", std::move(advice)},
       {"memory",
        {{"bytes_before", report.bytes_before},
         {"most_bytes", peak.bytes},
         {"most_at_ns", peak.at},
         {"owners", std::move(owners)}}}});
}

std::string csv_of(const ProfileReport& report) {
  std::string out =
      "kind,what,lines,count,total_ns,least_ns,most_ns,wall_ns,bytes_read,bytes_written,operations,waited_ns,"
      "behind\n";
  const auto quoted = [](const std::string& text) {
    std::string all = "\"";
    for (const char c : text) all += c == '"' ? "\"\"" : std::string(1, c);
    return all + "\"";
  };
  for (const ProfileRow& row : report.rows) {
    std::string lines;
    for (const ProfileLine& line : row.lines)
      lines += fmt::format("{}{}:{}", lines.empty() ? "" : " ", line.file, line.line);
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.kind, quoted(row.what), quoted(lines),
                       row.count, row.total_ns, row.least_ns, row.most_ns, row.wall_ns, row.bytes_read,
                       row.bytes_written, row.operations, row.waited_ns, row.behind);
  }
  return out;
}

std::string trace_of(const ProfileReport& report) {
  constexpr double kMicro = 1e3;
  ordered_json events = ordered_json::array();
  events.push_back(
      {{"ph", "M"}, {"name", "process_name"}, {"pid", 1}, {"tid", 0}, {"args", {{"name", "weft"}}}});
  for (const TraceEvent& e : report.events) {
    ordered_json args = {{"lines", lines_json(lines_of(e.lines))}};
    if (e.bytes_read) args["bytes_read"] = e.bytes_read;
    if (e.bytes_written) args["bytes_written"] = e.bytes_written;
    if (e.operations) args["operations"] = e.operations;
    if (e.behind) args["behind"] = true;
    if (e.asked_by) args["asked"] = asked_json({{e.asked_by, line_of(e.asked_at), 1}})[0];
    events.push_back({{"ph", "X"},
                      {"name", e.what},
                      {"cat", kind_of(e)},
                      {"ts", static_cast<double>(e.start - report.start) / kMicro},
                      {"dur", static_cast<double>(e.ns) / kMicro},
                      {"pid", 1},
                      {"tid", e.thread},
                      {"args", std::move(args)}});
  }
  return dumped({{"traceEvents", std::move(events)},
                 {"displayTimeUnit", "ms"},
                 {"otherData", {{"schema", "weft.trace"}, {"version", kSchemaVersion}}}});
}

void save_text(const char* op, const std::string& path, const std::string& text) {
  io::write_whole_file(path, [&](const std::string& where) {
    std::ofstream file(where, std::ios::binary);
    if (file) file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) throw Error(fmt::format("{}: '{}' cannot be written: {}", op, path, std::strerror(errno)));
  });
}

}  // namespace weft::detail
