#include "compiler/passes/unreshape.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/machine/machine.h"
#include "compiler/passes/pass.h"

namespace weft::passes {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

constexpr int kMapsBehind = 64;  // one behind the other that are followed
constexpr int kRounds = 4;

NodeRef unshaped(NodeRef value) {
  while (value->op == Op::reshape) value = value->inputs[0];
  return value;
}

class Unreshape {
 public:
  explicit Unreshape(const ir::Graph& graph) {
    for (const NodeRef& output : graph.outputs) ++outputs_[output.get()];
    for (const Node* n : topological_order(graph.outputs)) {
      for (const NodeRef& in : n->inputs) {
        ++users_[in.get()];
        if (in->op == Op::reshape) reshapes_[in->inputs[0].get()].push_back(in);
      }
      if (kind(n->op) == OpKind::Reduce || kind(n->op) == OpKind::Scan ||
          std::ranges::any_of(n->inputs, [&](auto& in) { return is_of_rows(in); }))
        of_rows_.insert(n);
    }
  }

  // Whether it is computed from a reduction or a scan.
  bool is_of_rows(const NodeRef& n) const { return of_rows_.contains(n.get()); }

  // The value that `output` is in another shape, unless others read it in that shape: they are computed with
  // it.
  NodeRef computed(const NodeRef& output) const {
    NodeRef value = output;
    for (int of_chain = 0; value->op == Op::reshape && count(users_, value) == of_chain; of_chain = 1)
      value = value->inputs[0];
    return value->op == Op::reshape || kind(value->op) == OpKind::Source ? output : value;
  }

  // What `shown`, a reshape, shows, computed in the shape that it has before and after: maps of reshapes of
  // that shape need neither. Nothing where one of them has another shape, or where rows give a shape.
  NodeRef cancelled(const Node& shown) const {
    const NodeRef& value = shown.inputs[0];
    if (kind(value->op) != OpKind::Map || is_of_rows(value) ||
        !reads_shape(value, shown.shape(), kMapsBehind))
      return {};
    return in_shape(value, shown.shape(), kMapsBehind);
  }

  // Maps of a reshaped value that is computed from rows, in the value's shape; nothing where there is none.
  NodeRef lifted(const NodeRef& output) const {
    if (of_rows_.empty() || kind(output->op) != OpKind::Map) return {};
    const NodeRef value = reshaped(output, kMapsBehind);
    return value ? in_shape(output, value->shape(), kMapsBehind) : NodeRef();
  }

 private:
  using Counts = ir::NodeMap<int>;
  static int count(const Counts& counts, const NodeRef& n) {
    auto found = counts.find(n.get());
    return found == counts.end() ? 0 : found->second;
  }

  bool is_read_once(const NodeRef& n) const { return count(users_, n) + count(outputs_, n) == 1; }

  // The first value of `map` that is computed from rows and reshaped.
  NodeRef reshaped(const NodeRef& map, int maps) const {
    for (const NodeRef& in : map->inputs) {
      if (in->op == Op::reshape && is_of_rows(in)) return unshaped(in);
      if (kind(in->op) == OpKind::Map && is_read_once(in) && maps > 1)
        if (NodeRef found = reshaped(in, maps - 1)) return found;
    }
    return {};
  }

  // Whether what a map, and those that it alone reads, is computed from had a shape before it was reshaped.
  bool reads_shape(const NodeRef& map, const Shape& shape, int maps) const {
    return is_read_once(map) && maps > 0 && std::ranges::any_of(map->inputs, [&](const NodeRef& in) {
             return in->op == Op::reshape ? unshaped(in)->shape() == shape
                                          : kind(in->op) == OpKind::Map && reads_shape(in, shape, maps - 1);
           });
  }

  // The same elements, with nothing computed twice; nothing where that takes more than another view of
  // memory.
  NodeRef in_shape(const NodeRef& n, const Shape& shape, int maps) const {
    if (n->op == Op::reshape) {
      const NodeRef value = unshaped(n);
      return value->shape() == shape ? value : NodeRef();
    }
    if (n->op == Op::constant)
      return ir::constant({n->dtype(), shape}, n->as<ir::ConstantAttr>().value, n->lines);
    if (n->op == Op::input) {
      if (auto found = reshapes_.find(n.get()); found != reshapes_.end())
        for (const NodeRef& r : found->second)
          if (r->shape() == shape) return r;
      return ir::reshape(n, shape, n->lines);
    }
    if (n->op == Op::scalar) return ir::reshape(n, shape, n->lines);
    if (n->op == Op::broadcast && element_count(n->inputs[0]->shape()) == 1)
      return ir::broadcast(ir::reshape(n->inputs[0], {}, n->lines), shape, n->lines);
    if (kind(n->op) != OpKind::Map || !is_read_once(n) || maps == 0) return {};
    ir::Inputs inputs(n->inputs.size());
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] = in_shape(n->inputs[k], shape, maps - 1); !inputs[k]) return {};
    return ir::make(n->op, std::move(inputs), n->attr, {n->dtype(), shape}, n->lines);
  }

  Counts users_, outputs_;
  std::unordered_map<const ir::Node*, std::vector<NodeRef>> reshapes_;
  ir::NodeSet of_rows_;
};

}  // namespace

namespace {

// Without the reshapes around maps that undo each other. Those around what was reshaped inside of such maps
// go in the next round.
ir::Graph without_detours(ir::Graph graph) {
  for (int round = 0; round < kRounds; ++round) {
    const Unreshape of(graph);
    bool changed = false;
    graph = rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
      const NodeRef direct = was.op == Op::reshape && now.get() == &was ? of.cancelled(was) : NodeRef();
      changed |= static_cast<bool>(direct);
      return direct ? direct : now;
    });
    if (!changed) break;
  }
  return graph;
}

}  // namespace

ir::Graph unreshape(const ir::Graph& reshaped, const Target& target, const Options&) {
  const ir::Graph graph = without_detours(reshaped);
  const Unreshape of(graph);
  ir::Graph out = graph;
  for (NodeRef& output : out.outputs) {
    const NodeRef value = of.computed(output);
    if (!machine::is_gpu(target) || of.is_of_rows(value)) output = value;
    if (NodeRef lifted = of.lifted(output)) output = lifted;
  }
  return out;
}

}  // namespace weft::passes
