#include "compiler/derive/batch_loops.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/derive/nodes.h"
#include "compiler/ir/build.h"
#include "compiler/ir/make_loop.h"

namespace weft::derive {
namespace {

using ir::Graph;
using ir::Loop;
using ir::Node;
using ir::NodeRef;

// Which outputs depend on inputs of these flags, in any way.
std::vector<bool> reached(const Graph& body, const std::vector<bool>& inputs) {
  ir::NodeSet known;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]) known.insert(body.inputs[i].get());
  for (const Node* node : ir::topological_order(body.outputs))
    if (std::any_of(node->inputs.begin(), node->inputs.end(),
                    [&](const NodeRef& in) { return known.contains(in.get()); }))
      known.insert(node);
  std::vector<bool> outputs;
  outputs.reserve(body.outputs.size());
  for (const NodeRef& output : body.outputs) outputs.push_back(known.contains(output.get()));
  return outputs;
}

void unite(std::vector<bool>& a, const std::vector<bool>& b) {
  for (size_t i = 0; i < b.size(); ++i) a[i] = a[i] || b[i];
}

Dims swapped(size_t rank) {
  Dims order;
  for (size_t i = 0; i < rank; ++i)
    order.push_back(i < 2 ? 1 - static_cast<int64_t>(i) : static_cast<int64_t>(i));
  return order;
}

class BatchedLoop {
 public:
  BatchedLoop(const Node& node, std::span<const NodeRef> with_axis, int64_t size, const BatchBody& batch_body,
              bool has_customs)
      : node_(node),
        loop_(*ir::loop_of(node)),
        with_axis_(with_axis),
        size_(size),
        batch_body_(batch_body),
        has_customs_(has_customs) {}

  std::vector<NodeRef> run() {
    if (loop_.op == ir::Op::branch && with_axis_[0]) return chosen();
    find_flags();
    Loop made;
    made.op = loop_.op;
    made.carries = loop_.carries, made.sliced = loop_.sliced;
    made.length = loop_.length, made.reverse = loop_.reverse;
    for (const Graph& body : loop_.bodies) made.bodies.push_back(batched_body(body));
    if (loop_.op == ir::Op::while_loop) make_condition(made);
    std::vector<NodeRef> results = ir::results_of(ir::checked(std::move(made)), operands(), node_.lines);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!outputs_[i])
        results[i] = repeated(results[i]);
      else if (loop_.op == ir::Op::scan && i >= loop_.carries)
        results[i] = ir::permute(results[i], swapped(results[i]->shape().size()), node_.lines);
    }
    return results;
  }

 private:
  size_t hidden() const { return loop_.op == ir::Op::branch ? 1 : 0; }
  ir::TensorType wide(const ir::TensorType& type) const {
    ir::TensorType all{type.dtype, {}};
    all.shape.push_back(size_);
    for (const int64_t extent : type.shape) all.shape.push_back(extent);
    return all;
  }
  NodeRef repeated(const NodeRef& x) const {
    ir::TensorType one = wide(x->type);
    one.shape[0] = 1;
    return ir::broadcast(ir::reshape(x, one.shape, node_.lines), wide(x->type).shape, node_.lines);
  }

  void find_flags() {
    inputs_.assign(loop_.operands.size() - hidden(), false);
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = bool(with_axis_[i + hidden()]);
    for (bool more = true; more;) {
      more = false;
      outputs_.assign(loop_.results.size(), false);
      if (loop_.op == ir::Op::while_loop && reached(loop_.bodies[0], inputs_)[0]) differs_ = true;
      for (size_t b = loop_.op == ir::Op::while_loop ? 1 : 0; b < loop_.bodies.size(); ++b)
        unite(outputs_, reached(loop_.bodies[b], inputs_));
      for (size_t i = 0; i < loop_.carries; ++i) {
        if ((outputs_[i] || differs_) && !inputs_[i]) inputs_[i] = more = true;
        outputs_[i] = inputs_[i];
      }
    }
  }

  Graph batched_body(const Graph& body) const {
    Graph made;
    std::unordered_map<const ir::Node*, NodeRef> known;
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      const NodeRef& in = body.inputs[i];
      const bool flagged = i < inputs_.size() && inputs_[i];
      made.inputs.push_back(flagged ? ir::input(wide(in->type), in->as<ir::InputAttr>()) : in);
      if (flagged) known.emplace(in.get(), made.inputs.back());
    }
    const std::vector<NodeRef> all = batch_body_(body.outputs, known, size_);
    const bool condition = loop_.op == ir::Op::while_loop && &body == &loop_.bodies[0];
    for (size_t i = 0; i < all.size(); ++i) {
      const bool flagged = condition ? differs_ : outputs_[i];
      made.outputs.push_back(flagged ? all[i] : body.outputs[i]);
    }
    return made;
  }

  // Values whose condition holds no more keep what they are; the loop goes on while any other's does.
  void make_condition(Loop& made) const {
    if (!differs_) return;
    Graph &condition = made.bodies[0], &body = made.bodies[1];
    const NodeRef holds = ir::inlined(condition, body.inputs)[0];
    for (size_t i = 0; i < loop_.carries; ++i) {
      NodeRef& now = body.outputs[i];
      Shape aligned(now->shape().size(), 1);
      aligned[0] = size_;
      const NodeRef each = ir::broadcast(ir::reshape(holds, aligned, node_.lines), now->shape(), node_.lines);
      now = choose(each, now, body.inputs[i], node_.lines);
    }
    Dims first;
    first.push_back(0);
    condition.outputs[0] = ir::reduce(ir::Op::any, condition.outputs[0], first, node_.lines);
  }

  std::vector<NodeRef> operands() const {
    std::vector<NodeRef> all;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const size_t input = i - hidden();
      const bool flagged = i >= hidden() && inputs_[input];
      if (!flagged) {
        all.push_back(node_.inputs[i]);
        continue;
      }
      NodeRef x = with_axis_[i] ? with_axis_[i] : repeated(node_.inputs[i]);
      if (input >= loop_.carries && input < loop_.carries + loop_.sliced)
        x = ir::permute(x, swapped(x->shape().size()), node_.lines);
      all.push_back(std::move(x));
    }
    return all;
  }

  // All branches, of which each value takes its own.
  std::vector<NodeRef> chosen() const {
    std::vector<std::vector<NodeRef>> made;
    for (const Graph& body : loop_.bodies) {
      std::vector<NodeRef> inputs(node_.inputs.begin() + 1, node_.inputs.end());
      std::unordered_map<const ir::Node*, NodeRef> known;
      if (has_customs_) {
        // Nodes that are made anew would lose theirs, so what all values share gets the axis, too.
        for (size_t i = 0; i < inputs.size(); ++i)
          known.emplace(body.inputs[i].get(), with_axis_[i + 1] ? with_axis_[i + 1] : repeated(inputs[i]));
        made.push_back(batch_body_(body.outputs, known, size_));
        continue;
      }
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!with_axis_[i + 1]) continue;
        inputs[i] = ir::input(body.inputs[i]->type, body.inputs[i]->as<ir::InputAttr>());
        known.emplace(inputs[i].get(), with_axis_[i + 1]);
      }
      made.push_back(batch_body_(ir::inlined(body, inputs), known, size_));
    }
    std::vector<NodeRef> results = made.back();
    const NodeRef& index = with_axis_[0];
    for (size_t b = made.size() - 1; b-- > 0;) {
      const NodeRef most = ir::constant(index->type, Scalar::of(static_cast<int64_t>(b)), node_.lines);
      const NodeRef here = ir::map(ir::Op::less_equal, {index, most}, node_.lines);
      for (size_t i = 0; i < results.size(); ++i) {
        const Shape& shape = results[i]->shape();
        Shape aligned(shape.size(), 1);
        aligned[0] = size_;
        const NodeRef each = ir::broadcast(ir::reshape(here, aligned, node_.lines), shape, node_.lines);
        results[i] = choose(each, made[b][i], results[i], node_.lines);
      }
    }
    return results;
  }

  const Node& node_;
  const Loop& loop_;
  std::span<const NodeRef> with_axis_;
  int64_t size_;
  const BatchBody& batch_body_;
  bool has_customs_;
  std::vector<bool> inputs_, outputs_;  // which have the axis
  bool differs_ = false;                // whether a while_loop's condition does
};

}  // namespace

std::vector<NodeRef> batched_loop(const Node& loop, std::span<const NodeRef> with_axis, int64_t size,
                                  const BatchBody& batch_body, bool has_customs) {
  return BatchedLoop(loop, with_axis, size, batch_body, has_customs).run();
}

}  // namespace weft::derive
