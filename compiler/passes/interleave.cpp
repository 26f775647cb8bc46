#include "compiler/passes/interleave.h"
#include "compiler/ir/analysis/users.h"
#include "compiler/ir/function.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/ir/ops/op.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;

bool takes_steps(const Node& update) {
  const int64_t step = update.as<ir::SliceAttr>().steps.back();
  return step == 2 || step == 4;
}

// The updates whose result is read by something that passes over all of it, and that nobody asks for: those
// that take steps, and those to which such a one writes next.
ir::NodeSet passed_over(const ir::Graph& graph) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  const ir::Users users(order);
  ir::NodeSet outputs, out;
  const auto written_next = [&](const Node* n, const Node* user) {
    return user->op == Op::update && user->inputs[0].get() == n && out.contains(user);
  };
  for (const NodeRef& o : graph.outputs) outputs.insert(o.get());
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    if ((*n)->op != Op::update || outputs.contains(*n)) continue;
    const bool steps = !(*n)->shape().empty() && takes_steps(**n);
    const bool read = std::ranges::any_of(users.of(*n), [&](const Node* user) {
      const ir::OpKind is = kind(user->op);
      return written_next(*n, user) || (steps && (is == ir::OpKind::Map || is == ir::OpKind::Reduce));
    });
    if (read) out.insert(*n);
  }
  return out;
}

class AsSelect {
 public:
  explicit AsSelect(const NodeRef& update) : n_(update), at_(update->as<ir::SliceAttr>()) {}

  // Null where the update stays what it is.
  NodeRef made() {
    const NodeRef &base = n_->inputs[0], &value = n_->inputs[1];
    const bool number = value->op == Op::constant || value->op == Op::scalar;
    if (!takes_steps(*n_) && !(number && at_.steps.back() == 1)) return {};
    if (!std::all_of(at_.steps.begin(), at_.steps.end() - 1, [](int64_t s) { return s == 1; })) return {};
    const int64_t written = element_count(value->shape());
    if (written == 0 || written == element_count(n_->shape())) return {};
    if (takes_steps(*n_) && written * kPartOfInterleaved < element_count(n_->shape())) return {};
    const NodeRef whole = whole_of(value);
    return whole ? ir::map(Op::select, {is_written(), whole, base}, n_->lines) : NodeRef();
  }

 private:
  // What is written, for all elements of the whole; null where it is computed of anything else.
  NodeRef whole_of(const NodeRef& value) {
    if (const auto known = known_.find(value.get()); known != known_.end()) return known->second;
    NodeRef whole;
    if (value->op == Op::constant) {
      whole = ir::constant({value->dtype(), n_->shape()}, value->as<ir::ConstantAttr>().value, n_->lines);
    } else if (value->op == Op::scalar) {
      const size_t rank = value->shape().size();
      const NodeRef one = ir::slice(value, Dims(rank, 0), Shape(rank, 1), Dims(rank, 1), n_->lines);
      whole = ir::broadcast(one, n_->shape(), n_->lines);
    } else if (value->op == Op::slice) {
      const auto& at = value->as<ir::SliceAttr>();
      const NodeRef& from = value->inputs[0];
      if (from->shape() == n_->shape() && at.starts == at_.starts && at.steps == at_.steps) whole = from;
    } else if (kind(value->op) == ir::OpKind::Map) {
      work_ += ir::cost_of(*value);
      if (work_ > kWorkOfUnwritten) return {};
      std::vector<NodeRef> inputs;
      for (const NodeRef& in : value->inputs) {
        inputs.push_back(whole_of(in));
        if (!inputs.back()) return {};
      }
      whole = ir::make(value->op, inputs, value->attr, {value->dtype(), n_->shape()}, value->lines);
    }
    known_[value.get()] = whole;
    return whole;
  }

  NodeRef is_written() const {
    const Shape &shape = n_->shape(), &part = n_->inputs[1]->shape();
    NodeRef all;
    const auto where = [&](Op op, const NodeRef& position, int64_t bound) {
      const NodeRef number = ir::constant(position->type, Scalar::of(bound), n_->lines);
      const NodeRef is = ir::map(op, {position, number}, n_->lines);
      all = all ? ir::map(Op::logical_and, {all, is}, n_->lines) : is;
    };
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const int64_t start = at_.starts[axis], step = at_.steps[axis];
      const DType dtype = shape[axis] <= std::numeric_limits<int32_t>::max() ? DType::I32 : DType::I64;
      const NodeRef position = ir::iota({dtype, shape}, static_cast<int64_t>(axis), n_->lines);
      if (step > 1) {
        const NodeRef mask = ir::constant(position->type, Scalar::of(step - 1), n_->lines);
        where(Op::equal, ir::map(Op::bitwise_and, {position, mask}, n_->lines), start & (step - 1));
      }
      if (start >= step) where(Op::greater_equal, position, start);
      if (start + part[axis] * step < shape[axis]) where(Op::less, position, start + part[axis] * step);
    }
    return all;
  }

  const NodeRef& n_;
  const ir::SliceAttr& at_;
  std::unordered_map<const ir::Node*, NodeRef> known_;
  float work_ = 0;  // multiply-adds an element
};

}  // namespace

ir::Graph interleave(const ir::Graph& graph, const Target& target, const Options&) {
  if (target.kind != TargetKind::Cpu) return graph;
  const ir::NodeSet worth = passed_over(graph);
  if (worth.empty()) return graph;
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    if (!worth.contains(&was)) return now;
    const NodeRef select = AsSelect(now).made();
    return select ? select : now;
  });
}

}  // namespace weft::passes
