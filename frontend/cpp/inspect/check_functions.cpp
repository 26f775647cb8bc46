#include "frontend/cpp/inspect/check_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/lines.h"

namespace weft::detail {
namespace {

// What the function's reference gives for these operands.
ir::HostTensor reference_of(const ir::Node& node, std::span<const ir::HostTensor* const> operands) {
  const ir::FunctionRef& reference = ir::function_of(node)->reference;
  ir::Graph graph;
  std::vector<ir::NodeRef> wide;
  std::vector<ir::HostTensor> values;
  wide.reserve(operands.size()), values.reserve(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    graph.inputs.push_back(ir::input(operands[k]->type, {}));
    wide.push_back(ir::cast(graph.inputs.back(), reference->argument(k)));
    values.push_back(*operands[k]);
  }
  graph.outputs = {
      ir::make(ir::Op::apply, wide, ir::ApplyAttr{reference, node.as<ir::ApplyAttr>().result}, {})};
  return std::move(ir::interpret(graph, values)[0]);
}

// Those whose values are wanted: the applications, and what they take that a device computes.
struct Wanted {
  std::vector<ir::NodeRef> nodes;
  std::unordered_map<const ir::Node*, size_t> number;
  std::vector<const ir::Node*> applied;

  explicit Wanted(const ir::Graph& graph) {
    for (const ir::Node* node : ir::topological_order(graph.outputs)) {
      if (!ir::is_apply(*node) || !ir::function_of(*node)->reference) continue;
      for (const ir::NodeRef& operand : node->inputs) add(operand);
      add(ir::NodeRef(node));
      applied.push_back(node);
    }
  }
  void add(const ir::NodeRef& node) {
    if (number.emplace(node.get(), nodes.size()).second) nodes.push_back(node);
  }
};

}  // namespace

std::vector<CheckedFunction> check_functions(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                             const RunApart& run) {
  const Wanted wanted(graph);
  if (wanted.applied.empty()) return {};
  ir::Graph computed{graph.inputs, {}}, given{graph.inputs, {}};
  for (const ir::NodeRef& node : wanted.nodes)
    (ir::kind(node->op) == ir::OpKind::Source ? given : computed).outputs.push_back(node);
  const std::vector<ir::HostTensor> by_device = run(computed), sources = ir::interpret(given, inputs);
  std::unordered_map<const ir::Node*, const ir::HostTensor*> values;
  for (size_t k = 0; k < by_device.size(); ++k) values[computed.outputs[k].get()] = &by_device[k];
  for (size_t k = 0; k < sources.size(); ++k) values[given.outputs[k].get()] = &sources[k];
  std::vector<CheckedFunction> out;
  out.reserve(wanted.applied.size());
  for (const ir::Node* node : wanted.applied) {
    std::vector<const ir::HostTensor*> operands;
    operands.reserve(node->inputs.size());
    for (const ir::NodeRef& operand : node->inputs) operands.push_back(values.at(operand.get()));
    const ir::Function& f = *ir::function_of(*node);
    out.push_back({f.name, node->lines.all(), element_count(node->shape()), f.ulps,
                   compare_within(*values.at(node), reference_of(*node, operands), f.ulps)});
  }
  return out;
}

std::string text_of(const CheckedFunction& checked) {
  const std::string lines = to_string(std::span<const SourceLine>(checked.lines));
  return fmt::format("{}{} beside its reference: {}, {:.3g} of {} ulps in {} element{}{}\n", checked.name,
                     lines.empty() ? "" : " at " + lines, checked.comparison.agrees ? "agrees" : "DISAGREES",
                     checked.comparison.ulps, checked.bound, checked.elements,
                     checked.elements == 1 ? "" : "s",
                     checked.comparison.text.empty() ? "" : ": " + checked.comparison.text);
}

}  // namespace weft::detail
