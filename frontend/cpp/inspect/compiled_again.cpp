#include "frontend/cpp/inspect/compiled_again.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/cpp/inspect/profile_data.h"

namespace weft::detail {

namespace {

using runtime::TraceEvent;

// A kind of graphs of the same lines, in the order in which they were planned.
using Plans = std::vector<const TraceEvent*>;

// One call of a library may be several graphs, of other ops.
std::vector<Plans> plans_of(const Profiled& p) {
  std::vector<Plans> out;
  for (const TraceEvent& e : p.events) {
    if (kind_of(e) != "plan" || e.lines.empty()) continue;
    const auto known = std::ranges::find_if(
        out, [&](const Plans& one) { return one[0]->alike == e.alike && one[0]->lines == e.lines; });
    if (known == out.end())
      out.push_back({&e});
    else
      known->push_back(&e);
  }
  for (Plans& one : out) std::ranges::stable_sort(one, {}, &TraceEvent::start);
  return out;
}

// First calls of these lines from the second plan on.
int64_t ns_after_the_first(const Profiled& p, const Plans& plans) {
  const std::vector<ProfileLine> lines = lines_of(plans[0]->lines);
  int64_t ns = 0;
  for (size_t i = 0; i < p.events.size(); ++i)
    if (p.events[i].start >= plans[1]->start && is_first_call(kind_of(p.events[i])) &&
        share_a_line(lines_of(p.events[i].lines), lines))
      ns += p.event_ns[i];
  return ns;
}

// What the session noted of a plan; null where it is of no session.
const Planned* note_of(const Profiled& p, const TraceEvent& plan) {
  const auto found = std::ranges::find_if(p.planned, [&](const Planned& one) {
    return one.at >= plan.start && one.at <= plan.start + plan.ns &&
           share_a_line(lines_of(one.lines), lines_of(plan.lines));
  });
  return found == p.planned.end() ? nullptr : &*found;
}

std::string_view instead_of(NewBy by) {
  switch (by) {
    case NewBy::Dtype:
      return "give arrays of one dtype, as by `.astype` before the loop";
    case NewBy::Axes:
      return "give arrays with as many axes each time";
    case NewBy::Shape:
      return "keep shapes the same: pad to a few lengths, or mask with `where`";
    case NewBy::Layout:
      return "copy a part of another array before it is used, so that all lie the same way";
    case NewBy::Arrays:
      return "read as many arrays each time: one array of all, with an axis more, is one program";
    case NewBy::First:
    case NewBy::Operations:
      return "do the same operations in each turn, and eval at the end of each turn";
    case NewBy::Cut:
      return "eval at the end of each turn, so that each is the same graph";
    case NewBy::Facts:
      return "give positions that change as an array, as `wf.take` takes one; keep axes the same";
    case NewBy::Numbers:
      return "give a number that changes as an array with one element, so that 0, 1 and equal ones are no "
             "others";
    case NewBy::Settings:
      return "set settings once, before the loop";
    case NewBy::Memory:
      return "drop or keep the same arrays in each turn, and take slices in the same order";
    case NewBy::Dropped:
      return "let fewer programs come in turn: the same shapes and operations are one";
    case NewBy::Together:
      return "eval once before the threads start, so that all find the program";
  }
  return "";
}

std::string times(int64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

// "3 times for another shape, once for another dtype", the last change, and what to write.
std::string reasons_of(const Profiled& p, const Plans& plans) {
  std::vector<std::pair<NewBy, int64_t>> counts;
  const Planned* last = nullptr;
  for (size_t i = 1; i < plans.size(); ++i) {
    const Planned* note = note_of(p, *plans[i]);
    if (!note) continue;
    last = note;
    const auto known = std::ranges::find(counts, note->by, &std::pair<NewBy, int64_t>::first);
    if (known == counts.end())
      counts.emplace_back(note->by, 1);
    else
      ++known->second;
  }
  if (!last)
    return ": shapes, dtypes or the number of operations changed from turn to turn: keep them the same (pad, "
           "or "
           "mask with where), and eval at the end of each turn";
  std::ranges::stable_sort(counts, std::ranges::greater{}, &std::pair<NewBy, int64_t>::second);
  std::string out;
  for (const auto& [by, count] : counts)
    out += fmt::format("{}{} for {}", out.empty() ? ", " : "; ", times(count), name(by));
  if (!last->change.empty()) out += fmt::format(". The last time {}", last->change);
  std::string instead(instead_of(counts[0].first));
  instead[0] = static_cast<char>(std::toupper(instead[0]));
  return fmt::format("{}. {}", out, instead);
}

}  // namespace

std::vector<ProfileAdvice> on_compiled_again(const Profiled& p) {
  constexpr size_t kAgain = 3;
  std::vector<ProfileAdvice> out;
  for (const Plans& plans : plans_of(p))
    if (plans.size() >= kAgain)
      out.push_back({kCompiledAgain, lines_of(plans[0]->lines),
                     fmt::format("these lines were compiled again {} times after the first{}",
                                 plans.size() - 1, reasons_of(p, plans)),
                     ns_after_the_first(p, plans)});
  return out;
}

}  // namespace weft::detail
