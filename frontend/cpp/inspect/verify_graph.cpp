#include "frontend/cpp/inspect/verify_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "compiler/base/error.h"
#include "compiler/ir/function.h"
#include "compiler/ir/lines.h"
#include "compiler/ir/ops/op.h"
#include "runtime/progress.h"

namespace weft::detail {

namespace {

using nlohmann::ordered_json;

constexpr int kVerifySchema = 1;

}  // namespace

Reference reference_of(const ir::Graph& graph, std::span<const ir::HostTensor> inputs) {
  Reference out;
  for (const ir::Node* node : ir::topological_order(graph.outputs)) {
    if (ir::kind(node->op) == ir::OpKind::Source) continue;
    out.number.emplace(node, out.nodes.size());
    out.nodes.emplace_back(node);
  }
  out.values = ir::interpret({graph.inputs, out.nodes}, inputs);
  // What is given is not rounded, but what sums of it come to may be far less than it.
  const auto given = [&](const ir::NodeRef& in) {
    const auto at = std::ranges::find(graph.inputs, in);
    return at == graph.inputs.end()
               ? 0.0
               : rounding_of({&inputs[static_cast<size_t>(at - graph.inputs.begin())], 1});
  };
  out.rounding.reserve(out.nodes.size());
  for (size_t i = 0; i < out.nodes.size(); ++i) {
    double most = rounding_of({&out.values[i], 1});
    const ir::OpKind kind = ir::kind(out.nodes[i]->op);
    for (const ir::NodeRef& in : out.nodes[i]->inputs)
      if (const auto at = out.number.find(in.get()); at != out.number.end())
        most = std::max(most, out.rounding[at->second]);
      else if (kind == ir::OpKind::Reduce || kind == ir::OpKind::Scan)
        most = std::max(most, given(in));
    out.rounding.push_back(most);
  }
  return out;
}

std::string problem_of(const Reference& reference, std::span<const ir::NodeRef> outputs,
                       std::span<const ir::HostTensor> got, std::span<const std::string> names) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto at = reference.number.find(outputs[i].get());
    if (at == reference.number.end()) continue;  // an input, or a constant
    const Comparison c = compare(got[i], reference.values[at->second], reference.rounding[at->second]);
    if (!c.agrees) return fmt::format("{}: {}", names[i], c.text);
  }
  return {};
}

namespace {

FirstDifference difference(const ir::Node& node, bool fused, Comparison comparison) {
  return {fused, std::string(ir::called(node)), node.lines.all(), std::move(comparison)};
}

}  // namespace

// Makes every op an output, op by op; then, where that is right, each op the only output of a fused program.
std::optional<FirstDifference> first_difference(const ir::Graph& graph, const Reference& reference,
                                                const RunGraph& run) {
  const std::vector<ir::HostTensor> all = run({graph.inputs, reference.nodes}, false);
  for (size_t i = 0; i < all.size(); ++i) {
    Comparison c = compare(all[i], reference.values[i], reference.rounding[i]);
    if (!c.agrees) return difference(*reference.nodes[i], false, std::move(c));
  }
  runtime::Progress progress("verifying: operations", static_cast<int64_t>(all.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    progress.add();
    const std::vector<ir::HostTensor> one = run({graph.inputs, {reference.nodes[i]}}, true);
    Comparison c = compare(one[0], reference.values[i], reference.rounding[i]);
    if (!c.agrees) return difference(*reference.nodes[i], true, std::move(c));
  }
  return std::nullopt;
}

namespace {

ordered_json comparison_json(const Comparison& c) {
  ordered_json ulps = c.ulps;
  if (!std::isfinite(c.ulps)) ulps = nullptr;
  return {{"agrees", c.agrees && !c.nothing},
          {"compared", !c.nothing},
          {"ulps", std::move(ulps)},
          {"text", c.text}};
}

std::string verdict(const Comparison& c) {
  if (c.nothing) return "NOTHING COMPARED: every element is NaN";
  const std::string says = c.agrees ? "agrees, " : "DISAGREES, ";
  if (c.ulps == 0 || !std::isfinite(c.ulps)) return says + c.text;
  const std::string number = fmt::format("{:.3g}", c.ulps);
  return fmt::format("{}{} {} at most, {}", says, number, c.ulps < 1 || number == "1" ? "ulp" : "ulps",
                     c.text);
}

}  // namespace

namespace {

// What the other device gives; none where it cannot.
std::optional<std::vector<ir::HostTensor>> results_elsewhere(const ir::Graph& graph, const OtherDevice* other,
                                                             VerifiedGraph& out) {
  if (!other) return std::nullopt;
  out.other_device = other->name;
  try {
    return other->run(graph);
  } catch (const std::exception& error) {  // it has less memory, or its driver fails
    out.other_problem = error.what();
    return std::nullopt;
  }
}

}  // namespace

VerifiedGraph verify_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                           std::span<const std::string> names, const RunGraph& run,
                           const OtherDevice* other) {
  const Reference reference = reference_of(graph, inputs);
  const std::vector<ir::HostTensor> fused = run(graph, true), op_by_op = run(graph, false);
  VerifiedGraph out;
  out.ops = reference.nodes.size();
  const std::optional<std::vector<ir::HostTensor>> elsewhere = results_elsewhere(graph, other, out);
  out.functions = check_functions(graph, inputs, [&](const ir::Graph& apart) { return run(apart, false); });
  bool agrees = true;
  const ir::Node* wrong = nullptr;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::Node& node = *graph.outputs[i];
    const auto at = reference.number.find(&node);
    if (at == reference.number.end()) continue;  // an input, or a constant
    const ir::HostTensor& want = reference.values[at->second];
    const double rounding = reference.rounding[at->second];
    VerifiedOutput& one = out.outputs.emplace_back(VerifiedOutput{
        names[i], node.type, compare(fused[i], want, rounding), compare(op_by_op[i], want, rounding)});
    if (elsewhere) one.elsewhere = compare((*elsewhere)[i], want, rounding);
    if (one.fused.agrees && one.op_by_op.agrees) continue;
    agrees = false;
    if (!wrong) wrong = &node;
  }
  if (agrees) return out;
  out.first = first_difference(graph, reference, run);
  if (!out.first) {
    // Only all of it together goes wrong.
    const auto bad = std::ranges::find_if(
        out.outputs, [](const VerifiedOutput& one) { return !one.fused.agrees || !one.op_by_op.agrees; });
    out.first = difference(*wrong, bad->op_by_op.agrees, bad->op_by_op.agrees ? bad->fused : bad->op_by_op);
  }
  return out;
}

bool VerifiedGraph::differs() const {
  return first || !std::ranges::all_of(functions, [](const auto& one) { return one.comparison.agrees; }) ||
         std::ranges::any_of(outputs,
                             [](const auto& one) { return one.elsewhere && !one.elsewhere->agrees; });
}

bool VerifiedGraph::compares_nothing() const {
  return std::ranges::any_of(outputs, [](const auto& one) { return one.fused.nothing; });
}

namespace {

const char* outcome_of(const VerifiedGraph& verified) {
  return verified.differs() ? "differs" : verified.compares_nothing() ? "nothing compared" : "agrees";
}

std::string heading_of(const VerifiedGraph& verified) {
  if (verified.differs()) return "DISAGREES";
  return verified.compares_nothing()
             ? "NOTHING COMPARED, as every element of an output is NaN: give other data"
             : "agrees";
}

}  // namespace

std::string text_of(const VerifiedGraph& verified) {
  std::string out = fmt::format("{}: {} op{}, {} output{}, beside the reference interpreter\n",
                                heading_of(verified), verified.ops, verified.ops == 1 ? "" : "s",
                                verified.outputs.size(), verified.outputs.size() == 1 ? "" : "s");
  if (!verified.other_problem.empty())
    out += fmt::format("not computed on {}: {}\n", verified.other_device, verified.other_problem);
  for (const VerifiedOutput& one : verified.outputs)
    out +=
        fmt::format("{} : {}{}\n  fused: {}\n  op by op: {}\n", one.name, name(one.type.dtype),
                    to_string(one.type.shape), verdict(one.fused), verdict(one.op_by_op)) +
        (one.elsewhere ? fmt::format("  on {}: {}\n", verified.other_device, verdict(*one.elsewhere)) : "");
  for (const CheckedFunction& one : verified.functions) out += text_of(one);
  if (verified.first) {
    const std::string lines = to_string(std::span<const SourceLine>(verified.first->lines));
    out += fmt::format("the first op that differs, {}: {}{}: {}\n",
                       verified.first->fused ? "in a fused kernel alone" : "op by op", verified.first->op,
                       lines.empty() ? "" : " at " + lines, verified.first->comparison.text);
  }
  return out;
}

std::string json_of(const VerifiedGraph& verified) {
  ordered_json outputs = ordered_json::array();
  for (const VerifiedOutput& one : verified.outputs)
    outputs.push_back({{"name", one.name},
                       {"dtype", name(one.type.dtype)},
                       {"shape", std::vector<int64_t>(one.type.shape.begin(), one.type.shape.end())},
                       {"fused", comparison_json(one.fused)},
                       {"op_by_op", comparison_json(one.op_by_op)},
                       {"elsewhere", one.elsewhere ? comparison_json(*one.elsewhere) : ordered_json()}});
  ordered_json functions = ordered_json::array();
  for (const CheckedFunction& one : verified.functions) {
    ordered_json checked = comparison_json(one.comparison);
    checked["name"] = one.name;
    checked["elements"] = one.elements;
    checked["bound"] = one.bound;
    functions.push_back(std::move(checked));
  }
  ordered_json first;
  if (verified.first) {
    ordered_json lines = ordered_json::array();
    for (const ir::SourceLine& line : verified.first->lines)
      lines.push_back({{"file", line.file}, {"line", line.line}});
    first = {{"way", verified.first->fused ? "fused" : "op_by_op"},
             {"op", verified.first->op},
             {"lines", std::move(lines)},
             {"text", verified.first->comparison.text}};
  }
  const ordered_json all = {
      {"schema", "weft.verify"},
      {"version", kVerifySchema},
      {"agrees", verified.agrees()},
      {"outcome", outcome_of(verified)},
      {"ops", verified.ops},
      {"outputs", std::move(outputs)},
      {"functions", std::move(functions)},
      {"first", std::move(first)},
      {"other_device", verified.other_device.empty() ? ordered_json() : ordered_json(verified.other_device)},
      {"other_problem",
       verified.other_problem.empty() ? ordered_json() : ordered_json(verified.other_problem)}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace weft::detail
