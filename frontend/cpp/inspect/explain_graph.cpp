#include "frontend/cpp/inspect/explain_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/node.h"
#include "compiler/planned_work.h"
#include "frontend/cpp/evaluate/see_costs.h"
#include "frontend/cpp/inspect/advise.h"
#include "frontend/cpp/inspect/advise_before.h"
#include "frontend/cpp/inspect/expected_time.h"
#include "frontend/cpp/inspect/lines_json.h"
#include "frontend/cpp/inspect/users_words.h"
#include "frontend/cpp/inspect/ways_to_fuse.h"

namespace weft {

ExplainDetail explain_detail_named(const std::string& name) {
  if (name == "summary") return ExplainDetail::Summary;
  if (name == "kernels") return ExplainDetail::Kernels;
  if (name == "all") return ExplainDetail::All;
  if (name == "compiled") return ExplainDetail::Compiled;
  throw Error("explain: the detail is summary, kernels, all or compiled: got '" + name + "'");
}

}  // namespace weft

namespace weft::detail {

namespace {

using nlohmann::ordered_json;

// 2: steps have their schedules, what they were compiled to, and bytes; edges what to write instead.
constexpr int kExplainSchema = 2;

std::string count_text(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "3 kernels, 1 library call and 2 copies".
std::string steps_text(const PlannedWork& work) {
  std::vector<std::string> parts;
  if (work.kernels) parts.push_back(count_text(work.kernels, "kernel"));
  if (work.library_calls) parts.push_back(count_text(work.library_calls, "library call"));
  if (work.copies) parts.push_back(fmt::format("{} cop{}", work.copies, work.copies == 1 ? "y" : "ies"));
  if (work.loops) parts.push_back(count_text(work.loops, "loop"));
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

// Where the program has loops, op by op is not known: their bodies' ops are in no graph of it.
bool knows_op_by_op(const ExplainedGraph& e, const PlannedWork& work) {
  return work.loops == 0 && e.compiled.op_by_op.bytes > 0 && work.bytes() > 0;
}

double speed_for(const ExplainedGraph& e) {
  return timed_speed(work_of(e.compiled.program).bytes(), e.memory_speed);
}

std::string summary_of(const ExplainedGraph& e) {
  const PlannedWork work = work_of(e.compiled.program);
  const OpByOp& apart = e.compiled.op_by_op;
  if (e.compiled.program.steps.empty()) return "nothing to compute\n";
  const bool one = work.kernels + work.library_calls + work.copies + work.loops == 1;
  std::string out = fmt::format("{} {} {}: {} read and {} written{}\n", steps_text(work), one ? "does" : "do",
                                count_text(apart.ops, "operation"), readable_bytes(work.bytes_read),
                                readable_bytes(work.bytes_written),
                                work.unknown_turns ? ", of loops and branches for one turn" : "");
  const bool known = knows_op_by_op(e, work);
  if (known)
    out += fmt::format("op by op, as NumPy computes, it would be {} read and written: {:.1f} times as much\n",
                       readable_bytes(apart.bytes),
                       static_cast<double>(apart.bytes) / static_cast<double>(work.bytes()));
  if (speed_for(e) > 0) {
    constexpr double kGiga = 1e9;
    out +=
        fmt::format("at the {:.1f} GB/s of this machine's memory that takes about {}", e.memory_speed / kGiga,
                    readable_seconds(static_cast<double>(work.bytes()) / e.memory_speed));
    if (known)
      out +=
          fmt::format(", op by op {}", readable_seconds(static_cast<double>(apart.bytes) / e.memory_speed));
    out += "; less where arrays stay in caches, more where much is computed\n";
  }
  if (e.facts.speeds)
    if (const double seconds = expected_seconds(e.compiled, e.facts); seconds > 0)
      out += fmt::format("by the speeds of this machine its kernels should take {}\n",
                         readable_seconds(seconds));
  for (const HostRoundTrip& trip : e.round_trips) out += to_string(trip) + "\n";
  for (const ProfileAdvice& advice : advice_on(e.compiled.program, e.costs, speed_for(e)))
    out += advice_text(advice);
  return out;
}

ordered_json shape_json(const Shape& shape) {
  ordered_json out = ordered_json::array();
  for (const int64_t extent : shape) out.push_back(extent);
  return out;
}

ordered_json round_trips_json(const std::vector<HostRoundTrip>& trips) {
  ordered_json out = ordered_json::array();
  for (const HostRoundTrip& trip : trips)
    out.push_back({{"function", trip.function},
                   {"lines", lines_json(trip.line.file ? std::vector{trip.line} : std::vector<SourceLine>())},
                   {"dtype", name(trip.type.dtype)},
                   {"shape", shape_json(trip.type.shape)},
                   {"text", to_string(trip)}});
  return out;
}

ordered_json if_said(int number) { return number < 0 ? ordered_json() : ordered_json(number); }

ordered_json compiled_json(const std::optional<CompiledStep>& step) {
  if (!step) return {};
  return {{"registers", if_said(step->gpu.registers)},
          {"spill_bytes", if_said(step->gpu.spill_bytes)},
          {"shared_bytes", if_said(step->gpu.shared_bytes)},
          {"blocks_per_processor", if_said(step->gpu.blocks_per_processor)},
          {"occupancy", step->occupancy < 0 ? ordered_json() : ordered_json(step->occupancy)},
          {"instructions", if_said(step->instructions)},
          {"vector_bytes", if_said(step->vector_bytes)}};
}

ordered_json schedule_json(const Explanation::Step& step) {
  if (step.schedule.empty()) return {};
  return {{"text", step.schedule}, {"reason", step.chosen_because}};
}

ordered_json cost_json(const std::optional<KernelCost>& cost) {
  if (!cost) return {};
  return {{"bytes_read", cost->bytes_read},
          {"bytes_written", cost->bytes_written},
          {"bytes_again", cost->bytes_again},
          {"bytes_accessed", cost->bytes_accessed},
          {"instructions", cost->operations},
          {"divisions", cost->divisions},
          {"square_roots", cost->square_roots},
          {"functions", cost->functions},
          {"gathers", cost->gathers},
          {"chained", cost->chained},
          {"rows", cost->rows},
          {"joins", cost->joins},
          {"tasks", cost->tasks},
          {"launches", cost->launches}};
}

ordered_json expected_json(const std::optional<KernelCost>& cost, const MachineFacts& facts) {
  if (!cost || !facts.speeds) return {};
  const ExpectedTime time = expected_time(*cost, facts);
  return {{"seconds", time.seconds()},
          {"memory", time.memory},
          {"computing", time.computing},
          {"ends", time.ends},
          {"starting", time.starting}};
}

ordered_json decisions_json(const Explanation& e, const MachineFacts& facts) {
  ordered_json values = ordered_json::array(), steps = ordered_json::array(), edges = ordered_json::array(),
               repeated = ordered_json::array();
  for (const Explanation::Value& v : e.values)
    values.push_back({{"op", v.op},
                      {"dtype", name(v.dtype)},
                      {"shape", shape_json(v.shape)},
                      {"bytes", v.bytes()},
                      {"lines", lines_json(v.lines)},
                      {"text", to_string(v)}});
  for (const Explanation::Step& s : e.steps) {
    ordered_json writes = ordered_json::array(), keeps = ordered_json::array(),
                 bodies = ordered_json::array();
    for (const Explanation::Named& one : s.named) (one.written ? writes : keeps).push_back(one.value);
    for (const Explanation& body : s.bodies) bodies.push_back(decisions_json(body, facts));
    steps.push_back({{"kind", s.kind},
                     {"text", s.text},
                     {"outer", shape_json(s.outer)},
                     {"row", shape_json(s.row)},
                     {"writes", std::move(writes)},
                     {"keeps", std::move(keeps)},
                     {"operations", s.operations},
                     {"cost", cost_json(s.cost)},
                     {"expected", expected_json(s.cost, facts)},
                     {"notes", s.notes},
                     {"schedule", schedule_json(s)},
                     {"compiled", ordered_json()},
                     {"bodies", std::move(bodies)},
                     {"group", if_said(s.group)}});
  }
  for (const Explanation::Edge& edge : e.edges)
    edges.push_back(
        {{"from", edge.from},
         {"to", edge.to},
         {"fused", edge.fused},
         {"reason", edge.reason},
         {"instead", edge.fused || way_to_fuse(edge.reason).empty() ? ordered_json()
                                                                    : ordered_json(way_to_fuse(edge.reason))},
         {"bytes_saved", edge.bytes_saved}});
  for (const Explanation::Repeated& one : e.repeated)
    repeated.push_back(
        {{"kernels", one.kernels}, {"ops", one.origin.ops}, {"lines", lines_json(one.origin.lines)}});
  return {{"values", std::move(values)},
          {"steps", std::move(steps)},
          {"edges", std::move(edges)},
          {"repeated", std::move(repeated)}};
}

ordered_json summary_json(const ExplainedGraph& e) {
  const PlannedWork work = work_of(e.compiled.program);
  const bool known = knows_op_by_op(e, work);
  const auto number_or_null = [](bool is, auto number) { return is ? ordered_json(number) : ordered_json(); };
  const double speed = e.memory_speed;
  return {{"kernels", work.kernels},
          {"library_calls", work.library_calls},
          {"copies", work.copies},
          {"loops", work.loops},
          {"operations", e.compiled.op_by_op.ops},
          {"bytes_read", work.bytes_read},
          {"bytes_written", work.bytes_written},
          {"product_operations", work.operations},
          {"unknown_turns", work.unknown_turns},
          {"op_by_op_bytes", number_or_null(known, e.compiled.op_by_op.bytes)},
          {"memory_bytes_per_second", number_or_null(speed > 0, speed)},
          {"seconds", number_or_null(speed > 0, static_cast<double>(work.bytes()) / speed)},
          {"op_by_op_seconds",
           number_or_null(speed > 0 && known, static_cast<double>(e.compiled.op_by_op.bytes) / speed)},
          {"expected_seconds",
           number_or_null(e.facts.speeds.has_value(), expected_seconds(e.compiled, e.facts))}};
}

}  // namespace

namespace {

// "310 instructions, vectors of 64 bytes", or registers and what else a GPU's compiler said.
std::string text_of(const CompiledStep& step) {
  std::string out;
  const auto add = [&](bool is_said, const std::string& text) {
    if (is_said) out += (out.empty() ? "" : ", ") + text;
  };
  add(step.instructions >= 0, count_text(step.instructions, "instruction"));
  add(step.vector_bytes > 0, fmt::format("vectors of {} bytes", step.vector_bytes));
  const runtime::KernelResources& gpu = step.gpu;
  add(gpu.registers >= 0, fmt::format("{} registers a thread", gpu.registers));
  add(gpu.spill_bytes >= 0, fmt::format("{} bytes of them spilled", gpu.spill_bytes));
  add(gpu.shared_bytes >= 0, fmt::format("{} bytes of shared memory a block", gpu.shared_bytes));
  add(step.occupancy >= 0, fmt::format("{:.0f} % of a multiprocessor's threads", 100 * step.occupancy));
  return out;
}

std::string text_of_compiling(const ExplainedGraph& explained) {
  const std::vector<Explanation::Step>& steps = explained.compiled.explanation.steps;
  std::string out;
  for (size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].schedule.empty()) continue;
    out += fmt::format("how step {} runs: {}\n", k, steps[k].schedule);
    if (!steps[k].chosen_because.empty()) out += fmt::format("  as: {}\n", steps[k].chosen_because);
    if (k < explained.compiled_steps.size() && explained.compiled_steps[k])
      out += fmt::format("  compiled: {}\n", text_of(*explained.compiled_steps[k]));
  }
  return out;
}

std::string text_of_times(const ExplainedGraph& explained) {
  std::string out;
  if (!explained.facts.speeds) return out;
  const std::vector<Explanation::Step>& steps = explained.compiled.explanation.steps;
  for (size_t k = 0; k < steps.size(); ++k)
    if (steps[k].cost)
      out += fmt::format("step {} should take {}\n", k,
                         to_string(expected_time(*steps[k].cost, explained.facts)));
  return out;
}

}  // namespace

ExplainedGraph explained_graph(const ir::Graph& graph, Explained compiled) {
  ExplainedGraph out;
  out.compiled = std::move(compiled);
  CostsSeen seen;
  see_costs(topological_order(graph.outputs), out.compiled.program, nullptr, seen);
  out.costs = seen.take();
  std::ranges::for_each(out.costs, tell_in_users_words);
  return out;
}

std::string text_of(const ExplainedGraph& explained, ExplainDetail detail) {
  std::string out = explained.interpreted.empty()
                        ? ""
                        : "interpreted: " + explained.interpreted + "; compiled, it would be\n";
  out += summary_of(explained);
  if (detail == ExplainDetail::Summary) return out;
  out += "\n" + text_of_steps(explained.compiled.explanation) + text_of_times(explained);
  if (detail == ExplainDetail::Kernels) return out;
  out += text_of_reasons(explained.compiled.explanation);
  return detail == ExplainDetail::Compiled ? out + text_of_compiling(explained) : out;
}

std::string advice_of(const ExplainedGraph& explained) {
  std::string out;
  for (const ProfileAdvice& advice :
       advice_on(explained.compiled.program, explained.costs, speed_for(explained)))
    out += advice_text(advice);
  std::vector<std::string> said;
  for (const Explanation::Edge& edge : explained.compiled.explanation.edges) {
    const std::string_view way = edge.fused ? std::string_view() : way_to_fuse(edge.reason);
    if (way.empty()) continue;
    const Explanation::Value& value = explained.compiled.explanation.values[static_cast<size_t>(edge.from)];
    std::string line = fmt::format("to change: {}: {}: {}\n", to_string(value), edge.reason, way);
    if (std::ranges::find(said, line) != said.end()) continue;
    out += line;
    said.push_back(std::move(line));
  }
  return out;
}

namespace {

const char* name_of(RanPart::Kind kind) {
  switch (kind) {
    case RanPart::Kind::Flush:
      return "look";
    case RanPart::Kind::Call:
      return "call";
    case RanPart::Kind::Host:
      return "host";
    case RanPart::Kind::Rest:
      break;
  }
  return "rest";
}

ordered_json parts_json(const std::vector<RanPart>* parts) {
  if (!parts) return {};
  ordered_json out = ordered_json::array();
  for (const RanPart& part : *parts)
    out.push_back({{"kind", name_of(part.kind)},
                   {"by", part.by.empty() ? ordered_json() : ordered_json(part.by)},
                   {"lines", lines_json(part.line.file ? std::vector{part.line} : std::vector<SourceLine>())},
                   {"times", part.times},
                   {"program", if_said(part.program)}});
  return out;
}

}  // namespace

std::string json_of(const std::vector<ExplainedGraph>& explained, const std::vector<std::string>& computed,
                    const std::vector<RanPart>* parts) {
  ordered_json programs = ordered_json::array();
  for (const ExplainedGraph& e : explained) {
    ordered_json advice = ordered_json::array();
    for (const ProfileAdvice& a : advice_on(e.compiled.program, e.costs, speed_for(e)))
      advice.push_back({{"cause", a.cause},
                        {"lines", lines_json(a.lines)},
                        {"text", a.text},
                        {"ns", a.ns > 0 ? ordered_json(a.ns) : ordered_json()},
                        {"of_ns", a.of_ns > 0 ? ordered_json(a.of_ns) : ordered_json()},
                        {"small", a.small}});
    ordered_json one = {{"device", e.device},
                        {"interpreted", e.interpreted.empty() ? ordered_json() : ordered_json(e.interpreted)},
                        {"summary", summary_json(e)},
                        {"advice", std::move(advice)},
                        {"round_trips", round_trips_json(e.round_trips)}};
    one.update(decisions_json(e.compiled.explanation, e.facts));
    const size_t steps = std::min(e.compiled_steps.size(), one["steps"].size());
    for (size_t k = 0; k < steps; ++k) one["steps"][k]["compiled"] = compiled_json(e.compiled_steps[k]);
    programs.push_back(std::move(one));
  }
  const ordered_json all = {{"schema", "weft.explain"},
                            {"version", kExplainSchema},
                            {"programs", std::move(programs)},
                            {"computed", computed},
                            {"parts", parts_json(parts)}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace weft::detail
