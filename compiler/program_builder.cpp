#include "compiler/program_builder.h"

#include "compiler/builder/steps.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/user_kernel.h"

namespace weft {
namespace {

using ir::Node;
using ir::Op;
using ir::OpKind;

void declare_inputs(Building& b) {
  for (auto& in : b.graph.inputs) {
    if (in->op == Op::scalar) {
      b.scalar_of[in.get()] = static_cast<int>(b.program.scalars.size());
      b.program.scalars.push_back(in->dtype());
      continue;
    }
    b.buffer_of[in.get()] = b.add_buffer(BufferSpec::Role::Input, b.program.inputs++, in->type, b.title(*in));
  }
}

void declare_stored(Building& b, const ir::Partition& partition) {
  for (size_t k = 0; k < b.graph.outputs.size(); ++k) {
    const Node* n = b.graph.outputs[k].get();
    if (n->op == Op::input) {
      int to = b.add_buffer(BufferSpec::Role::Output, static_cast<int>(k), n->type, b.title(*n));
      if (b.whole_buffer(n))
        b.add_step(CopyStep{b.buffer_of.at(n), to}, "copy of " + b.title(*n) + ", which is an output");
      else
        b.add_copy(b.graph.outputs[k], to, "which is an output");
      b.program.outputs.push_back(to);
      continue;
    }
    const Node* memory = ir::written_into(n);
    if (!b.buffer_of.contains(memory))
      b.buffer_of[memory] =
          b.add_buffer(BufferSpec::Role::Output, static_cast<int>(k), n->type, b.title(*memory));
    const int buffer = b.buffer_of.at(memory);
    b.buffer_of[n] = buffer;
    b.program.outputs.push_back(b.buffer_of.at(n));
  }
  auto temporary = [&](const Node* n) {
    const Node* memory = ir::written_into(n);
    if (!b.buffer_of.contains(memory)) b.buffer_of[memory] = b.add_temporary(n->type, b.title(*memory));
    const int buffer = b.buffer_of.at(memory);
    b.buffer_of[n] = buffer;
  };
  for (auto& step : partition.steps) {
    if (step.library) temporary(step.library.get());
    for (auto& root : step.group.roots)
      if (root.stored) temporary(root.node.get());
  }
}

void add_group(Building& b, const ir::Step& step) {
  if (element_count(step.group.outer) == 0) return;
  b.add_kernel(plan::lower(step.group, b.in_memory, b.cuts), origin_of(step, b.stored),
               explain(step, b.stored, b.title));
}

void add(Building& b, const ir::Step& step) {
  if (!step.library)
    add_group(b, step);
  else if (element_count(step.library->shape()) == 0)
    return;
  else if (kind(step.library->op) == OpKind::Scatter)
    add_scatter(b, step);
  else if (ir::is_loop(*step.library))
    add_loop(b, step);
  else if (ir::is_user_kernel(*step.library))
    add_user_kernel(b, step);
  else
    add_product(b, step);
}

}  // namespace

Program build_program(const ir::Graph& graph, const ir::Partition& partition, const Target& target,
                      const Options& options, const Bodies& bodies, Explanation& explanation) {
  Building b{graph, target, options, bodies, explanation};
  declare_inputs(b);
  if (options.dump) options.dump("fused", to_string(explain(partition)));
  b.stored = stored_nodes(partition);
  declare_stored(b, partition);
  for (size_t k = 0; k < partition.steps.size(); ++k) {
    size_t at = explanation.steps.size();
    add(b, partition.steps[k]);
    for (; at < explanation.steps.size(); ++at) explanation.steps[at].group = static_cast<int>(k);
  }
  explanation.edges = explain_decisions(partition, b.stored, b.title);
  explanation.repeated = explain_repeated_work(partition, b.stored);
  explanation.values = b.title.take();
  return std::move(b.program);
}

}  // namespace weft
