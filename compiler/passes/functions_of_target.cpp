#include "compiler/passes/functions_of_target.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/make_loop.h"
#include "compiler/passes/pass.h"

namespace weft::passes {
namespace {

using ir::Node;
using ir::NodeRef;

bool has_others(const ir::Graph& graph) {
  return std::ranges::any_of(topological_order(graph.outputs), [](const Node* n) {
    return (ir::is_apply(*n) && ir::function_of(*n)->on_cuda) ||
           (ir::is_loop(*n) && std::ranges::any_of(ir::loop_of(*n)->bodies, has_others));
  });
}

ir::Graph replaced(const ir::Graph& graph) {
  std::unordered_map<const ir::Loop*, ir::LoopRef> loops;
  return rewrite(graph, [&](const NodeRef& node) -> NodeRef {
    const std::vector<NodeRef> inputs(node->inputs.begin(), node->inputs.end());
    if (ir::is_apply(*node) && ir::function_of(*node)->on_cuda)
      return ir::make(ir::Op::apply, inputs,
                      ir::ApplyAttr{ir::function_of(*node)->on_cuda, node->as<ir::ApplyAttr>().result}, {},
                      node->lines);
    if (!ir::is_loop(*node) || std::ranges::none_of(ir::loop_of(*node)->bodies, has_others)) return node;
    ir::LoopRef& loop = loops[ir::loop_of(*node).get()];
    if (!loop) {
      ir::Loop made = *ir::loop_of(*node);
      made.operands.clear(), made.results.clear();  // checked() finds them
      for (ir::Graph& body : made.bodies) body = replaced(body);
      loop = checked(std::move(made));
    }
    return ir::results_of(loop, inputs, node->lines)[ir::result_number(*node)];
  });
}

}  // namespace

ir::Graph functions_of_target(const ir::Graph& graph, const Target& target, const Options&) {
  return target.kind == TargetKind::Cuda && has_others(graph) ? replaced(graph) : graph;
}

}  // namespace weft::passes
