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

// What a program takes that another did not, of the same array.
std::string input_difference(size_t number, const PlannedInput& now, const PlannedInput& then) {
  std::vector<std::string> parts;
  if (now.dtype != then.dtype)
    parts.push_back(fmt::format("its dtype is {}, and was {}", name(now.dtype), name(then.dtype)));
  if (now.shape.size() != then.shape.size())
    parts.push_back(fmt::format("it has {} axes, and had {}", now.shape.size(), then.shape.size()));
  else if (now.shape != then.shape)
    parts.push_back(fmt::format("its shape is {}, and was {}", to_string(now.shape), to_string(then.shape)));
  if (now.strides.empty() != then.strides.empty())
    parts.emplace_back(now.strides.empty()
                           ? "its elements lie one behind the other now"
                           : "it is a part of another array now, with steps between elements");
  else if (parts.empty() && now.strides != then.strides)
    parts.emplace_back("the steps between its elements are others");
  return parts.empty() ? "" : fmt::format("array {}: {}", number, fmt::join(parts, ", "));
}

// The differences of all arrays; empty where there are as many, and none differs.
std::string differences(const Planned& now, const Planned& then) {
  if (now.inputs.size() != then.inputs.size())
    return fmt::format("it reads {} arrays, and read {}", now.inputs.size(), then.inputs.size());
  std::vector<std::string> parts;
  for (size_t i = 0; i < now.inputs.size(); ++i)
    if (std::string one = input_difference(i, now.inputs[i], then.inputs[i]); !one.empty())
      parts.push_back(std::move(one));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Of programs with the same operations of the same arrays: the first that an op says otherwise.
std::string fact_difference(const Planned& now, const Planned& then) {
  for (size_t i = 0; i < std::min(now.facts.size(), then.facts.size()); ++i) {
    const PlannedFact& fact = now.facts[i];
    if (fact.text == then.facts[i].text) continue;
    const std::string where = fact.line.file ? " at " + to_string(std::span(&fact.line, 1)) : "";
    return fmt::format("{}{}, and was {}", fact.text, where, then.facts[i].text);
  }
  if (now.numbers != then.numbers)
    return fmt::format(
        "it takes {} number{} as arguments, and took {}: a number that spares work, as 0 does in a sum, and "
        "numbers that are equal are compiled apart",
        now.numbers, now.numbers == 1 ? "" : "s", then.numbers);
  return {};
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

std::string reason_of(const Planned& planned, const std::deque<Planned>& before) {
  const Planned* nearest = nullptr;
  bool same_lines = false, same_ops = false;
  for (const Planned& one : before) {
    const bool lines = !planned.lines.empty() && one.lines == planned.lines, ops = one.ops == planned.ops;
    if (!lines && !ops) continue;
    const auto rank = [](bool of_lines, bool of_ops) { return of_lines + 2 * of_ops; };
    const int now = rank(lines, ops), best = nearest ? rank(same_lines, same_ops) : 0;
    if (now < best ||
        (now == best && nearest && properties_alike(planned, one) < properties_alike(planned, *nearest)))
      continue;
    nearest = &one, same_lines = lines, same_ops = ops;
  }
  if (!nearest) return "it is the first of these lines and operations";
  std::string what = differences(planned, *nearest);
  if (same_ops) {
    if (what.empty()) what = fact_difference(planned, *nearest);
    const std::string where = same_lines ? "the same lines and operations"
                              : nearest->lines.empty()
                                  ? "the same operations"
                                  : "the same operations at " + to_string(nearest->lines);
    return where + " were planned before: " +
           (what.empty() ? "how slices of one array lie to each other, the settings, or which memory may be "
                           "written differ"
                         : what);
  }
  return fmt::format("these lines were planned before, for {} operations ({}): now there are {}{}",
                     nearest->count, nearest->ops, planned.count, what.empty() ? "" : "; " + what);
}

std::string note_planned(const SessionState& session, Planned planned) {
  AllPlanned& all = all_planned();
  const std::lock_guard lock(all.mutex);
  std::deque<Planned>& kept = all.of[&session];
  planned.reason = reason_of(planned, kept);
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
