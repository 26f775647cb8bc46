#include "compiler/plan/lower/lower.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/analysis/access.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/lower/lower_expression.h"

namespace weft::plan {

using namespace tuning;

namespace {

using ir::Access;
using ir::Linear;
using ir::Node;
using ir::Op;

// A loop over points: `stride` steps of an outer axis of the group, `extent` times.
struct Loop {
  int axis;
  int64_t extent, stride;
};

constexpr size_t kMostLoops = 8;

std::vector<Loop> one_loop_an_axis(const ir::Group& group) {
  std::vector<Loop> loops;
  for (int64_t extent : group.outer) loops.push_back({static_cast<int>(loops.size()), extent, 1});
  return loops;
}

// The stage of what reads reductions across the points.
constexpr int kAfter = 1 << 20;

// The sweep of each root: after every sweep that finishes a reduction that it reads, and not before a scan
// that it reads.
std::vector<int> stages(const ir::Group& group, const std::function<bool(const Node*)>& in_memory) {
  ir::NodeMap<size_t> root_of;
  for (size_t r = 0; r < group.roots.size(); ++r) root_of[group.roots[r].node.get()] = r;
  std::vector<int> stage(group.roots.size(), 0);
  for (size_t r = 0; r < stage.size(); ++r) {
    std::vector<const Node*> stack;
    ir::NodeSet seen;
    auto visit = [&](const Node* n) {
      for (auto& in : n->inputs)
        if (seen.insert(in.get()).second) stack.push_back(in.get());
    };
    visit(group.roots[r].node.get());
    while (!stack.empty()) {
      const Node* n = stack.back();
      stack.pop_back();
      auto own = root_of.find(n);
      if (own != root_of.end() && is_reduce(*n)) {
        stage[r] = std::max(
            stage[r], reduces_across(group, group.roots[own->second]) ? kAfter : stage[own->second] + 1);
      } else if (own != root_of.end() && ir::scans(*n)) {
        stage[r] = std::max(stage[r], stage[own->second]);
      } else if (own != root_of.end() || !in_memory(n)) {
        visit(n);
      }
    }
  }
  return stage;
}

class Lowerer {
 public:
  Lowerer(const ir::Group& group, const std::function<bool(const Node*)>& in_memory, std::vector<Loop> loops)
      : group_(group),
        loops_(std::move(loops)),
        stage_(stages(group, in_memory)),
        expressions_(group, in_memory, vars_, out_) {}

  // The loops with one of them cut where a quotient or remainder cuts what it counts, so that neither is
  // left; none where nothing is gained.
  std::optional<std::vector<Loop>> finer_loops() const {
    size_t best = 0;
    int64_t longest = 1;
    for (int v : expressions_.divided()) {
      const ir::Variable& cut = vars_[v];
      for (auto& [x, step] : cut.of.terms) {
        const auto k = static_cast<size_t>(x);
        if (k >= loops_.size() || step <= 0 || cut.divisor % step != 0) continue;
        const int64_t length = cut.divisor / step;
        if (length <= longest || length >= loops_[k].extent || loops_[k].extent % length != 0) continue;
        if (k + 1 == loops_.size() && length < kShortestLoop) continue;
        const auto [low, high] = vars_.range(cut.of);
        if (low >= 0 && high - (loops_[k].extent - length) * step < cut.divisor) best = k, longest = length;
      }
    }
    if (longest == 1 || loops_.size() >= kMostLoops) return std::nullopt;
    std::vector<Loop> finer = loops_;
    const auto [axis, extent, stride] = loops_[best];
    finer[best] = {axis, extent / longest, stride * longest};
    finer.insert(finer.begin() + static_cast<std::ptrdiff_t>(best) + 1, Loop{axis, longest, stride});
    return finer;
  }

  Lowered run() {
    declare_axes();
    int last = 0;
    for (size_t r = 0; r < stage_.size(); ++r)
      if (needs_sweep(group_.roots[r]) && stage_[r] < kAfter) last = std::max(last, stage_[r]);
    program_.sweeps.resize(last + 1);
    for (int k = 0; k <= last; ++k) {
      Sweep& sweep = program_.sweeps[k];
      write_to(sweep);
      for (size_t r = 0; r < stage_.size(); ++r)
        if (stage_[r] == k && needs_sweep(group_.roots[r])) lower_root(group_.roots[r], sweep);
      expressions_.write_to(sweep.after_section, sweep.after_section);
      for (size_t r = 0; r < stage_.size(); ++r)
        if (stage_[r] == k && reduces_sections(group_, group_.roots[r])) store_result(group_.roots[r]);
    }
    expressions_.write_to(program_.epilogue, program_.epilogue);
    for (size_t r = 0; r < stage_.size(); ++r) {
      const ir::Root& root = group_.roots[r];
      if (stage_[r] < kAfter && !reduces_across(group_, root) && !reduces_sections(group_, root) &&
          (!needs_sweep(root) || is_reduce(*root.node)))
        store_result(root);
    }
    // When all points are done, their values are gone.
    expressions_.forget_values();
    expressions_.write_to(program_.after, program_.after);
    for (size_t r = 0; r < stage_.size(); ++r)
      if (stage_[r] >= kAfter || reduces_across(group_, group_.roots[r])) store_result(group_.roots[r]);
    return std::move(out_);
  }

  // The group is the loops alone: values' axes, the scattered one as the row where its order matters.
  Lowered run_scatter(const Node* n) {
    declare_axes();
    program_.sweeps.resize(1);
    write_to(program_.sweeps[0]);
    program_.ordered = !group_.row.empty();
    int64_t axis = n->as<ir::AxisAttr>().axis;
    const Node *index_node = n->inputs[1].get(), *values = n->inputs[2].get();
    Access at;
    for (int k = 0, outer = 0; k < static_cast<int>(values->shape().size()); ++k)
      at.push_back(along(program_.ordered && k == axis ? static_cast<int>(group_.outer.size()) : outer++));
    Access index_at = ir::broadcast_access(at, index_node->shape());
    expressions_.value(index_node, index_at);
    Value v = expressions_.value(values, at);
    at[axis] = vars_.dynamic(index_node, index_at, n->shape()[axis]);
    Index where = expressions_.index(ir::address(at, contiguous_strides(n->shape()), 0, vars_));
    int out = expressions_.buffer(n, true);
    Storing how = Storing::Plain;
    if (!program_.ordered && n->op != Op::scatter_distinct) {
      how = n->op == Op::scatter_add ? Storing::Sum : Storing::Largest;
    } else if (n->op == Op::scatter_add) {
      Value old = expressions_.define(n->dtype(), true);
      expressions_.emit(Load{old, out, where, {}}, true);
      v = expressions_.let(Op::add, n->dtype(), {old, v});
    }
    expressions_.emit(Store{out, where, v, {}, how}, true);
    return std::move(out_);
  }

  // The group is the lanes.
  Lowered run_loop(const ir::LoopKernel& kernel, const std::vector<const Node*>& results,
                   const std::function<bool(const Node*)>& in_memory) {
    const size_t rank = kernel.lanes.size();
    declare_axes();
    const int turn = vars_.add_axis(kernel.turns);
    program_.sweeps.resize(1);
    write_to(program_.sweeps[0]);
    Access own;
    for (size_t k = 0; k < rank; ++k) own.push_back(along(static_cast<int>(k)));
    Let call{-1, Op::apply, {}, kernel.function};
    for (const ir::NodeRef& operand : kernel.operands)
      call.args.push_back(expressions_.value(operand.get(), own));
    std::map<Linear, Value> positions;
    for (const ir::LoopKernel::Walked& walked : kernel.series) {
      const bool written = !walked.array;
      const Node* array = written ? results[walked.result] : walked.array.get();
      const auto [buffer, at] = where_walked(array, place_in(walked, turn), in_memory);
      Linear first = at;
      std::erase_if(first.terms, [&](auto& term) { return term.first == turn; });
      auto [known, fresh] = positions.try_emplace(first, -1);
      if (fresh) {
        known->second = expressions_.define(DType::I64, false);
        expressions_.emit(Position{known->second, expressions_.index(first)}, false);
      }
      call.args.push_back(known->second);
      call.series.push_back({expressions_.buffer(buffer, written), {at.coefficient(turn)}, kernel.turns});
    }
    for (size_t r = 0; r < kernel.function->block.gives.size(); ++r) {
      call.result = static_cast<int>(r);
      call.out = expressions_.define(kernel.function->result(r), false);
      expressions_.emit(call, false);
      if (r >= kernel.results.size()) continue;
      const Node* result = results[kernel.results[r]];
      const Linear at = ir::address(own, contiguous_strides(result->shape()), 0, vars_);
      expressions_.emit(Store{expressions_.buffer(result, true), expressions_.index(at), call.out}, false);
    }
    return std::move(out_);
  }
  // Whether a walked array's step is known.
  bool finds_step(const ir::LoopKernel::Walked& walked, const std::function<bool(const Node*)>& in_memory) {
    declare_axes();
    const int turn = vars_.add_axis(walked.array->shape()[0]);
    return where_walked(walked.array.get(), place_in(walked, turn), in_memory).array != nullptr;
  }

 private:
  struct Where {
    const Node* array;  // in memory; null where views show it at no fixed steps
    Linear at;
  };

  Access place_in(const ir::LoopKernel::Walked& walked, int turn) const {
    Access at{vars_.of(turn)};
    for (const ir::Along& one : walked.at)
      at.push_back(one.axis < 0 ? vars_.constant(one.index) : along(one.axis));
    return at;
  }

  Where where_walked(const Node* array, Access at, const std::function<bool(const Node*)>& in_memory) {
    const int turn = static_cast<int>(std::max<size_t>(group_.outer.size(), 1));
    while (!in_memory(array)) {
      if (!ir::views_one(array->op)) return {};
      ir::InputAccess in = input_access(*array, 0, at, vars_);
      if (in.never || !in.when.empty()) return {};
      at = std::move(in.at);
      array = array->inputs[0].get();
    }
    Dims strides = contiguous_strides(array->shape());
    int64_t offset = 0;
    if (array->op == Op::input && !array->as<ir::InputAttr>().strides.empty()) {
      strides = array->as<ir::InputAttr>().strides;
      offset = array->as<ir::InputAttr>().offset;
    }
    Linear where = ir::address(at, strides, offset, vars_);
    for (const auto& [v, by] : where.terms)
      if (v != turn && vars_.depends_on(v, turn)) return {};
    return {array, std::move(where)};
  }

  bool is_row_axis(int axis) const { return axis >= static_cast<int>(group_.outer.size()); }
  // Reductions and values that differ along the row are computed in a sweep; in a pointwise group everything
  // is.
  bool needs_sweep(const ir::Root& root) const {
    return is_reduce(*root.node) || group_.row.empty() ||
           std::any_of(root.axis.begin(), root.axis.end(), [&](int a) { return is_row_axis(a); });
  }

  void declare_axes() {
    for (const Loop& l : loops_) vars_.add_axis(l.extent), program_.outer.push_back({l.extent});
    for (int64_t e : group_.row) vars_.add_axis(e), program_.row.push_back({e});
    for (auto& root : group_.roots)
      if (reduces_sections(group_, root)) {
        const int axes = section_axes_of(root);
        if (program_.section_axes != 0 && program_.section_axes != axes)
          throw InternalError("lower: the sections of a row are those of one of its reductions");
        program_.section_axes = axes;
      }
    // Schedules need a loop to run lanes along.
    if (program_.outer.empty() && program_.row.empty()) vars_.add_axis(1), program_.outer.push_back({1});
  }

  // The row axes that it does not reduce.
  int section_axes_of(const ir::Root& root) const {
    const Dims& reduced = root.node->as<ir::AxesAttr>().axes;
    int axes = 0;
    for (size_t k = 0; k < root.axis.size(); ++k)
      if (is_row_axis(root.axis[k]) && std::ranges::find(reduced, static_cast<int64_t>(k)) == reduced.end())
        ++axes;
    return axes;
  }

  Access root_access(const ir::Root& root) const {
    Access at(root.axis.size());
    for (size_t k = 0; k < at.size(); ++k)
      if (root.axis[k] >= 0) at[k] = along(root.axis[k]);
    return at;
  }

  // The position along an axis of the group.
  Linear along(int axis) const {
    if (is_row_axis(axis))
      return vars_.of(static_cast<int>(loops_.size()) + axis - static_cast<int>(group_.outer.size()));
    Linear sum;
    for (size_t k = 0; k < loops_.size(); ++k)
      if (loops_[k].axis == axis)
        sum = vars_.add(sum, vars_.scale(vars_.of(static_cast<int>(k)), loops_[k].stride));
    return sum;
  }

  // A pointwise group has one place for statements: the body.
  void write_to(Sweep& sweep) {
    expressions_.write_to(group_.row.empty() ? sweep.body : sweep.before, sweep.body);
  }

  void lower_root(const ir::Root& root, Sweep& sweep) {
    const Node* n = root.node.get();
    Access at = root_access(root);
    if (ir::scans(*n)) lower_scan(n, at, sweep);
    if (!is_reduce(*n)) {
      if (root.stored) store(n, at);
      return;
    }
    Value v = expressions_.value(n->inputs[0].get(), at);
    Accumulator acc;
    acc.op = n->op;
    acc.dtype = n->inputs[0]->dtype();
    if (reduces_across(group_, root))
      acc.reach = OverPoints{};
    else if (reduces_sections(group_, root))
      acc.reach = OverSection{};
    acc.out = expressions_.define(n->dtype(), acc.is_over_points());
    int number = static_cast<int>(program_.accumulators.size());
    program_.accumulators.push_back(acc);
    if (acc.is_over_section())
      sweep.section_totals.push_back(number);
    else if (!acc.is_over_points())
      sweep.accumulators.push_back(number);
    expressions_.set_result(n, acc.out);
    Fold fold{number, v};
    if (gives_index(n->op)) {
      Linear position;
      int64_t stride = 1;
      const Dims& axes = n->as<ir::AxesAttr>().axes;
      for (size_t k = axes.size(); k-- > 0;) {
        position = vars_.add(position, vars_.scale(at[axes[k]], stride));
        stride *= n->inputs[0]->shape()[axes[k]];
      }
      fold.position = expressions_.define(DType::I64, true);
      expressions_.emit(Position{fold.position, expressions_.index(position)}, true);
    }
    expressions_.emit(fold, true);
  }

  void lower_scan(const Node* n, const Access& at, Sweep& sweep) {
    Value v = expressions_.value(n->inputs[0].get(), at);
    int number = static_cast<int>(program_.accumulators.size());
    program_.accumulators.push_back(
        {info(n->op).folds, n->dtype(), expressions_.define(n->dtype(), false), Running{}});
    sweep.accumulators.push_back(number);
    Value out = expressions_.define(n->dtype(), true);
    expressions_.emit(Scan{out, number, v}, true);
    expressions_.set_result(n, out);
  }

  void store_result(const ir::Root& root) {
    if (root.stored) store(root.node.get(), result_access(root));
  }

  Access result_access(const ir::Root& root) const {
    if (!is_reduce(*root.node)) return root_access(root);
    const Dims& reduced = root.node->as<ir::AxesAttr>().axes;
    Access full = root_access(root), at;
    for (size_t k = 0; k < full.size(); ++k)
      if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(k)) == reduced.end())
        at.push_back(full[k]);
    return at;
  }

  void store(const Node* n, Access at) {
    Value v = expressions_.value(n->op == Op::assign ? n->inputs[1].get() : n, at);
    if (n->op == Op::assign) {
      const auto& [starts, steps] = n->as<ir::SliceAttr>();
      for (size_t k = 0; k < at.size(); ++k) at[k] = vars_.shift(vars_.scale(at[k], steps[k]), starts[k]);
    }
    // Assigns to one memory are one buffer, so that what they write is known to be neighbours.
    const auto memory = memory_written_.try_emplace(ir::written_into(n), n).first->second;
    const Linear where = ir::address(at, contiguous_strides(n->shape()), 0, vars_);
    expressions_.emit(Store{expressions_.buffer(memory, true), expressions_.index(where), v}, true);
  }

  const ir::Group& group_;
  const std::vector<Loop> loops_;  // over points
  const std::vector<int> stage_;   // of each root
  Lowered out_;
  RowProgram& program_ = out_.program;
  ir::Variables vars_;
  ExpressionLowerer expressions_;
  ir::NodeMap<const Node*> memory_written_;  // the first that writes into it
};

}  // namespace

Lowered lower(const ir::Group& group, const std::function<bool(const ir::Node*)>& in_memory, Cuts cuts) {
  ir::Group loops = group;
  // Reductions over axes of extent 1 have a row of one element.
  bool reduces =
      std::any_of(group.roots.begin(), group.roots.end(), [](auto& root) { return is_reduce(*root.node); });
  if (loops.row.empty() && reduces) loops.row.push_back(1);
  Lowered out;
  std::optional<std::vector<Loop>> next = one_loop_an_axis(loops);
  while (next) {
    Lowerer lowerer(loops, in_memory, *std::move(next));
    out = lowerer.run();
    next = cuts == Cuts::Loops && loops.row.empty() ? lowerer.finer_loops() : std::nullopt;
  }
  collapse_axes(out.program);
  return out;
}

Lowered lower_unordered_scatter(const ir::NodeRef& scatter,
                                const std::function<bool(const ir::Node*)>& in_memory) {
  ir::Group loops;
  loops.outer = scatter->inputs[2]->shape();
  Lowered out = Lowerer(loops, in_memory, one_loop_an_axis(loops)).run_scatter(scatter.get());
  collapse_axes(out.program);
  return out;
}

Lowered lower_scatter(const ir::NodeRef& scatter, const std::function<bool(const ir::Node*)>& in_memory) {
  ir::Group loops;
  const Shape& shape = scatter->inputs[2]->shape();
  int64_t axis = scatter->as<ir::AxisAttr>().axis;
  for (size_t k = 0; k < shape.size(); ++k)
    (static_cast<int64_t>(k) == axis ? loops.row : loops.outer).push_back(shape[k]);
  if (loops.outer.empty()) loops.outer.push_back(1);
  Lowered out = Lowerer(loops, in_memory, one_loop_an_axis(loops)).run_scatter(scatter.get());
  collapse_axes(out.program);
  return out;
}

namespace {

ir::Group group_of_lanes(const Shape& lanes) {
  ir::Group loops;
  loops.outer = lanes;
  return loops;
}

}  // namespace

Lowered lower_loop(const ir::LoopKernel& kernel, const std::vector<const Node*>& results,
                   const std::function<bool(const Node*)>& in_memory) {
  const ir::Group lanes = group_of_lanes(kernel.lanes);
  Lowered out = Lowerer(lanes, in_memory, one_loop_an_axis(lanes)).run_loop(kernel, results, in_memory);
  collapse_axes(out.program);
  return out;
}

bool has_fixed_step(const ir::LoopKernel::Walked& series, const std::function<bool(const Node*)>& in_memory) {
  Shape lanes;
  for (size_t k = 0; k < series.at.size(); ++k)
    if (const int axis = series.at[k].axis; axis >= 0) {
      if (lanes.size() <= static_cast<size_t>(axis)) lanes.resize(static_cast<size_t>(axis) + 1, 1);
      lanes[static_cast<size_t>(axis)] = series.array->shape()[k + 1];
    }
  const ir::Group group = group_of_lanes(lanes);
  return Lowerer(group, in_memory, one_loop_an_axis(group)).finds_step(series, in_memory);
}

}  // namespace weft::plan
