#include "compiler/passes/refine_shapes.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/analysis/users.h"
#include "compiler/ir/build.h"
#include "compiler/passes/rewritten.h"

namespace weft::passes {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

constexpr int kFollowedMaps = 64;  // of a row's results, one behind the other, that are followed

// How many elements lie in one step along each axis that has several, the whole first: 24, 6 and 1 of (2, 4,
// 6).
Dims steps_of(const Shape& shape) {
  Dims out;
  int64_t step = 1;
  for (size_t k = shape.size(); k-- > 0;)
    if (shape[k] > 1) out.push_back(step), step *= shape[k];
  std::reverse(out.begin(), out.end());
  return out;
}

// The shape with the axes of both, cut where one of them is; none where they do not divide each other.
std::optional<Shape> common_refinement(const Shape& a, const Shape& b) {
  std::vector<int64_t> steps{element_count(a)};
  for (const Shape& shape : {a, b})
    for (int64_t step : steps_of(shape)) steps.push_back(step);
  std::ranges::sort(steps, std::greater<>());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  Shape out;
  for (size_t k = 1; k < steps.size(); ++k) {
    if (steps[k - 1] % steps[k] != 0) return std::nullopt;
    out.push_back(steps[k - 1] / steps[k]);
  }
  return out;
}

// The axes of `fine` that each axis of `coarse` is cut in; none where they are not.
std::optional<std::vector<Dims>> axes_within(const Shape& coarse, const Shape& fine) {
  std::vector<Dims> out(coarse.size());
  int64_t next = 0;
  for (size_t k = 0; k < coarse.size(); ++k)
    for (int64_t left = coarse[k]; left > 1; ++next) {
      if (next == static_cast<int64_t>(fine.size()) || left % fine[static_cast<size_t>(next)] != 0) return {};
      out[k].push_back(next);
      left /= fine[static_cast<size_t>(next)];
    }
  if (next != static_cast<int64_t>(fine.size())) return {};
  return out;
}

const Node* unshaped(const Node* n) {
  while (n->op == Op::reshape) n = n->inputs[0].get();
  return n;
}

// Maps that are computed in one shape, and the reductions that read them or that they read.
struct Piece {
  Shape fine;
  std::vector<const Node*> maps, reductions;
};

class RefineShapes {
 public:
  explicit RefineShapes(const ir::Graph& graph)
      : graph_(graph), order_(topological_order(graph.outputs)), users_(order_), now_(order_.size()) {
    for (const Node* n : order_)
      if (n->op == Op::reshape && element_count(n->shape()) > 0) consider(*n);
  }

  ir::Graph run() {
    if (part_of_.empty()) return graph_;
    for (const Node* n : order_) {
      const auto part = part_of_.find(n);
      now_.set(n, part == part_of_.end() ? now_.with_new_inputs(*n)
                                         : ir::reshape(refined(*n, part->second), n->shape(), n->lines));
    }
    return now_.graph(graph_);
  }

 private:
  // A value that is computed from rows in one shape and read by maps in another.
  void consider(const Node& view) {
    const Node* value = unshaped(&view);
    if (kind(value->op) != OpKind::Map || part_of_.contains(value) || value->shape() == view.shape()) return;
    const auto readers = users_.of(&view);
    const auto reader = std::ranges::find_if(readers, [](auto* n) { return kind(n->op) == OpKind::Map; });
    if (reader == readers.end() || part_of_.contains(*reader)) return;
    const std::optional<Shape> fine = common_refinement(value->shape(), view.shape());
    if (!fine) return;
    if (std::ranges::any_of(in_vain_[value], [&](int k) { return tried_[static_cast<size_t>(k)] == *fine; }))
      return;
    Piece part{*fine, {}, {}};
    if (!collect(value, part) || part.reductions.empty()) {
      for (const Node* n : part.maps) in_vain_[n].push_back(static_cast<int>(tried_.size()));
      tried_.push_back(*fine);
      return;
    }
    const auto number = static_cast<int>(parts_.size());
    for (auto* nodes : {&part.maps, &part.reductions})
      for (const Node* n : *nodes) part_of_.emplace(n, number);
    parts_.push_back(std::move(part));
  }

  bool is_whole(const Node& n, const Piece& part) const {
    return element_count(n.shape()) == element_count(part.fine) && axes_within(n.shape(), part.fine);
  }

  // All that is computed beside `start`; false where something among it is not to be refined.
  bool collect(const Node* start, Piece& part) {
    ir::NodeSet seen;
    std::vector<const Node*> stack;
    auto visit = [&](const Node* n) {
      if (kind(n->op) == OpKind::Map && is_whole(*n, part) && seen.insert(n).second) stack.push_back(n);
    };
    // A reduction over what is refined.
    auto add_reduction = [&](const Node* n) {
      if (!is_whole(*n->inputs[0], part) || !seen.insert(n).second) return;
      part.reductions.push_back(n);
      visit(unshaped(n->inputs[0].get()));
    };
    auto add_if_reduction = [&](const Node* n) {
      if (kind(n->op) == OpKind::Reduce) add_reduction(n);
    };
    visit(start);
    bool may = true;
    while (!stack.empty()) {
      const Node* n = stack.back();
      stack.pop_back();
      may &= !part_of_.contains(n);
      part.maps.push_back(n);
      for (const NodeRef& in : n->inputs) {
        const Node* value = unshaped(in.get());
        visit(value);
        if (value->op == Op::input && seen.insert(value).second) for_each_reader(value, add_if_reduction);
        // What runs along an axis runs along it whole.
        may &= kind(value->op) != OpKind::Scan;
        if (value->op == Op::broadcast)
          for (const Node* r : reductions_behind(value->inputs[0].get())) add_reduction(r);
      }
      for_each_reader(n, [&](const Node* reader) {
        may &= kind(reader->op) != OpKind::Scan;
        add_if_reduction(reader);
        visit(reader);
      });
    }
    return may && std::ranges::none_of(part.reductions, [&](auto* n) { return part_of_.contains(n); });
  }

  template <typename Visit>
  void for_each_reader(const Node* n, const Visit& visit) {
    std::vector<const Node*> values{n};
    while (!values.empty()) {
      const Node* value = values.back();
      values.pop_back();
      for (const Node* reader : users_.of(value))
        if (reader->op == Op::reshape)
          values.push_back(reader);
        else
          visit(reader);
    }
  }

  // Those from which a row's number is computed.
  std::vector<const Node*> reductions_behind(const Node* number) const {
    std::vector<const Node*> out, stack{number};
    ir::NodeSet seen;
    while (!stack.empty() && seen.size() < kFollowedMaps) {
      const Node* n = unshaped(stack.back());
      stack.pop_back();
      if (!seen.insert(n).second) continue;
      if (kind(n->op) == OpKind::Reduce) out.push_back(n);
      if (kind(n->op) == OpKind::Map)
        for (const NodeRef& in : n->inputs) stack.push_back(in.get());
    }
    return out;
  }

  NodeRef refined(const Node& n, int part) {
    const Shape& fine = parts_[static_cast<size_t>(part)].fine;
    if (kind(n.op) == OpKind::Reduce) {
      const auto within = *axes_within(n.inputs[0]->shape(), fine);
      Dims axes;
      for (int64_t k : n.as<ir::AxesAttr>().axes)
        for (int64_t axis : within[static_cast<size_t>(k)]) axes.push_back(axis);
      return ir::reduce(n.op, in_shape(n.inputs[0].get(), part), axes, n.lines);
    }
    ir::Inputs inputs(n.inputs.size());
    for (size_t k = 0; k < inputs.size(); ++k) inputs[k] = in_shape(n.inputs[k].get(), part);
    return refined_[&n] = ir::make(n.op, std::move(inputs), n.attr, {n.dtype(), fine}, n.lines);
  }

  // What a map of the part reads, or a reduction of it, in the part's shape.
  NodeRef in_shape(const Node* n, int part) {
    const Shape& fine = parts_[static_cast<size_t>(part)].fine;
    n = unshaped(n);
    if (const auto own = part_of_.find(n);
        own != part_of_.end() && own->second == part && kind(n->op) == OpKind::Map)
      return refined_.at(n);
    NodeRef& known = leaves_[{n, part}];
    if (!known) known = leaf(*n, fine);
    return known;
  }

  NodeRef leaf(const Node& n, const Shape& fine) {
    if (n.op == Op::constant) return ir::constant({n.dtype(), fine}, n.as<ir::ConstantAttr>().value, n.lines);
    const auto within = axes_within(n.shape(), fine);
    if (n.op != Op::broadcast || ir::is_copy(n) || !within) return ir::reshape(now_.at(&n), fine, n.lines);
    const NodeRef from = now_.at(n.inputs[0].get());
    const size_t missing = n.shape().size() - from->shape().size();
    Shape repeated;
    for (size_t k = 0; k < n.shape().size(); ++k)
      for (int64_t axis : (*within)[k])
        repeated.push_back(k < missing || from->shape()[k - missing] == 1 ? 1
                                                                          : fine[static_cast<size_t>(axis)]);
    return ir::broadcast(ir::reshape(from->op == Op::reshape ? from->inputs[0] : from, repeated, n.lines),
                         fine, n.lines);
  }

  const ir::Graph& graph_;
  const std::vector<const Node*> order_;
  ir::Users users_;
  std::vector<Piece> parts_;
  ir::NodeMap<int> part_of_;
  std::vector<Shape> tried_;  // of values that stay as they are
  std::unordered_map<const ir::Node*, std::vector<int>> in_vain_;
  Rewritten now_;
  std::unordered_map<const ir::Node*, NodeRef> refined_;
  std::map<std::pair<const Node*, int>, NodeRef> leaves_;
};

}  // namespace

ir::Graph refine_shapes(const ir::Graph& graph, const Target&, const Options&) {
  return RefineShapes(graph).run();
}

}  // namespace weft::passes
