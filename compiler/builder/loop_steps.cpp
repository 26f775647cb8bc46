#include <algorithm>
#include <cstdlib>

#include "compiler/builder/steps.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/node_tables.h"
#include "compiler/loop_program.h"
#include "compiler/passes/loops/map_loops.h"

namespace weft {

using ir::Node;
using ir::NodeRef;
using ir::Op;

namespace {

std::vector<bool> wanted(const Results& results) {
  std::vector<bool> out;
  out.reserve(results.first.size());
  for (const Node* result : results.first) out.push_back(result != nullptr);
  return out;
}

// Whether lanes beside each other read a series far apart, as its turns are the neighbours.
bool walks_contiguously(const plan::RowProgram& p) {
  bool any = false;
  plan::for_each_series(p, [&](const plan::Series& series, const plan::Index& at) {
    const auto axis = static_cast<int>(p.outer.size()) - 1;
    any |= std::abs(series.step.value) == 1 && std::abs(plan::stride_along(at, axis)) > 1;
  });
  return any;
}

// Kernels that walk along a loop's slices. Why there are none, else nothing.
std::string add_loop_kernels(Building& b, const ir::Step& step, const Results& results) {
  const Node& n = *step.library;
  if (std::ranges::find(b.options.without_passes, "map_loops") != b.options.without_passes.end())
    return "loops are not made kernels of";
  const passes::LoopKernels made = passes::loop_kernels(*ir::loop_of(n), {n.inputs.begin(), n.inputs.size()},
                                                        wanted(results), b.target, b.options);
  if (!made.why_not.empty()) return made.why_not;
  for (const ir::LoopKernel& kernel : made.kernels) {
    if (element_count(kernel.lanes) == 0) continue;
    for (const ir::LoopKernel::Walked& walked : kernel.series)
      if (walked.array && !plan::has_fixed_step(walked, b.in_memory))
        b.buffer_of[walked.array.get()] = b.operand(walked.array);
    plan::Lowered lowered = plan::lower_loop(kernel, results.first, b.in_memory);
    Origin origin{kernel.function->name, n.lines.all()};
    Explanation::Step explained = explain_loop(kernel, origin, results.first, b.title);
    if (walks_contiguously(lowered.program))
      explained.notes.push_back(
          "its turns walk along neighbours in memory, so elements beside each other are gathered");
    b.add_kernel(std::move(lowered), std::move(origin), std::move(explained));
  }
  return {};
}

// Why no kernel runs all turns of a loop; nothing where one would.
std::string why_in_turns(const Building& b, const Node& n, const Results& results) {
  if (n.op == Op::branch) return {};
  return passes::mapped_loop(*ir::loop_of(n), {n.inputs.begin(), n.inputs.size()}, wanted(results), n.lines,
                             b.target, b.options)
      .why_not;
}

}  // namespace

void add_loop(Building& b, const ir::Step& step) {
  const Node& n = *step.library;
  if (b.done.contains(&n)) return;
  const ir::Loop& loop = *ir::loop_of(n);
  const Results results = results_of(b, loop.results.size(), [&](const Node& other) {
    return ir::same_loop(n, other) ? static_cast<int>(ir::result_number(other)) : -1;
  });
  std::string why;
  if (loop.op == Op::scan && (loop.sliced > 0 || loop.results.size() > loop.carries)) {
    why = add_loop_kernels(b, step, results);
    if (why.empty()) return copy_again(b, results, b.title(n));
  }
  LoopStep l;
  l.loop = loop_program(loop, b.bodies.compile);
  ir::NodeMap<int> known;
  for (const NodeRef& in : n.inputs) {
    if (!known.contains(in.get())) known.emplace(in.get(), b.operand(in));
    l.operands.push_back(known.at(in.get()));
  }
  for (const Node* result : results.first) l.results.push_back(result ? b.buffer_of.at(result) : -1);
  l.origin = origin_of(step, b.stored);
  Explanation::Step explanation = explain(step, b.stored, b.title);
  if (why.empty()) why = why_in_turns(b, n, results);
  if (!why.empty()) explanation.notes.push_back("runs turn by turn: " + why);
  explanation.bodies = std::move(b.bodies.explanations);
  b.bodies.explanations.clear();
  b.add_step(std::move(l), std::move(explanation));
  copy_again(b, results, b.title(n));
}

}  // namespace weft
