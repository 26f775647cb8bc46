#include "compiler/passes/reductions/merge_reductions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
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

// The reduction that another one reduces, with axes of one element more or less; null where there is none.
const Node* reduced_by(const Node& outer) {
  const Node* inner = outer.inputs[0].get();
  while (inner->op == Op::reshape && keeps_axes(*inner)) inner = inner->inputs[0].get();
  return is_reduce(*inner) && inner->op == outer.op ? inner : nullptr;
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

NodeRef merged(const NodeRef& outer, const Node& inner) {
  const ir::Lines lines = inner.lines.united(outer->lines);
  return ir::reshape(ir::reduce(outer->op, inner.inputs[0], axes_of_both(*outer, inner), lines),
                     outer->shape(), lines);
}

// Reductions whose readers are one other reduction each.
class Merged {
 public:
  Merged(const ir::Graph& graph, const Options& options) {
    const std::vector<const Node*> order = topological_order(graph.outputs);
    if (std::ranges::none_of(order, [](auto* n) { return is_reduce(*n) && reduced_by(*n); })) return;
    std::unordered_map<const Node*, int> users;
    std::unordered_set<const Node*> of_rows;  // computed from reductions or scans
    for (auto& out : graph.outputs) ++users[out.get()];
    for (const Node* n : order) {
      for (auto& in : n->inputs) ++users[in.get()];
      if (std::ranges::any_of(n->inputs, [&](auto& in) {
            return is_reduce(*in) || ir::scans(*in) || of_rows.contains(in.get());
          }))
        of_rows.insert(n);
    }
    const std::unordered_set<const Node*> lasting = lasting_roots(order);
    const auto read_once = [&](const Node* from, const Node* to) {
      for (; from != to; from = from->inputs[0].get())
        if (users.at(from) != 1) return false;
      return users.at(to) == 1;
    };
    for (const Node* n : order) {
      const Node* inner = is_reduce(*n) && may_merge(*n, options.numerics) ? reduced_by(*n) : nullptr;
      if (!inner || !read_once(n->inputs[0].get(), inner)) continue;
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
    std::unordered_set<const Node*> inner;
    for (auto& [outer, in] : inner_) inner.insert(in);
    std::vector<const Node*> others;
    for (const Node* n : order)
      if (is_reduce(*n) && !inner.contains(n)) others.push_back(n);
    std::erase_if(inner_, [&](auto& of) {
      return std::ranges::any_of(others, [&](auto* other) { return share_loops(of.second, other); });
    });
  }

  std::unordered_map<const Node*, const Node*> inner_;  // of each that is merged with it
};

}  // namespace

ir::Graph merge_reductions(const ir::Graph& graph, const Target&, const Options& options) {
  const Merged of(graph, options);
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    return of.merges(&was) ? merged(now, *reduced_by(*now)) : now;
  });
}

}  // namespace weft::passes
