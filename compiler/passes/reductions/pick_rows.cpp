#include "compiler/passes/reductions/pick_rows.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/analysis/users.h"
#include "compiler/ir/build.h"
#include "compiler/ir/group.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/rewritten.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::is_reduce;
using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

constexpr size_t kMostNodes = 100;  // of what a gather moves up through
constexpr int64_t kFewRows = 2;     // of which one is picked, at most

using ir::Users;

int64_t count(const Shape& shape, size_t begin, size_t end) {
  int64_t out = 1;
  for (size_t k = begin; k < end; ++k) out *= shape[k];
  return out;
}

// What a node reads along one of its axes.
struct Along {
  bool all_inputs = false;     // each, along the same axis
  std::optional<size_t> axis;  // of the first input; without it all is read for each position

  // Whether input k is read along the axis, and not whole.
  bool of(size_t k) const { return axis && (all_inputs || k == 0); }
};

// Nothing where positions along the axis are computed of other ones.
std::optional<Along> along(const Node& n, size_t axis) {
  if (kind(n.op) == OpKind::Map) return Along{true, axis};
  if (ir::scans(n)) {
    if (n.as<ir::AxisAttr>().axis == static_cast<int64_t>(axis)) return {};
    return Along{false, axis};
  }
  if (is_reduce(n)) {
    for (int64_t reduced : n.as<ir::AxesAttr>().axes) axis += reduced <= static_cast<int64_t>(axis);
    return Along{false, axis};
  }
  if (is_copy(n)) return {};
  const Shape& from = n.inputs.size() == 0 ? n.shape() : n.inputs[0]->shape();
  switch (n.op) {
    case Op::permute:
      return Along{false, static_cast<size_t>(n.as<ir::AxesAttr>().axes[axis])};
    case Op::broadcast: {
      const size_t added = n.shape().size() - from.size();
      if (axis < added || from[axis - added] != n.shape()[axis]) return Along{};
      return Along{false, axis - added};
    }
    case Op::slice: {
      const auto& [starts, steps] = n.as<ir::SliceAttr>();
      if (starts[axis] != 0 || steps[axis] != 1 || from[axis] != n.shape()[axis]) return {};
      return Along{false, axis};
    }
    case Op::reshape: {
      const int64_t before = count(n.shape(), 0, axis);
      for (size_t k = 0; k < from.size(); ++k)
        if (from[k] == n.shape()[axis] && count(from, 0, k) == before) return Along{false, k};
      return {};
    }
    default:
      return {};
  }
}

// What one gather picks, as far up as nothing else reads what it reads.
class Picked {
 public:
  Picked(const NodeRef& gather, const NodeRef& index)
      : gather_(*gather),
        index_(index),
        picked_(gather->shape()[static_cast<size_t>(gather->as<ir::AxisAttr>().axis)]) {}

  // `below` are the nodes before the gather, the last one first.
  bool is_worth_it(std::span<const Node* const> below, const Users& users, const ir::NodeSet& outputs) {
    const Shape& at = index_->shape();
    const auto axis = static_cast<size_t>(gather_.as<ir::AxisAttr>().axis);
    const int64_t rows = gather_.inputs[0]->shape()[axis];
    if (element_count(at) != picked_ || ir::takes_steps(gather_) || picked_ * kFewRows > rows || picked_ == 0)
      return false;
    if (!ask(*gather_.inputs[0], axis)) return false;
    bool reduces = false;
    for (const Node* n : below) {
      const auto asked = axis_.find(n);
      if (asked == axis_.end()) continue;
      asked_.push_back(n);
      if (asked_.size() > kMostNodes) return false;
      const auto reads = along(*n, asked->second);
      const bool alone =
          !outputs.contains(n) && !whole_.contains(n) &&
          std::ranges::all_of(users.of(n), [&](const Node* user) {
            return carried_.contains(user) || (user == &gather_ && gather_.inputs[1].get() != n);
          });
      if (!reads || !alone) {
        // Short pieces of rows are read with the lines of memory around them.
        const int64_t piece = count(n->shape(), asked->second + 1, n->shape().size());
        if (kind(n->op) != OpKind::Source || n->op == Op::input)
          if (picked_ * std::max(kFewRows, kScattered / std::max<int64_t>(piece, 1)) > rows) return false;
        if (asked_.size() == axis_.size()) break;
        continue;
      }
      carried_.insert(n);
      reduces |= is_reduce(*n) || ir::scans(*n);
      for (size_t k = 0; k < n->inputs.size(); ++k)
        if (!reads->of(k))
          whole_.insert(n->inputs[k].get());
        else if (!ask(*n->inputs[k], *reads->axis))
          return false;
    }
    return reduces;
  }

  // What stands for the gather. `now` gives what stands for a node.
  template <class Now>
  NodeRef built(const Now& now) {
    for (auto n = asked_.rbegin(); n != asked_.rend(); ++n) part_[*n] = part_of(**n, now);
    return part_.at(gather_.inputs[0].get());
  }

 private:
  bool ask(const Node& n, size_t axis) { return axis_.try_emplace(&n, axis).first->second == axis; }

  Shape shape_of(const Node& n) const {
    Shape out = n.shape();
    out[axis_.at(&n)] = picked_;
    return out;
  }

  template <class Now>
  NodeRef part_of(const Node& n, const Now& now) const {
    const Shape shape = shape_of(n);
    const size_t axis = axis_.at(&n);
    if (n.op == Op::constant)
      return ir::constant({n.dtype(), shape}, n.as<ir::ConstantAttr>().value, n.lines);
    if (n.op == Op::scalar)
      return ir::slice(now(n), Dims(shape.size(), 0), shape, Dims(shape.size(), 1), n.lines);
    if (!carried_.contains(&n)) {
      Shape at(shape.size(), 1);
      at[axis] = picked_;
      return ir::gather(now(n), ir::reshape(index_, at, gather_.lines), static_cast<int64_t>(axis),
                        n.lines.united(gather_.lines));
    }
    std::vector<NodeRef> inputs;
    const Along reads = *along(n, axis);
    inputs.reserve(n.inputs.size());
    for (size_t k = 0; k < n.inputs.size(); ++k)
      inputs.push_back(reads.of(k) ? part_.at(n.inputs[k].get()) : now(*n.inputs[k]));
    const NodeRef& x = inputs[0];
    if (kind(n.op) == OpKind::Map) return ir::make(n.op, inputs, n.attr, {n.dtype(), shape}, n.lines);
    if (is_reduce(n)) return ir::reduce(n.op, x, n.as<ir::AxesAttr>().axes, n.lines);
    if (ir::scans(n)) return ir::scan(n.op, x, n.as<ir::AxisAttr>().axis, n.lines);
    if (n.op == Op::permute) return ir::permute(x, n.as<ir::AxesAttr>().axes, n.lines);
    if (n.op == Op::broadcast) return ir::broadcast(x, shape, n.lines);
    if (n.op == Op::reshape) return ir::reshape(x, shape, n.lines);
    return ir::slice(x, n.as<ir::SliceAttr>().starts, shape, n.as<ir::SliceAttr>().steps, n.lines);
  }

  const Node& gather_;
  NodeRef index_;
  int64_t picked_;
  ir::NodeMap<size_t> axis_;        // of each node that is asked for along one
  std::vector<const Node*> asked_;  // those, readers first
  ir::NodeSet carried_;             // of these, computed of what is picked
  ir::NodeSet whole_;               // read whole by one of these
  std::unordered_map<const ir::Node*, NodeRef> part_;
};

}  // namespace

ir::Graph pick_rows(const ir::Graph& graph, const Target&, const Options&) {
  std::vector<const Node*> order = topological_order(graph.outputs);
  if (std::ranges::none_of(order, [](auto* n) { return n->op == Op::gather; }) ||
      std::ranges::none_of(order, [](auto* n) { return is_reduce(*n) || ir::scans(*n); }))
    return graph;
  const Users users(order);
  ir::NodeSet outputs;
  for (auto& out : graph.outputs) outputs.insert(out.get());
  std::ranges::reverse(order);
  Rewritten replaced(order.size());
  const auto now = [&](const Node& n) { return replaced.at(&n); };
  for (size_t k = order.size(); k-- > 0;) {
    const NodeRef n(order[k]);
    replaced.set(order[k], replaced.with_new_inputs(*n));
    if (n->op != Op::gather) continue;
    Picked picked(n, replaced.at(n->inputs[1].get()));
    if (picked.is_worth_it(std::span(order).subspan(k + 1), users, outputs))
      replaced.set(order[k], picked.built(now));
  }
  return replaced.graph(graph);
}

}  // namespace weft::passes
