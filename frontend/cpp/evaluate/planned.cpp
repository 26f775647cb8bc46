#include "frontend/cpp/evaluate/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "compiler/ir/function.h"
#include "compiler/ir/text/print.h"

namespace weft::detail {

namespace {

constexpr size_t kPlannedKept = 1024;

struct AllPlanned {
  std::mutex mutex;
  std::unordered_map<const SessionState*, std::deque<Planned>> of;
};

AllPlanned& all_planned() {
  static AllPlanned planned_by_sessions;
  return planned_by_sessions;
}

std::string text_of(const PlannedInput& input) {
  return fmt::format("{}{}", name(input.dtype), to_string(input.shape));
}

// What differs, and in words.
struct Difference {
  NewBy by = NewBy::First;
  std::string text;
};

// What a program takes that another did not, of the same array.
Difference input_difference(size_t number, const PlannedInput& now, const PlannedInput& then) {
  std::vector<std::string> parts;
  NewBy by = NewBy::Layout;
  const bool is_part = !now.strides.empty(), was_part = !then.strides.empty();
  if (is_part != was_part)
    parts.emplace_back(is_part ? "it is a part of another array now, with steps between elements"
                               : "its elements lie one behind the other now");
  else if (now.shape == then.shape && now.dtype == then.dtype && now.strides != then.strides)
    parts.emplace_back("the steps between its elements are others");
  const auto say_first = [&](NewBy cause, std::string text) {
    by = cause;
    parts.insert(parts.begin(), std::move(text));
  };
  if (now.shape.size() != then.shape.size())
    say_first(NewBy::Axes, fmt::format("it has {} axes, and had {}", now.shape.size(), then.shape.size()));
  else if (now.shape != then.shape)
    say_first(NewBy::Shape,
              fmt::format("its shape is {}, and was {}", to_string(now.shape), to_string(then.shape)));
  if (now.dtype != then.dtype)
    say_first(NewBy::Dtype, fmt::format("its dtype is {}, and was {}", name(now.dtype), name(then.dtype)));
  if (parts.empty()) return {};
  return {by, fmt::format("array {}: {}", number, fmt::join(parts, ", "))};
}

// The differences of all arrays; an empty text where there are as many, and none differs.
Difference differences(const Planned& now, const Planned& then) {
  if (now.inputs.size() != then.inputs.size())
    return {NewBy::Arrays,
            fmt::format("it reads {} arrays, and read {}", now.inputs.size(), then.inputs.size())};
  Difference all;
  for (size_t i = 0; i < now.inputs.size(); ++i) {
    const Difference one = input_difference(i, now.inputs[i], then.inputs[i]);
    if (one.text.empty()) continue;
    all.by = all.text.empty() ? one.by : std::min(all.by, one.by);  // the strongest
    all.text += (all.text.empty() ? "" : "; ") + one.text;
  }
  return all;
}

// Of programs with the same operations of the same arrays: the first that an op says otherwise, and else settings.
Difference fact_difference(const Planned& now, const Planned& then) {
  for (size_t i = 0; i < std::min(now.facts.size(), then.facts.size()); ++i) {
    const PlannedFact& fact = now.facts[i];
    if (fact.text == then.facts[i].text) continue;
    const std::string where = fact.line.file ? " at " + to_string(std::span(&fact.line, 1)) : "";
    return {NewBy::Facts, fmt::format("{}{}, and was {}", fact.text, where, then.facts[i].text)};
  }
  if (now.numbers != then.numbers)
    return {NewBy::Numbers,
            fmt::format(
                "it takes {} number{} as arguments, and took {}: a number that spares work, as 0 does in a "
                "sum, and numbers that are equal are compiled apart",
                now.numbers, now.numbers == 1 ? "" : "s", then.numbers)};
  if (now.settings != then.settings)
    return {NewBy::Settings, fmt::format("it is for {}, and was for {}", now.settings, then.settings)};
  return {NewBy::Memory,
          "how slices of one array lie to each other, or which memory may be written, is another"};
}

// How many properties of the arrays that two programs read are the same.
size_t properties_alike(const Planned& now, const Planned& then) {
  size_t same = 0;
  for (size_t i = 0; i < std::min(now.inputs.size(), then.inputs.size()); ++i) {
    const PlannedInput &a = now.inputs[i], &b = then.inputs[i];
    same += (a.dtype == b.dtype) + (a.shape == b.shape) + (a.shape.size() == b.shape.size()) +
            (a.strides == b.strides);
  }
  return same;
}

}  // namespace

Planned planned_of(const ir::Graph& graph) {
  constexpr int64_t kMostNamed = 60;
  Planned out;
  ir::Lines lines;
  for (const ir::NodeRef& in : graph.inputs) {
    if (in->op == ir::Op::input)
      out.inputs.push_back({in->dtype(), in->shape(), in->as<ir::InputAttr>().strides});
    else
      ++out.numbers;
  }
  for (const ir::Node* n : topological_order(graph.outputs)) {
    if (!ir::is_given(n->op) && out.facts.size() < kMostNamed)
      if (std::string text = ir::label(*n); text != ir::name(n->op))
        out.facts.push_back({std::move(text), n->lines.only()});
    if (kind(n->op) == ir::OpKind::Source) continue;
    lines = lines.united(n->lines);
    if (out.count++ < kMostNamed) out.ops.append(out.ops.empty() ? "" : ", ").append(ir::called(*n));
  }
  if (out.count > kMostNamed) out.ops += fmt::format(" and {} more", out.count - kMostNamed);
  out.lines = lines.all();
  return out;
}

namespace {

// The nearest that was planned before: of the same operations, of the same lines, with the most in common, the last.
const Planned* nearest_of(const Planned& planned, const std::deque<Planned>& before) {
  const auto rank = [&](const Planned& one) {
    const bool lines = !planned.lines.empty() && one.lines == planned.lines, ops = one.ops == planned.ops;
    return lines + 2 * ops;
  };
  const Planned* nearest = nullptr;
  for (const Planned& one : before) {
    const int now = rank(one), best = nearest ? rank(*nearest) : 1;
    if (now < best ||
        (now == best && nearest && properties_alike(planned, one) < properties_alike(planned, *nearest)))
      continue;
    nearest = &one;
  }
  return nearest;
}

bool set_known(Planned& planned, const std::deque<Planned>& before, size_t most_kept) {
  if (planned.is_known) {
    planned.by = NewBy::Together;
    planned.reason = "another thread planned the same at the same time";
    return true;
  }
  if (std::ranges::find(before, planned.key, &Planned::key) == before.end()) return false;
  planned.by = NewBy::Dropped;
  planned.reason = fmt::format(
      "it was planned before, and dropped since: a session keeps the {} programs that ran last, and tune "
      "makes "
      "those anew that it changes",
      most_kept);
  return true;
}

}  // namespace

std::string_view name(NewBy by) {
  switch (by) {
    case NewBy::First:
      return "operations that are new here";
    case NewBy::Dtype:
      return "another dtype";
    case NewBy::Axes:
      return "another number of axes";
    case NewBy::Shape:
      return "another shape";
    case NewBy::Layout:
      return "other steps between elements";
    case NewBy::Arrays:
      return "another number of arrays";
    case NewBy::Operations:
      return "other operations";
    case NewBy::Cut:
      return "a large graph that was cut at another place";
    case NewBy::Facts:
      return "other positions, axes or numbers in an operation";
    case NewBy::Numbers:
      return "numbers that spare work, or that are equal";
    case NewBy::Settings:
      return "other settings";
    case NewBy::Memory:
      return "other memory to write, or slices that lie otherwise";
    case NewBy::Dropped:
      return "a program that was dropped";
    case NewBy::Together:
      return "another thread at the same time";
  }
  return "";
}

void find_reason(Planned& planned, const std::deque<Planned>& before, size_t most_kept) {
  if (set_known(planned, before, most_kept)) return;
  const Planned* nearest = nearest_of(planned, before);
  if (!nearest) {
    planned.by = NewBy::First;
    planned.reason = "it is the first of these lines and operations";
    return;
  }
  Difference what = differences(planned, *nearest);
  if (planned.ops != nearest->ops) {
    planned.by = planned.ends_turn || nearest->ends_turn ? NewBy::Cut : NewBy::Operations;
    const std::string more = what.text.empty() ? "" : "; " + what.text;
    const bool as_many = planned.count == nearest->count;
    planned.change =
        as_many ? fmt::format("the operations are {}, and were {}{}", planned.ops, nearest->ops, more)
                : fmt::format("there are {} operations, and were {} ({}){}", planned.count, nearest->count,
                              nearest->ops, more);
    planned.reason =
        as_many
            ? fmt::format("these lines were planned before, for other operations ({}){}", nearest->ops, more)
            : fmt::format("these lines were planned before, for {} operations ({}): now there are {}{}",
                          nearest->count, nearest->ops, planned.count, more);
    return;
  }
  if (what.text.empty()) what = fact_difference(planned, *nearest);
  planned.by = what.by;
  planned.change = what.text;
  const std::string where = nearest->lines == planned.lines && !planned.lines.empty()
                                ? "the same lines and operations"
                            : nearest->lines.empty() ? "the same operations"
                                                     : "the same operations at " + to_string(nearest->lines);
  planned.reason = where + " were planned before: " + what.text;
}

std::string note_planned(const SessionState& session, Planned planned) {
  AllPlanned& all = all_planned();
  const std::lock_guard lock(all.mutex);
  std::deque<Planned>& kept = all.of[&session];
  find_reason(planned, kept, session.options.program_limit);
  std::string reason = planned.reason;
  if (kept.size() == kPlannedKept) kept.pop_front();
  kept.push_back(std::move(planned));
  return reason;
}

std::vector<Planned> last_planned(const SessionState& session, size_t most) {
  AllPlanned& all = all_planned();
  const std::lock_guard lock(all.mutex);
  const auto found = all.of.find(&session);
  if (found == all.of.end()) return {};
  const std::deque<Planned>& kept = found->second;
  return {kept.end() - static_cast<std::ptrdiff_t>(std::min(most, kept.size())), kept.end()};
}

std::string why_text(const std::vector<Planned>& planned) {
  std::string out;
  for (size_t i = 0; i < planned.size(); ++i) {
    const Planned& one = planned[i];
    std::vector<std::string> inputs;
    inputs.reserve(one.inputs.size());
    for (const PlannedInput& input : one.inputs) inputs.push_back(text_of(input));
    out += fmt::format("{}. {}{} of {}; {} of {} kernels compiled at once\n   {}\n", i + 1,
                       one.lines.empty() ? "" : to_string(one.lines) + ": ", one.ops,
                       inputs.empty() ? "no arrays" : fmt::format("{}", fmt::join(inputs, ", ")),
                       one.compiled, one.kernels, one.reason);
  }
  return out;
}

}  // namespace weft::detail
