#include "frontend/cpp/inspect/reduce_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/shrink.h"
#include "frontend/cpp/inspect/verify_graph.h"
#include "runtime/progress.h"

namespace weft::detail {

namespace {

constexpr const char* kFailed = "failed: ";

size_t ops_of(const ir::Graph& graph) {
  return static_cast<size_t>(
      std::ranges::count_if(ir::topological_order(graph.outputs),
                            [](const ir::Node* node) { return ir::kind(node->op) != ir::OpKind::Source; }));
}

// The value of each input, also of those that took the place of ops.
class Values {
 public:
  Values(const ir::Graph& graph, std::span<const ir::HostTensor> inputs) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) put(graph.inputs[i], inputs[i]);
  }

  void cut(const ir::NodeRef& input, const ir::NodeRef& node) {
    ir::Graph below{{}, {node}};
    for (const ir::Node* given : ir::topological_order(below.outputs))
      if (ir::is_given(given->op)) below.inputs.emplace_back(given);
    put(input, std::move(ir::interpret(below, of(below))[0]));
  }

  std::vector<ir::HostTensor> of(const ir::Graph& graph) const {
    std::vector<ir::HostTensor> out;
    out.reserve(graph.inputs.size());
    for (const ir::NodeRef& input : graph.inputs) out.push_back(values_.at(input.get()).second);
    return out;
  }

 private:
  void put(const ir::NodeRef& input, ir::HostTensor value) {
    values_[input.get()] = {input, std::move(value)};
  }
  // The nodes are held, so that no other one gets their addresses.
  std::unordered_map<const ir::Node*, std::pair<ir::NodeRef, ir::HostTensor>> values_;
};

}  // namespace

ReducedGraph reduce_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                          const FindProblem& problem) {
  const std::string whole = problem(graph, inputs);
  if (whole.empty())
    throw Error("reduce: the results are those of the reference interpreter, so there is nothing to reduce");
  const bool failed = whole.starts_with(kFailed);
  Values values(graph, inputs);
  ReducedGraph out;
  out.ops_before = ops_of(graph);
  out.problem = whole;
  runtime::Progress progress("reducing: operations left out", static_cast<int64_t>(out.ops_before));
  size_t left = out.ops_before;
  const auto still_fails = [&](const ir::Graph& candidate) {
    progress.reach(static_cast<int64_t>(out.ops_before - left));
    std::string found = problem(candidate, values.of(candidate));
    if (found.empty() || found.starts_with(kFailed) != failed) return false;
    out.problem = std::move(found);
    left = std::min(left, ops_of(candidate));
    return true;
  };
  out.graph = ir::shrink(graph, still_fails,
                         [&](const ir::NodeRef& input, const ir::NodeRef& node) { values.cut(input, node); });
  out.inputs = values.of(out.graph);
  out.ops = ops_of(out.graph);
  return out;
}

std::string problem_beside_interpreter(
    const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
    const std::function<std::vector<ir::HostTensor>(const ir::Graph&, std::span<const ir::HostTensor>)>&
        run) {
  const Reference reference = reference_of(graph, inputs);
  std::vector<std::string> names;
  names.reserve(graph.outputs.size());
  for (size_t i = 0; i < graph.outputs.size(); ++i) names.push_back(fmt::format("output {}", i));
  try {
    return problem_of(reference, graph.outputs, run(graph, inputs), names);
  } catch (const InternalError& e) {
    return std::string(kFailed) + e.what();
  }
}

}  // namespace weft::detail
