#include <fmt/format.h>

#include "compiler/builder/steps.h"
#include "compiler/passes/scatters.h"

namespace weft {

using ir::Node;

namespace {

// A reduction of one axis of what lies in memory, to a buffer of its own.
void add_total(Building& b, const ir::NodeRef& total, const ir::Step& step, const std::string& says) {
  ir::Group group;
  const Shape& space = total->inputs[0]->shape();
  const int64_t reduced = total->as<ir::AxesAttr>().axes[0];
  group.outer = total->shape();
  group.row = {space[static_cast<size_t>(reduced)]};
  group.roots.push_back({total, {}, true});
  for (int64_t k = 0; k < static_cast<int64_t>(space.size()); ++k)
    group.roots[0].axis.push_back(static_cast<int>(k == reduced  ? static_cast<int64_t>(group.outer.size())
                                                   : k < reduced ? k
                                                                 : k - 1));
  b.add_kernel(plan::lower(group, b.in_memory, b.cuts), origin_of(step, b.stored),
               said("kernel", "kernel: " + says));
}

// What each step but the last leaves lies in a buffer of its own.
void add_scatter_in_steps(Building& b, const ir::Step& step, const passes::ScatterSteps& all) {
  const Node& n = *step.library;
  for (const passes::ScatterSteps::Step& one : all.steps) {
    b.own.push_back(one.node);
    b.buffer_of[one.node.get()] =
        b.add_temporary(one.node->type, fmt::format("{} of {}", one.what, b.title(n)));
    const std::string says = fmt::format(fmt::runtime(one.says), b.title(n));
    if (ir::is_reduce(*one.node))
      add_total(b, one.node, step, says);
    else
      b.add_kernel(plan::lower_unordered_scatter(one.node, b.in_memory), origin_of(step, b.stored),
                   said("kernel", "kernel: " + says), one.node.get());
  }
  b.add_copy(all.result, b.buffer_of.at(&n), "with its values");
}

}  // namespace

void add_scatter(Building& b, const ir::Step& step) {
  const Node& n = *step.library;
  const passes::ScatterOrder order = passes::scatter_order(n, b.target);
  if (order == passes::ScatterOrder::Steps) return add_scatter_in_steps(b, step, passes::scatter_steps(n));
  const std::string why = "which " + std::string(name(n.op)) + " changes";
  if (const Node* base = b.whole_buffer(n.inputs[0].get())) {
    b.add_step(CopyStep{b.buffer_of.at(base), b.buffer_of.at(&n)},
               "copy of " + b.title(*n.inputs[0]) + ", " + why + ", unless nothing else needs it");
  } else {
    b.add_copy(n.inputs[0], b.buffer_of.at(&n), why);
  }
  if (element_count(n.inputs[2]->shape()) == 0) return;
  b.add_kernel(order == passes::ScatterOrder::Any ? plan::lower_unordered_scatter(step.library, b.in_memory)
                                                  : plan::lower_scatter(step.library, b.in_memory),
               origin_of(step, b.stored), said("kernel", "kernel: " + b.title(n)));
}

}  // namespace weft
