#include "frontend/cpp/inspect/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "compiler/base/error.h"
#include "frontend/cpp/evaluate/graphs_seen.h"
#include "frontend/files/whole_file.h"

namespace weft::detail {

namespace {

using nlohmann::ordered_json;
using runtime::TraceEvent;
using runtime::Work;

constexpr int kSchemaVersion = 1;
constexpr std::string_view kProgram = "program", kEvaluate = "evaluate";

}  // namespace

std::string_view kind_of(const runtime::TraceEvent& event) {
  if (event.what == kFindsPrograms) return kEvaluate;
  switch (event.work) {
    case Work::Kernel:
      return "kernel";
    case Work::Blocks:
      return "blocks";
    case Work::Library:
      return "library";
    case Work::Copy:
      return "copy";
    case Work::Upload:
      return "upload";
    case Work::Download:
      return "download";
    case Work::Compile:
      return "compile";
    case Work::Load:
      return "load";
    case Work::Plan:
      return "plan";
    case Work::Interpret:
      return "interpret";
    case Work::Host:
      return "host";
    case Work::Record:
      break;
  }
  return "record";
}

namespace {

// What the kinds mean, of those that the table has.
constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"kernel", "a compiled kernel"},
    {"blocks", "a kernel's work while its kernel is not compiled, or without one: results are the same"},
    {"library", "a matrix product or a sort by a library"},
    {"copy", "within a device"},
    {"upload", "a copy from the host"},
    {"download", "a copy to the host"},
    {"compile", "Clang or NVRTC, once for each kernel"},
    {"load", "of a kernel from the disk cache"},
    {"plan", "a new graph to a program: passes, fusion, schedules"},
    {"interpret", "what is too small for a kernel: the library's own loops compute it op by op"},
    {"host", "NumPy's answer"},
    {"record", "a call of a function of compile(), which records it"},
    {"evaluate", "what Weft does around the rows above: it finds programs, and memory for results"},
    {"program", "the rest: your program, Python, and recording operations"},
};

// Time that at least one event covers. Compiling that nobody waited for covers none.
int64_t covered(const std::vector<TraceEvent>& events) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  spans.reserve(events.size());
  for (const TraceEvent& e : events)
    if (!e.behind) spans.emplace_back(e.start, e.start + e.ns);
  std::ranges::sort(spans);
  int64_t total = 0, end = 0;
  for (auto [from, to] : spans) {
    total += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return total;
}

std::vector<ProfileLine> lines_of(const std::vector<SourceLine>& given) {
  std::vector<ProfileLine> lines;
  lines.reserve(given.size());
  for (const SourceLine& line : given) lines.push_back({line.file, line.line});
  return lines;
}

// How long each event took without the work that began and ended within it on its thread.
std::vector<int64_t> own_times(const std::vector<TraceEvent>& events) {
  std::vector<size_t> order(events.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::tuple(events[i].thread, events[i].start, -events[i].ns); });
  std::vector<int64_t> own(events.size());
  std::vector<size_t> around;
  for (const size_t i : order) {
    const TraceEvent& e = events[i];
    own[i] = e.ns;
    while (!around.empty() && (events[around.back()].thread != e.thread ||
                               events[around.back()].start + events[around.back()].ns < e.start + e.ns))
      around.pop_back();
    if (!around.empty()) own[around.back()] -= e.ns;
    around.push_back(i);
  }
  return own;
}

std::vector<ProfileRow> rows_of(const std::vector<TraceEvent>& events) {
  const std::vector<int64_t> own = own_times(events);
  const auto key_of = [](const TraceEvent& e) {
    std::vector<std::pair<std::string_view, uint32_t>> lines;
    lines.reserve(e.lines.size());
    for (const SourceLine& line : e.lines) lines.emplace_back(line.file, line.line);
    return std::tuple(e.work, std::string_view(e.what), std::move(lines));
  };
  std::map<decltype(key_of(events[0])), size_t> known;
  std::vector<ProfileRow> rows;
  for (size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& e = events[i];
    const int64_t ns = kind_of(e) == kEvaluate ? own[i] : e.ns;
    const auto [at, fresh] = known.try_emplace(key_of(e), rows.size());
    if (fresh) {
      ProfileRow row;
      row.kind = kind_of(e), row.what = e.what, row.lines = lines_of(e.lines);
      row.least_ns = row.most_ns = ns;
      rows.push_back(std::move(row));
    }
    ProfileRow& row = rows[at->second];
    ++row.count;
    row.total_ns += ns;
    row.least_ns = std::min(row.least_ns, ns), row.most_ns = std::max(row.most_ns, ns);
    row.bytes_read += e.bytes_read, row.bytes_written += e.bytes_written;
    row.operations += e.operations;
    row.behind += e.behind;
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, &ProfileRow::total_ns);
  return rows;
}

std::string_view name_of(std::string_view file) { return file.substr(file.rfind('/') + 1); }

// "blur.py:12, 14, model.py:3", of so many lines at most.
std::string text_of(const std::vector<ProfileLine>& lines) {
  constexpr size_t kMost = 6;
  std::string text, file;
  for (size_t i = 0; i < std::min(lines.size(), kMost); ++i) {
    text += text.empty() ? "" : ", ";
    if (lines[i].file != file) text += fmt::format("{}:", name_of(lines[i].file));
    text += std::to_string(lines[i].line);
    file = lines[i].file;
  }
  return lines.size() > kMost ? fmt::format("{} and {} more", text, lines.size() - kMost) : text;
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
             : fmt::format("{:.2f}", static_cast<double>(amount) / static_cast<double>(ns));
}

// What JSON holds has to be UTF-8; names of files may be anything.
std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json lines_json(const std::vector<ProfileLine>& lines) {
  ordered_json out = ordered_json::array();
  for (const ProfileLine& line : lines) out.push_back({{"file", line.file}, {"line", line.line}});
  return out;
}

// What rows tell of themselves.
std::optional<ProfileAdvice> advice_on(const ProfileRow& row) {
  // So often in one profile that it is a loop; so short that starting it costs more than running it.
  constexpr int64_t kMany = 32, kShort = 20'000;
  constexpr int64_t kAgain = 3;
  const auto said = [&](std::string cause, std::string text) {
    return ProfileAdvice{std::move(cause), row.lines, std::move(text)};
  };
  if (row.kind == "host")
    return said(
        "host round trip",
        fmt::format(
            "{} is NumPy's answer ({} times, {}): what is computed before it is written to memory, and "
            "nothing fuses across it: look for a name that Weft computes itself, or call it once, outside "
            "of loops",
            row.what, row.count, time_text(row.total_ns)));
  const bool runs = row.kind == "kernel" || row.kind == "blocks" || row.kind == "interpret";
  if (runs && row.count >= kMany && row.total_ns / row.count < kShort)
    return said(
        "small programs",
        fmt::format(
            "{} ran {} times, for {:.1f} us each: a loop looks at values in each turn: look at them once "
            "after it, give its body to compile(), or write it as fori_loop or scan",
            row.what, row.count, static_cast<double>(row.total_ns) / row.count / 1e3));
  if (row.kind == "copy" && row.what.starts_with("array from ") && row.count >= kAgain)
    return said(
        "copies between devices",
        fmt::format(
            "an {} was copied {} times, {} in all: put arrays on the device where they are used once, "
            "before the loop, and bring results back once, after it",
            row.what, row.count, bytes_text(row.bytes_read)));
  if (row.kind == "record" && row.count >= kAgain)
    return said(
        "new recordings",
        fmt::format(
            "{} was recorded {} times: its shapes, dtypes or values that decide something changed: give "
            "what changes as an array, and pad shapes to a few; its why() says what was new",
            row.what, row.count));
  return std::nullopt;
}

// Several new programs of the same lines.
void add_new_programs(const std::vector<ProfileRow>& rows, std::vector<ProfileAdvice>& out) {
  constexpr int64_t kAgain = 3;
  std::map<std::string, std::pair<int64_t, const ProfileRow*>> planned;
  for (const ProfileRow& row : rows) {
    if (row.kind != "plan" || row.lines.empty()) continue;
    std::string key;
    for (const ProfileLine& line : row.lines) key += fmt::format("{}:{} ", line.file, line.line);
    auto& [count, first] = planned[key];
    count += row.count;
    if (!first) first = &row;
  }
  for (const auto& [key, found] : planned)
    if (found.first >= kAgain)
      out.push_back(
          {"new programs", found.second->lines,
           fmt::format(
               "these lines became a new program {} times: shapes, dtypes or the number of operations "
               "changed from turn to turn: keep them the same (pad, or mask with where), and eval at the "
               "end of each turn",
               found.first)});
}

std::vector<ProfileAdvice> advice_on(const std::vector<ProfileRow>& rows,
                                     const std::vector<CostSeen>& costs) {
  std::vector<ProfileAdvice> out;
  for (const ProfileRow& row : rows)
    if (std::optional<ProfileAdvice> one = advice_on(row)) out.push_back(*std::move(one));
  add_new_programs(rows, out);
  for (const CostSeen& cost : costs) out.push_back({cost.cause, lines_of(cost.lines), cost.text});
  return out;
}

}  // namespace

ProfileReport report_of(runtime::Trace::Taken taken, const std::vector<CostSeen>& costs, int64_t start,
                        int64_t end) {
  ProfileReport report;
  report.events = std::move(taken.events);
  report.rows = rows_of(report.events);
  report.start = start, report.wall_ns = end - start;
  report.accounted_ns = covered(report.events);
  // What no event covers is the program's.
  if (const int64_t rest = report.wall_ns - report.accounted_ns; rest > 0 && !report.rows.empty()) {
    ProfileRow row;
    row.kind = kProgram, row.what = "Python, and recording";
    row.count = 1, row.total_ns = row.least_ns = row.most_ns = rest;
    const auto at = std::ranges::find_if(report.rows, [&](const ProfileRow& r) { return r.total_ns < rest; });
    report.rows.insert(at, std::move(row));
  }
  report.dropped = taken.dropped;
  report.advice = advice_on(report.rows, costs);
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

std::string table_of(const ProfileReport& report) {
  std::string out = fmt::format(
      "profile of {}: {:.1f} % of it is Weft's work; the rest is your program, Python and recording\n",
      time_text(report.wall_ns), share_of(report.accounted_ns, report));
  if (report.rows.empty())
    return out + "nothing ran: what is recorded runs when somebody looks at it, as by eval\n";
  out += fmt::format("{:>7}  {:>6}  {:>13}  {:>12}  {:>13}  {:>7}  {:<9}  {}\n", "share", "count", "total",
                     "each", "bytes", "GB/s", "kind", "what");
  for (const ProfileRow& row : report.rows) {
    const int64_t bytes = row.bytes_read + row.bytes_written;
    const std::string lines = text_of(row.lines);
    out += fmt::format(
        "{:>5.1f} %  {:>6}  {:>13}  {:>12}  {:>13}  {:>7}  {:<9}  {}{}{}{}\n", share_of(row.total_ns, report),
        row.count, time_text(row.total_ns), time_text(row.total_ns / row.count), bytes_text(bytes),
        rate_text(bytes, row.total_ns), row.kind, row.what, lines.empty() ? "" : fmt::format(" at {}", lines),
        row.operations ? fmt::format(", {} GFLOP/s", rate_text(row.operations, row.total_ns)) : "",
        row.behind ? fmt::format(", {} behind programs that ran", row.behind) : "");
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
  for (const ProfileAdvice& advice : report.advice)
    out += fmt::format("advice: {}{}: {}\n", advice.cause,
                       advice.lines.empty() ? "" : fmt::format(" at {}", text_of(advice.lines)), advice.text);
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
                    {"bytes_read", row.bytes_read},
                    {"bytes_written", row.bytes_written},
                    {"operations", row.operations},
                    {"behind", row.behind}});
  ordered_json advice = ordered_json::array();
  for (const ProfileAdvice& one : report.advice)
    advice.push_back({{"cause", one.cause}, {"lines", lines_json(one.lines)}, {"text", one.text}});
  const MemoryPeak peak = peak_of(report);
  ordered_json owners = ordered_json::array();
  for (const auto& [owner, bytes] : peak.owners) owners.push_back({{"owner", owner}, {"bytes", bytes}});
  return dumped({{"schema", "weft.profile"},
                 {"version", kSchemaVersion},
                 {"wall_ns", report.wall_ns},
                 {"accounted_ns", report.accounted_ns},
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
      "kind,what,lines,count,total_ns,least_ns,most_ns,bytes_read,bytes_written,operations,behind\n";
  const auto quoted = [](const std::string& text) {
    std::string all = "\"";
    for (const char c : text) all += c == '"' ? "\"\"" : std::string(1, c);
    return all + "\"";
  };
  for (const ProfileRow& row : report.rows) {
    std::string lines;
    for (const ProfileLine& line : row.lines)
      lines += fmt::format("{}{}:{}", lines.empty() ? "" : " ", line.file, line.line);
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", row.kind, quoted(row.what), quoted(lines),
                       row.count, row.total_ns, row.least_ns, row.most_ns, row.bytes_read, row.bytes_written,
                       row.operations, row.behind);
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
