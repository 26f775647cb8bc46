#include "compiler/passes/reductions/merge_reductions.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <vector>

#include "compiler/fusion/expression.h"
#include "compiler/ir/build.h"
#include "compiler/ir/group.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using namespace fusion;
namespace {

using ir::is_reduce;
using ir::Node;
using ir::NodeRef;
using ir::Op;

// The axes of more than one element.
std::vector<size_t> wide_axes(const Shape& shape) {
  std::vector<size_t> out;
  for (size_t k = 0; k < shape.size(); ++k)
    if (shape[k] != 1) out.push_back(k);
  return out;
}

// Whether a reshape only adds or takes away axes of one element.
bool keeps_axes(const Node& reshape) {
  const auto wide = [](const Shape& shape) {
    Shape out;
    for (size_t k : wide_axes(shape)) out.push_back(shape[k]);
    return out;
  };
  return wide(reshape.shape()) == wide(reshape.inputs[0]->shape());
}

// The operand of a product or a quotient that is one number for all elements; null where there is none.
const Node* factor_of(const Node& n) {
  if (n.op != Op::multiply && n.op != Op::divide) return nullptr;
  for (size_t k = n.op == Op::divide ? 1 : 0; k < 2; ++k) {
    const Node* other = n.inputs[k].get();
    if (other->op == Op::constant || other->op == Op::scalar ||
        (other->op == Op::broadcast && element_count(other->inputs[0]->shape()) == 1))
      return other;
  }
  return nullptr;
}

// What lies between a reduction and the one that it reduces: reshapes that keep the axes, and factors.
struct Between {
  const Node* inner = nullptr;      // null where there is none
  std::vector<const Node*> passed;  // the last one first
};

// Sums of multiples are multiples of sums, but for roundings, and for sums that overflow before they are
// scaled down.
Between between(const Node& outer, Numerics numerics) {
  Between out;
  const bool scales = numerics == Numerics::Fast && outer.op == Op::sum && is_float(outer.dtype());
  const Node* n = outer.inputs[0].get();
  for (;;) {
    const Node* factor = scales ? factor_of(*n) : nullptr;
    if (!factor && !(n->op == Op::reshape && keeps_axes(*n))) break;
    out.passed.push_back(n);
    n = n->inputs[n->inputs.size() == 2 && n->inputs[0].get() == factor ? 1 : 0].get();
  }
  if (is_reduce(*n) && n->op == outer.op) out.inner = n;
  return out;
}

// A factor for another shape.
NodeRef factor(const Node& n, const Shape& shape) {
  if (n.op == Op::constant) return ir::constant({n.dtype(), shape}, n.as<ir::ConstantAttr>().value, n.lines);
  const size_t rank = n.shape().size();
  const NodeRef one = n.op == Op::broadcast
                          ? n.inputs[0]
                          : ir::slice(NodeRef(&n), Dims(rank, 0), Shape(rank, 1), Dims(rank, 1), n.lines);
  return ir::broadcast(ir::reshape(one, {}, n.lines), shape, n.lines);
}

bool may_merge(const Node& n, Numerics numerics) {
  if (gives_index(n.op) || element_count(n.inputs[0]->shape()) == 0) return false;
  const bool rounds = (n.op == Op::sum || n.op == Op::prod) && !is_integer(n.dtype());
  if (!rounds) return true;
  return is_half(n.dtype()) ? numerics == Numerics::Fast : numerics != Numerics::Strict;
}

// The axes of what the inner one reduces that are gone after the outer one.
Dims axes_of_both(const Node& outer, const Node& inner) {
  const NodeRef& x = inner.inputs[0];
  Dims axes = inner.as<ir::AxesAttr>().axes;
  std::vector<size_t> left;  // axes of x that the inner one leaves
  for (size_t k = 0; k < x->shape().size(); ++k)
    if (!std::ranges::binary_search(axes, static_cast<int64_t>(k)) && x->shape()[k] != 1) left.push_back(k);
  const std::vector<size_t> wide = wide_axes(outer.inputs[0]->shape());
  for (size_t k = 0; k < wide.size(); ++k)
    if (std::ranges::binary_search(outer.as<ir::AxesAttr>().axes, static_cast<int64_t>(wide[k])))
      axes.push_back(static_cast<int64_t>(left[k]));
  std::ranges::sort(axes);
  return axes;
}

// Rows of one piece are what it takes no longer to reduce at once: of others, each half has a better order.
bool are_last(const Dims& axes, const Shape& shape) {
  size_t gone = 0;
  for (size_t k = shape.size(); k-- > 0;) {
    if (std::ranges::binary_search(axes, static_cast<int64_t>(k)))
      ++gone;
    else if (shape[k] != 1)
      break;
  }
  return gone == axes.size();
}

NodeRef merged(const NodeRef& outer, const Between& way) {
  const Node& inner = *way.inner;
  const ir::Lines lines = inner.lines.united(outer->lines);
  NodeRef out = ir::reshape(ir::reduce(outer->op, inner.inputs[0], axes_of_both(*outer, inner), lines),
                            outer->shape(), lines);
  for (auto n = way.passed.rbegin(); n != way.passed.rend(); ++n)
    if (const Node* by = factor_of(**n))
      out = ir::map((*n)->op, {out, factor(*by, outer->shape())}, (*n)->lines);
  return out;
}

// Reductions whose readers are one other reduction each.
class Merged {
 public:
  Merged(const ir::Graph& graph, const Options& options) {
    const std::vector<const Node*> order = topological_order(graph.outputs);
    if (std::ranges::none_of(order,
                             [&](auto* n) { return is_reduce(*n) && between(*n, options.numerics).inner; }))
      return;
    ir::NodeMap<int> users;
    ir::NodeSet of_rows;  // computed from reductions or scans
    for (auto& out : graph.outputs) ++users[out.get()];
    for (const Node* n : order) {
      for (auto& in : n->inputs) ++users[in.get()];
      if (std::ranges::any_of(n->inputs, [&](auto& in) {
            return is_reduce(*in) || ir::scans(*in) || of_rows.contains(in.get());
          }))
        of_rows.insert(n);
    }
    const ir::NodeSet lasting = lasting_roots(order);
    const auto read_once = [&](const Between& way) {
      return users.at(way.inner) == 1 &&
             std::ranges::all_of(way.passed, [&](const Node* n) { return users.at(n) == 1; });
    };
    for (const Node* n : order) {
      if (!is_reduce(*n) || !may_merge(*n, options.numerics)) continue;
      const Between way = between(*n, options.numerics);
      const Node* inner = way.inner;
      if (!inner || !read_once(way)) continue;
      if (!are_last(axes_of_both(*n, *inner), inner->inputs[0]->shape())) continue;
      // What reads other rows is reduced along with them.
      if (merges(inner) ||
          (!of_rows.contains(inner->inputs[0].get()) && !analyze(inner, lasting, true).turned))
        inner_.emplace(n, inner);
    }
    leave_siblings(order);
  }

  bool merges(const Node* n) const { return inner_.contains(n); }

 private:
  // Others over the same axes of arrays of the same shape share loops with one that is not merged.
  void leave_siblings(const std::vector<const Node*>& order) {
    const auto share_loops = [](const Node* a, const Node* b) {
      return a->inputs[0]->shape() == b->inputs[0]->shape() &&
             a->as<ir::AxesAttr>().axes == b->as<ir::AxesAttr>().axes;
    };
    ir::NodeSet inner;
    for (auto& [outer, in] : inner_) inner.insert(in);
    std::vector<const Node*> others;
    for (const Node* n : order)
      if (is_reduce(*n) && !inner.contains(n)) others.push_back(n);
    ir::erase_if(inner_, [&](auto& of) {
      return std::ranges::any_of(others, [&](auto* other) { return share_loops(of.second, other); });
    });
  }

  ir::NodeMap<const Node*> inner_;  // of each that is merged with it
};

}  // namespace

ir::Graph merge_reductions(const ir::Graph& graph, const Target&, const Options& options) {
  const Merged of(graph, options);
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    return of.merges(&was) ? merged(now, between(*now, options.numerics)) : now;
  });
}

}  // namespace weft::passes
