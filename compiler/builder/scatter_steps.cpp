#include <fmt/format.h>

#include "compiler/builder/steps.h"
#include "compiler/passes/scatters.h"

namespace weft {

using ir::Node;

namespace {

// What the first step of a scatter in two steps leaves lies in a buffer of its own.
void add_scatter_in_two_steps(Building& b, const ir::Step& step, const passes::TwoSteps& two) {
  const Node& n = *step.library;
  b.own.push_back(two.scatter);
  b.buffer_of[two.scatter.get()] =
      b.add_temporary(two.scatter->type, fmt::format("{} of {}", two.what, b.title(n)));
  const std::string says = fmt::format(fmt::runtime(two.says), b.title(n));
  b.add_kernel(plan::lower_unordered_scatter(two.scatter, b.in_memory), origin_of(step, b.stored),
               said("kernel", "kernel: " + says), two.scatter.get());
  b.add_copy(two.result, b.buffer_of.at(&n), "with its values");
}

}  // namespace

void add_scatter(Building& b, const ir::Step& step) {
  const Node& n = *step.library;
  const passes::ScatterOrder order = passes::scatter_order(n, b.target);
  if (order == passes::ScatterOrder::Claimed)
    return add_scatter_in_two_steps(b, step, passes::claimed_scatter(n));
  if (order == passes::ScatterOrder::SumsApart)
    return add_scatter_in_two_steps(b, step, passes::summed_scatter(n));
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
