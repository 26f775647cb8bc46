#include "compiler/builder/building.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"
#include "compiler/plan/facts/cost.h"
#include "compiler/plan/facts/operations.h"
#include "compiler/plan/facts/overwrite.h"
#include "compiler/plan/facts/traffic.h"

namespace weft {

using ir::Node;
using ir::NodeRef;
using ir::Op;

namespace {

// `numbers`: of the kernel's buffers in the program.
std::vector<KernelStep::Overwrite> overwrites(const plan::RowProgram& p, const plan::Schedule& schedule,
                                              const std::vector<int>& numbers) {
  std::vector<KernelStep::Overwrite> out;
  const auto once = [&](int b) { return std::ranges::count(numbers, b) == 1; };
  for (size_t w = 0; w < numbers.size(); ++w)
    for (size_t r = 0; r < numbers.size(); ++r)
      if (once(numbers[w]) && once(numbers[r]) &&
          may_overwrite(p, schedule, static_cast<int>(r), static_cast<int>(w)))
        out.push_back({numbers[w], numbers[r]});
  return out;
}

}  // namespace

int Building::add_buffer(BufferSpec::Role role, int index, const ir::TensorType& type, std::string what) {
  int64_t bytes = element_count(type.shape) * static_cast<int64_t>(size_of(type.dtype));
  program.buffers.push_back({role, index, type.dtype, type.shape, bytes, std::move(what)});
  return static_cast<int>(program.buffers.size()) - 1;
}

int Building::add_temporary(const ir::TensorType& type, std::string what) {
  return add_buffer(BufferSpec::Role::Temporary, 0, type, std::move(what));
}

const Node* Building::whole_buffer(const Node* n) const {
  const Node* base = ir::memory_of(n);
  const bool strided = base->op == Op::input && !base->as<ir::InputAttr>().strides.empty();
  return buffer_of.contains(base) && !strided ? base : nullptr;
}

int Building::operand(const NodeRef& n) {
  if (const Node* base = whole_buffer(n.get())) return buffer_of.at(base);
  const int buffer = add_temporary(n->type, "a copy of " + title(*n));
  add_copy(n, buffer, "as a loop reads it");
  return buffer;
}

void Building::add_step(ProgramStep step, Explanation::Step explained) {
  explanation.steps.push_back(std::move(explained));
  program.steps.push_back(std::move(step));
}

void Building::add_step(CopyStep step, const std::string& text) { add_step(step, said("copy", text)); }

void Building::add_kernel(plan::Lowered lowered, Origin origin, Explanation::Step explained,
                          const Node* zeroed) {
  plan::RowProgram& p = lowered.program;
  KernelMaker::Made made = kernels.make(p, explained);
  KernelStep& k = made.step;
  kernels.set_lines(k, origin.lines);
  explained.operations = plan::operations_of(p);
  explained.schedule = text_of(made.schedule), explained.chosen_because = reason_of(made.schedule);
  const std::vector<int64_t> touched = touched_elements(p);
  for (size_t i = 0; i < lowered.buffers.size(); ++i) {
    const int buffer = buffer_of.at(lowered.buffers[i]);
    k.buffers.push_back(buffer);
    (p.buffers[i].written ? k.bytes_written : k.bytes_read) +=
        touched[i] * static_cast<int64_t>(size_of(p.buffers[i].dtype));
    if (lowered.buffers[i] != zeroed) continue;
    k.launch.zeroed = static_cast<uint32_t>(i);
    k.launch.zeroed_bytes = static_cast<size_t>(program.buffers[buffer].bytes);
  }
  if (explanation.costs) {
    KernelCost& cost = explained.cost.emplace(plan::cost_of(p, made.schedule));
    cost.bytes_read = k.bytes_read, cost.bytes_written = k.bytes_written;
    cost.tasks = k.launch.tasks, cost.grain = k.launch.grain;
    cost.launches = k.launch.finish_tasks > 0 ? 2 : 1;
  }
  k.overwrites = overwrites(p, made.schedule, k.buffers);
  if (made.partial_bytes > 0)
    k.buffers.push_back(add_temporary(
        {DType::U8, {made.partial_bytes}},
        "parts of " + origin.ops + (origin.lines.empty() ? "" : " at " + to_string(origin.lines))));
  for (const Node* s : lowered.scalars) k.scalars.push_back(scalar_of.at(s));
  if (made.late) kernels.set_late(std::move(p), made, origin.lines);
  k.origin = std::move(origin);
  add_step(std::move(k), std::move(explained));
}

void Building::add_copy(const NodeRef& n, int buffer, const std::string& why) {
  ir::Step copy;
  NodeRef root = ir::copy(n, n->lines);
  own.push_back(root);
  copy.group.outer = n->shape();
  copy.group.roots.push_back({root, {}, true});
  for (size_t k = 0; k < n->shape().size(); ++k) copy.group.roots[0].axis.push_back(static_cast<int>(k));
  buffer_of[root.get()] = buffer;
  if (element_count(copy.group.outer) == 0) return;
  add_kernel(plan::lower(copy.group, in_memory, cuts), origin_of(copy, stored),
             said("kernel", "kernel: copy of " + title(*n) + ", " + why));
}

Results results_of(Building& b, size_t count, const std::function<int(const Node&)>& number) {
  Results out{std::vector<const Node*>(count, nullptr), {}};
  for (const Node* node : topological_order(b.graph.outputs)) {
    const int result = number(*node);
    if (result < 0) continue;
    b.done.insert(node);
    const Node*& first = out.first[static_cast<size_t>(result)];
    if (!first)
      first = node;
    else if (b.buffer_of.at(first) != b.buffer_of.at(node))
      out.again.emplace_back(first, node);
  }
  return out;
}

void copy_again(Building& b, const Results& results, const std::string& what) {
  for (const auto& [from, to] : results.again)
    b.add_step(CopyStep{b.buffer_of.at(from), b.buffer_of.at(to)}, "copy of " + what);
}

}  // namespace weft
