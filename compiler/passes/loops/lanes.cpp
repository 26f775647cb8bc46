#include "compiler/passes/loops/lanes.h"

#include <algorithm>

#include "compiler/ir/build.h"
#include "compiler/ir/ops/op.h"

namespace weft::passes {

using ir::Block;
using ir::Instruction;
using ir::Node;
using ir::NodeRef;
using ir::Op;

namespace {

constexpr size_t kMostInstructions = 2000;  // what a function of more takes to compile is worth no kernel

// The array with one axis for each of the lanes', broadcast along those that the place does not follow.
NodeRef on_lanes(const NodeRef& array, const Place& at, const Shape& lanes) {
  const ir::Lines& lines = array->lines;
  Dims starts, extents, steps, order, kept;
  for (size_t k = 0; k < at.size(); ++k) {
    const bool follows = at[k].axis >= 0;
    starts.push_back(follows ? 0 : at[k].index);
    extents.push_back(follows ? lanes[static_cast<size_t>(at[k].axis)] : 1);
    steps.push_back(1);
  }
  NodeRef x = ir::slice(array, starts, extents, steps, lines);
  std::vector<std::pair<int, int64_t>> axes;  // of the lanes, and of what is left of the array
  for (const Along& along : at) {
    if (along.axis < 0) continue;
    axes.emplace_back(along.axis, static_cast<int64_t>(axes.size()));
    kept.push_back(lanes[static_cast<size_t>(along.axis)]);
  }
  x = ir::reshape(x, kept, lines);
  std::ranges::sort(axes);
  Shape aligned(lanes.size(), 1);
  for (const auto& [lane_axis, own] : axes) {
    order.push_back(own);
    aligned[static_cast<size_t>(lane_axis)] = lanes[static_cast<size_t>(lane_axis)];
  }
  return ir::broadcast(ir::reshape(ir::permute(x, order, lines), aligned, lines), lanes, lines);
}

}  // namespace

Place own_place(size_t rank) {
  Place own;
  own.reserve(rank);
  for (size_t k = 0; k < rank; ++k) own.push_back({static_cast<int>(k), 0});
  return own;
}

int Lanes::refuse(std::string why) {
  if (why_not_.empty()) why_not_ = std::move(why);
  return -1;
}

int Lanes::crosses(const Node& node) {
  const std::string lines = to_string(node.lines);
  return refuse("a turn's " + std::string(ir::called(node)) + (lines.empty() ? "" : " at " + lines) +
                " is no work of one element");
}

int Lanes::fresh(DType t) {
  function_.values.push_back(t);
  return static_cast<int>(function_.values.size()) - 1;
}

int Lanes::constant(Scalar value) {
  Instruction i;
  i.kind = Instruction::Kind::Constant;
  i.value = value;
  const int out = fresh(value.dtype);
  i.outs = {out};
  function_.block.body.push_back(std::move(i));
  return out;
}

int Lanes::map(Op op, std::vector<int> args, DType result) {
  Instruction i;
  i.op = op;
  i.args = std::move(args);
  const int out = fresh(result);
  i.outs = {out};
  append(std::move(i));
  return out;
}

int Lanes::read(size_t series, int turn) {
  Instruction i;
  i.kind = Instruction::Kind::Read;
  i.series = series;
  i.args = {turn};
  const int out = fresh(function_.series[series].dtype);
  i.outs = {out};
  append(std::move(i));
  return out;
}

void Lanes::write(size_t series, int turn, int value) {
  Instruction i;
  i.kind = Instruction::Kind::Write;
  i.series = series;
  i.args = {turn, value};
  append(std::move(i));
}

int Lanes::argument(const NodeRef& array, const Place& at) {
  const auto key = std::pair(array.get(), at);
  if (const auto found = arguments_.find(key); found != arguments_.end()) return found->second;
  for (size_t a = 0; a < at.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (at[a].axis >= 0 && at[a].axis == at[b].axis)
        return refuse("a turn reads a diagonal of an array of " + to_string(array->shape()));
  const int value = fresh(array->dtype());
  function_.block.params.push_back(value);
  operands_.push_back(on_lanes(array, at, lanes_));
  return arguments_[key] = value;
}

std::vector<Place> Lanes::places_of(const Node& node) const {
  std::vector<Place> places;
  for (auto it = known_.lower_bound({&node, {}}); it != known_.end() && it->first.first == &node; ++it)
    places.push_back(it->first.second);
  return places;
}

NodeRef Lanes::outside(const NodeRef& node) {
  for (const Node* n : ir::topological_order({&node, 1})) {
    if (outside_.contains(n) || inside_.contains(n)) continue;
    const bool given = n->op == Op::input || n->op == Op::scalar;
    if (given ||
        std::ranges::any_of(n->inputs, [&](const NodeRef& in) { return inside_.contains(in.get()); })) {
      inside_.insert(n);
      continue;
    }
    std::vector<NodeRef> inputs;
    inputs.reserve(n->inputs.size());
    bool changed = false;
    for (const NodeRef& in : n->inputs) {
      inputs.push_back(outside_.at(in.get()));
      changed |= inputs.back() != in;
    }
    outside_[n] = changed ? ir::with_inputs(*n, inputs) : NodeRef(n);
  }
  const auto found = outside_.find(node.get());
  return found == outside_.end() ? NodeRef() : found->second;
}

int Lanes::value(const NodeRef& node, const Place& at) {
  if (!why_not_.empty()) return -1;
  const auto key = std::pair(node.get(), at);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (function_.values.size() > kMostInstructions)
    return refuse("a turn has more than " + std::to_string(kMostInstructions) + " operations");
  const int made = computed(node, at);
  if (made >= 0) known_[key] = made;
  return made;
}

int Lanes::computed(const NodeRef& node, const Place& at) {
  const Node& n = *node;
  if (n.op == Op::constant) return constant(n.as<ir::ConstantAttr>().value);
  if (const NodeRef array = outside(node)) {
    const Node* source = &n;
    while (ir::kind(source->op) == ir::OpKind::View && source->inputs.size() == 1)
      source = source->inputs[0].get();
    return source->op == Op::constant ? constant(source->as<ir::ConstantAttr>().value) : argument(array, at);
  }
  if (n.op == Op::input || n.op == Op::scalar) return input_(n, at);
  if (n.op == Op::concat) return part_of_concat(node, at);
  if (n.op == Op::update) return updated(node, at);
  if (ir::kind(n.op) == ir::OpKind::View) return seen_through(node, at);
  if (ir::kind(n.op) != ir::OpKind::Map) return crosses(n);
  std::vector<int> args;
  args.reserve(n.inputs.size());
  for (const NodeRef& in : n.inputs) {
    args.push_back(value(in, at));
    if (args.back() < 0) return -1;
  }
  if (!ir::is_apply(n)) return map(n.op, std::move(args), n.dtype());
  return applied(n, args);
}

int Lanes::seen_through(const NodeRef& view, const Place& at) {
  const NodeRef& x = view->inputs[0];
  Place inner(x->shape().size());
  switch (view->op) {
    case Op::broadcast:
      for (size_t k = 0; k < inner.size(); ++k)
        if (x->shape()[k] != 1) inner[k] = at[at.size() - inner.size() + k];
      return value(x, inner);
    case Op::permute: {
      const Dims& axes = view->as<ir::AxesAttr>().axes;
      for (size_t k = 0; k < at.size(); ++k) inner[static_cast<size_t>(axes[k])] = at[k];
      return value(x, inner);
    }
    case Op::slice: {
      const auto& range = view->as<ir::SliceAttr>();
      for (size_t k = 0; k < at.size(); ++k) {
        inner[k] = at[k];
        if (at[k].axis < 0)
          inner[k].index = range.starts[k] + at[k].index * range.steps[k];
        else if (range.starts[k] != 0 || range.steps[k] != 1)
          return crosses(*view);
      }
      return value(x, inner);
    }
    case Op::reshape:
      return reshaped(view, at);
    default:
      return crosses(*view);
  }
}

// A reshape that adds and drops axes of one element.
int Lanes::reshaped(const NodeRef& view, const Place& at) {
  const NodeRef& x = view->inputs[0];
  const Shape &to = view->shape(), &from = x->shape();
  Place inner(from.size());
  size_t next = 0;
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k] == 1) continue;
    while (next < to.size() && to[next] == 1) ++next;
    if (next == to.size() || to[next] != from[k]) return crosses(*view);
    inner[k] = at[next++];
  }
  while (next < to.size() && to[next] == 1) ++next;
  return next == to.size() ? value(x, inner) : crosses(*view);
}

int Lanes::part_of_concat(const NodeRef& concat, const Place& at) {
  const auto axis = static_cast<size_t>(concat->as<ir::AxisAttr>().axis);
  if (at[axis].axis >= 0) return crosses(*concat);
  Place inner = at;
  for (const NodeRef& part : concat->inputs) {
    if (inner[axis].index < part->shape()[axis]) return value(part, inner);
    inner[axis].index -= part->shape()[axis];
  }
  return crosses(*concat);
}

// Whether the place lies in the range that is replaced has to be known here.
int Lanes::updated(const NodeRef& update, const Place& at) {
  const auto& range = update->as<ir::SliceAttr>();
  const NodeRef &base = update->inputs[0], &part = update->inputs[1];
  Place inner = at;
  for (size_t k = 0; k < at.size(); ++k) {
    const int64_t start = range.starts[k], step = range.steps[k], extent = part->shape()[k];
    if (at[k].axis >= 0) {
      if (start != 0 || step != 1 || extent != base->shape()[k]) return crosses(*update);
      continue;
    }
    const int64_t past = at[k].index - start;
    const int64_t number = step == 0 ? 0 : past / step;
    if (extent == 0 || number < 0 || number >= extent || start + number * step != at[k].index)
      return value(base, at);
    inner[k].index = number;
  }
  return value(part, inner);
}

// The function's instructions, once for all of its results.
int Lanes::applied(const Node& node, const std::vector<int>& args) {
  const ir::Function& f = *ir::function_of(node);
  const auto result = static_cast<size_t>(node.as<ir::ApplyAttr>().result);
  for (const auto& [what, results] : applied_)
    if (what.first == f.hash && what.second == args) return results[result];
  std::vector<int> now(f.values.size(), -1);
  for (size_t k = 0; k < args.size(); ++k) now[static_cast<size_t>(f.block.params[k])] = args[k];
  Block inlined;
  copy(f.block, inlined, f, now);
  for (Instruction& i : inlined.body) append(std::move(i));
  return applied_.emplace_back(std::pair(f.hash, args), std::move(inlined.gives)).second[result];
}

void Lanes::copy(const Block& from, Block& to, const ir::Function& of, std::vector<int>& now) {
  const auto made = [&](int v) {
    int& value = now[static_cast<size_t>(v)];
    if (value < 0) value = fresh(of.values[static_cast<size_t>(v)]);
    return value;
  };
  const auto all = [&](const std::vector<int>& values) {
    std::vector<int> out;
    out.reserve(values.size());
    for (const int v : values) out.push_back(made(v));
    return out;
  };
  for (const int p : from.params)
    if (&from != &of.block) to.params.push_back(made(p));
  for (const Instruction& i : from.body) {
    Instruction one = i;
    one.args = all(i.args);
    for (size_t b = 0; b < i.blocks.size(); ++b) {
      one.blocks[b] = {};
      copy(i.blocks[b], one.blocks[b], of, now);
    }
    one.outs = all(i.outs);
    to.body.push_back(std::move(one));
  }
  to.gives = all(from.gives);
}

}  // namespace weft::passes
