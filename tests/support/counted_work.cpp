#include "tests/support/counted_work.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/compile.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/plan/facts/traffic.h"
#include "compiler/plan/lower/lower.h"

namespace weft::test {
namespace {

using plan::Value;

constexpr double kAccess = 1, kGather = 4, kQuotient = 8, kCompare = 0.5;

double cost_of(const plan::Stmt& stmt) {
  const auto access = [](const plan::Index& at) { return at.values.empty() ? kAccess : kGather; };
  if (const auto* let = std::get_if<plan::Let>(&stmt)) return std::max(plan::cost_of(*let), 0.25F);
  if (const auto* load = std::get_if<plan::Load>(&stmt)) return access(load->at);
  if (const auto* store = std::get_if<plan::Store>(&stmt)) return access(store->at);
  if (std::holds_alternative<plan::Divide>(stmt)) return kQuotient;
  if (std::holds_alternative<plan::Literal>(stmt) || std::holds_alternative<plan::Argument>(stmt)) return 0;
  return std::holds_alternative<plan::Fold>(stmt) || std::holds_alternative<plan::Scan>(stmt) ? 1 : kCompare;
}

// Counts statements in the loops that each needs.
class Counter {
 public:
  explicit Counter(const plan::RowProgram& p)
      : p_(p), axes_(p.outer.size() + p.row.size()), innermost_(p.values.size(), -1) {}

  double run() {
    const int outer = static_cast<int>(p_.outer.size()) - 1, all = static_cast<int>(axes_) - 1;
    for (const plan::Accumulator& acc : p_.accumulators) innermost_[static_cast<size_t>(acc.out)] = outer;
    for (const plan::Sweep& sweep : p_.sweeps) {
      add(sweep.before, outer);
      add(sweep.body, all);
      add(sweep.after_section, all,
          static_cast<double>(p_.outer_count()) * static_cast<double>(p_.section_count()));
    }
    add(p_.epilogue, outer);
    add(p_.after, all, static_cast<double>(p_.row_count()));
    return work_;
  }

 private:
  // `most`: the innermost loop of the list; `times`: how often it runs, where the loops do not say.
  void add(const std::vector<plan::Stmt>& stmts, int most, double times = -1) {
    for (const plan::Stmt& stmt : stmts) {
      int axis = -1;
      if (const plan::Index* at = plan::index_of(stmt))
        for (const plan::AxisTerm& term : at->axes) axis = std::max(axis, term.axis);
      for (const Value v : plan::uses(stmt)) axis = std::max(axis, innermost_[static_cast<size_t>(v)]);
      // What a scan or a total gathers, it does for every element.
      if (std::holds_alternative<plan::Fold>(stmt) || std::holds_alternative<plan::Scan>(stmt)) axis = most;
      axis = std::min(axis, most);
      if (const Value v = plan::defines(stmt); v >= 0) innermost_[static_cast<size_t>(v)] = axis;
      work_ += cost_of(stmt) * (times >= 0 ? times : turns(axis));
    }
  }
  double turns(int innermost) const {
    double n = 1;
    for (int axis = 0; axis <= innermost; ++axis) n *= static_cast<double>(p_.extent(axis).value);
    return n;
  }

  const plan::RowProgram& p_;
  size_t axes_;
  std::vector<int> innermost_;  // of the loops that a value depends on; -1: none
  double work_ = 0;
};

double bytes_of(const ir::TensorType& type) {
  return static_cast<double>(element_count(type.shape)) * static_cast<double>(size_of(type.dtype));
}

// The same for who calls it fused and op by op.
double work_of_library(const ir::Node& n) {
  if (n.op != ir::Op::dot) return static_cast<double>(element_count(n.inputs[n.inputs.size() - 1]->shape()));
  const double left = static_cast<double>(element_count(n.inputs[0]->shape()));
  const double right = static_cast<double>(element_count(n.inputs[1]->shape()));
  const double result = std::max<double>(1, static_cast<double>(element_count(n.shape())));
  return std::max({left, right, std::max(left, right) * std::min(result, std::min(left, right)) / 1024});
}

}  // namespace

double counted_work(const plan::RowProgram& program) { return Counter(program).run(); }

CountedWork counted_work(const ir::Graph& graph, const Target& target, const Options& options) {
  const ir::Graph prepared = prepare(graph, target, options);
  const ir::Partition partition = fusion::fuse(prepared, target, options);
  std::unordered_set<const ir::Node*> stored;
  const auto store = [&](const ir::Node* n) { stored.insert({n, ir::written_into(n)}); };
  for (const ir::Step& step : partition.steps) {
    if (step.library) store(step.library.get());
    for (const ir::Root& root : step.group.roots)
      if (root.stored) store(root.node.get());
  }
  const auto in_memory = [&](const ir::Node* n) { return n->op == ir::Op::input || stored.contains(n); };
  CountedWork total;
  for (const ir::Step& step : partition.steps) {
    double bytes = 0, work = 0;
    if (step.library) {
      bytes = bytes_of(step.library->type);
      for (const ir::NodeRef& in : step.library->inputs) bytes += bytes_of(in->type);
      work = work_of_library(*step.library);
    } else {
      if (element_count(step.group.outer) == 0) continue;
      const plan::Lowered lowered = plan::lower(step.group, in_memory, plan::Cuts::Loops);
      const std::vector<int64_t> touched = plan::touched_elements(lowered.program);
      for (size_t b = 0; b < touched.size(); ++b)
        bytes +=
            static_cast<double>(touched[b]) * static_cast<double>(size_of(lowered.program.buffers[b].dtype));
      work = counted_work(lowered.program);
    }
    total.bytes += bytes, total.work += work, total.cost += std::max(bytes, work);
    ++total.steps;
  }
  return total;
}

}  // namespace weft::test
