#include "compiler/derive/batch.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/derive/batch_loops.h"
#include "compiler/derive/nodes.h"
#include "compiler/ir/user_kernel.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;

Dims behind(int64_t first, const Dims& rest, int64_t added = 0) {
  Dims all;
  all.push_back(first);
  for (const int64_t one : rest) all.push_back(one + added);
  return all;
}

class Batch {
 public:
  Batch(const Batched& inputs, int64_t size, const std::shared_ptr<Customs>& customs)
      : inputs_(inputs), known_(inputs), size_(size), customs_(customs) {}

  NodeRef output(const NodeRef& node) { return repeated(node, node->lines); }

  // Gives what the node depends on by inputs a leading axis, and so the node.
  void add(const NodeRef& output) {
    for (const Node* node : ir::topological_order({&output, 1})) {
      if (known_.contains(node)) continue;
      if (const std::shared_ptr<const Custom> custom = custom_of(node))
        add(custom);
      else
        known_.emplace(node, computed(*node));
    }
  }

 private:
  // With the leading axis; null for what has none.
  NodeRef find(const NodeRef& node) const {
    const auto found = known_.find(node.get());
    return found == known_.end() ? NodeRef() : found->second;
  }
  NodeRef computed(const Node& n) {
    const bool any = std::ranges::any_of(n.inputs, [&](const NodeRef& in) { return bool(find(in)); });
    return !any ? NodeRef() : ir::is_loop(n) ? looped(n) : made(n);
  }

  std::shared_ptr<const Custom> custom_of(const Node* node) const {
    if (!customs_) return {};
    const auto found = customs_->find(node);
    return found == customs_->end() ? nullptr : found->second;
  }

  // All outputs of `one`, with the derivative that it says.
  void add(const std::shared_ptr<const Custom>& one) {
    bool any = false;
    for (const NodeRef& output : one->outputs) {
      for (const NodeRef& in : output->inputs) add(in);
      any = bool(known_[output.get()] = computed(*output)) || any;
    }
    if (!any) return;
    auto all = std::make_shared<Custom>();
    all->name = one->name;
    for (const NodeRef& output : one->outputs) {
      all->outputs.push_back(ir::copy(repeated(output, output->lines), output->lines));
      known_[output.get()] = all->outputs.back();
    }
    for (const NodeRef& in : one->inputs) {
      add(in);
      all->inputs.push_back(repeated(in, in->lines));
    }
    if (one->vjp) all->vjp = each(one, one->outputs, one->vjp);
    if (one->jvp) all->jvp = each(one, one->inputs, one->jvp);
    for (const NodeRef& output : all->outputs) customs_->emplace(output.get(), all);
  }

  using Rule = std::function<std::vector<NodeRef>(std::span<const NodeRef>)>;

  // What a rule says of one value, which takes what is `like` these, done for all.
  Rule each(const std::shared_ptr<const Custom>& one, const std::vector<NodeRef>& like, const Rule& rule) {
    const std::weak_ptr<Customs> customs = customs_;  // which hold the rule
    std::vector<NodeRef> held;                        // whose addresses `inputs` knows
    for (const auto& [node, _] : inputs_) held.emplace_back(node);
    return [one, like, rule, customs, held, inputs = inputs_, size = size_](std::span<const NodeRef> given) {
      Batched with = inputs;
      std::vector<NodeRef> places;
      for (size_t i = 0; i < like.size(); ++i) {
        places.push_back(ir::input(like[i]->type, {nullptr, "part " + std::to_string(i), {}, 0}));
        with.emplace(places.back().get(), given[i]);
      }
      std::vector<NodeRef> results = rule(places);
      for (NodeRef& result : results)
        if (result) result = batched({&result, 1}, with, size, customs.lock())[0];
      return results;
    };
  }

  // With a leading axis of one element where there is none, which broadcasts.
  NodeRef with_axis(const NodeRef& node, const ir::Lines& lines) const {
    const NodeRef found = find(node);
    return found ? found : ir::reshape(node, behind(1, node->shape()), lines);
  }
  NodeRef repeated(const NodeRef& node, const ir::Lines& lines) const {
    return ir::broadcast(with_axis(node, lines), behind(size_, node->shape()), lines);
  }

  NodeRef made(const Node& n) const {
    switch (ir::kind(n.op)) {
      case ir::OpKind::Source:
      case ir::OpKind::Loop:  // looped()
        break;
      case ir::OpKind::Kernel:
        if (ir::user_kernel_of(n)->library) return of_library(n);
        throw Error(
            "vmap: " + ir::user_kernel_of(n)->title +
            " is a kernel of its own text, which is for one value: write a text that takes the axis too");
      case ir::OpKind::Map:
        return map(n);
      case ir::OpKind::View:
        return view(n);
      case ir::OpKind::Reduce:
        return ir::reduce(n.op, find(n.inputs[0]), shifted_axes(n.as<ir::AxesAttr>().axes), n.lines);
      case ir::OpKind::Scan:
        return ir::scan(n.op, find(n.inputs[0]), n.as<ir::AxisAttr>().axis + 1, n.lines);
      case ir::OpKind::Gather:
        return gather(n);
      case ir::OpKind::Scatter:
        return ir::scatter(n.op, repeated(n.inputs[0], n.lines), repeated(n.inputs[1], n.lines),
                           repeated(n.inputs[2], n.lines), n.as<ir::AxisAttr>().axis + 1, n.lines);
      case ir::OpKind::Update: {
        const auto& a = n.as<ir::SliceAttr>();
        return ir::update(repeated(n.inputs[0], n.lines), repeated(n.inputs[1], n.lines), behind(0, a.starts),
                          behind(1, a.steps), n.lines);
      }
      case ir::OpKind::Dot:
        return ir::dot(with_axis(n.inputs[0], n.lines), with_axis(n.inputs[1], n.lines), n.lines);
    }
    return {};
  }

  // Its rows are those of all values.
  NodeRef of_library(const Node& n) const {
    ir::Inputs inputs(n.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = repeated(n.inputs[i], n.lines);
    const auto& a = n.as<ir::KernelAttr>();
    return ir::make(ir::Op::kernel, std::move(inputs),
                    ir::KernelAttr{ir::with_leading_axis(*a.kernel, size_), a.result}, {}, n.lines);
  }

  // All results of a loop are made at once.
  NodeRef looped(const Node& n) {
    for (const Looped& one : loops_)
      if (ir::same_loop(*one.node, n)) return one.results[ir::result_number(n)];
    std::vector<NodeRef> operands;
    for (const NodeRef& in : n.inputs) operands.push_back(find(in));
    const auto body = [this](std::span<const NodeRef> outputs, const Batched& inputs, int64_t size) {
      return batched(outputs, inputs, size, customs_);
    };
    loops_.push_back({&n, batched_loop(n, operands, size_, body, customs_ && !customs_->empty())});
    return loops_.back().results[ir::result_number(n)];
  }

  static Dims shifted_axes(const Dims& axes) {
    Dims all;
    for (const int64_t axis : axes) all.push_back(axis + 1);
    return all;
  }

  NodeRef map(const Node& n) const {
    ir::Inputs in(n.inputs.size());
    for (size_t i = 0; i < in.size(); ++i) in[i] = repeated(n.inputs[i], n.lines);
    if (n.op == Op::cast) return ir::cast(in[0], n.dtype(), n.lines);
    if (n.op == Op::bitcast) return ir::bitcast(in[0], n.dtype(), n.lines);
    if (n.op == Op::apply) return ir::make(n.op, std::move(in), n.attr, {}, n.lines);
    return ir::map(n.op, std::move(in), n.lines);
  }

  NodeRef gather(const Node& n) const {
    const NodeRef x = with_axis(n.inputs[0], n.lines), index = with_axis(n.inputs[1], n.lines);
    const NodeRef all = ir::gather(x, index, n.as<ir::AxisAttr>().axis + 1, n.lines);
    return ir::broadcast(all, behind(size_, n.shape()), n.lines);
  }

  NodeRef view(const Node& n) const {
    const Shape shape = behind(size_, n.shape());
    switch (n.op) {
      case Op::broadcast: {
        const NodeRef x = find(n.inputs[0]);
        if (ir::is_copy(n)) return ir::copy(x, n.lines);
        Shape aligned;
        aligned.push_back(size_);
        for (size_t i = n.inputs[0]->shape().size(); i < n.shape().size(); ++i) aligned.push_back(1);
        for (const int64_t extent : n.inputs[0]->shape()) aligned.push_back(extent);
        return ir::broadcast(ir::reshape(x, aligned, n.lines), shape, n.lines);
      }
      case Op::permute:
        return ir::permute(find(n.inputs[0]), behind(0, n.as<ir::AxesAttr>().axes, 1), n.lines);
      case Op::slice: {
        const auto& a = n.as<ir::SliceAttr>();
        return ir::slice(find(n.inputs[0]), behind(0, a.starts), shape, behind(1, a.steps), n.lines);
      }
      case Op::reshape:
        return ir::reshape(find(n.inputs[0]), shape, n.lines);
      case Op::pad:
        return pad(n, shape);
      default: {
        std::vector<NodeRef> parts;
        for (const NodeRef& in : n.inputs) parts.push_back(repeated(in, n.lines));
        return ir::concat(parts, n.as<ir::AxisAttr>().axis + 1, n.lines);
      }
    }
  }

  // What is filled in is one value of a pad; where there is one for each, a mask of what came from x chooses.
  NodeRef pad(const Node& n, const Shape& shape) const {
    const auto& a = n.as<ir::PadAttr>();
    const Dims before = behind(0, a.before), after = behind(0, a.after);
    const NodeRef x = repeated(n.inputs[0], n.lines), fill = find(n.inputs[1]);
    if (!fill) return ir::pad(x, n.inputs[1], before, after, n.lines);
    const auto truth = [&](const Shape& of, bool value) {
      return ir::constant({DType::Bool, of}, Scalar::of(value), n.lines);
    };
    const NodeRef inside = ir::pad(truth(x->shape(), true), truth({}, false), before, after, n.lines);
    const NodeRef wide = ir::pad(x, zeros({x->dtype(), {}}), before, after, n.lines);
    const NodeRef filled = ir::reshape(fill, behind(size_, Dims(n.shape().size(), 1)), n.lines);
    return choose(inside, wide, ir::broadcast(filled, shape, n.lines), n.lines);
  }

  struct Looped {
    const Node* node;
    std::vector<NodeRef> results;
  };
  const Batched& inputs_;
  Batched known_;
  int64_t size_;
  const std::shared_ptr<Customs>& customs_;
  std::vector<Looped> loops_;
};

}  // namespace

std::vector<NodeRef> batched(std::span<const NodeRef> outputs, const Batched& inputs, int64_t size,
                             const std::shared_ptr<Customs>& customs) {
  Batch batch(inputs, size, customs);
  std::vector<NodeRef> results;
  for (const NodeRef& output : outputs) {
    batch.add(output);
    results.push_back(batch.output(output));
  }
  return results;
}

}  // namespace weft::derive
