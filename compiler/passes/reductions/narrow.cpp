#include "compiler/passes/reductions/narrow.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/ir/group.h"

namespace weft::passes {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;

// Positions start, start + step, … of an axis; of one position the step is 1.
struct Range {
  int64_t start = 0, step = 1, extent = 1;
  int64_t last() const { return start + (extent - 1) * step; }
  friend bool operator==(const Range&, const Range&) = default;
};
using Part = std::vector<Range>;  // one for each axis of a node

Range whole(int64_t extent) { return {0, 1, extent}; }
Part whole(const Shape& shape) {
  Part out;
  for (int64_t extent : shape) out.push_back(whole(extent));
  return out;
}

Shape shape_of(const Part& part) {
  Shape out;
  for (const Range& r : part) out.push_back(r.extent);
  return out;
}

// The smallest range with the positions of both.
Range united(const Range& a, const Range& b) {
  const int64_t first = std::min(a.start, b.start), last = std::max(a.last(), b.last());
  int64_t step = std::abs(a.start - b.start);
  if (a.extent > 1) step = std::gcd(step, a.step);
  if (b.extent > 1) step = std::gcd(step, b.step);
  return step == 0 ? a : Range{first, step, (last - first) / step + 1};
}

// The positions of a slice that `of` asks for, in ascending order.
Range sliced(const Range& of, int64_t start, int64_t step) {
  const int64_t first = start + step * of.start, last = start + step * of.last();
  return {std::min(first, last), of.extent == 1 ? 1 : std::abs(step * of.step), of.extent};
}

// Runs of axes that a reshape makes of one another, the first and the one behind the last of each shape.
struct Run {
  size_t begin, end, from_begin, from_end;
  bool is_one_axis = false;  // but for axes of one element
};
std::vector<Run> runs_of(const Shape& shape, const Shape& from) {
  std::vector<Run> out;
  const auto wide = [](const Shape& of, size_t begin, size_t end) {
    return std::count_if(of.begin() + static_cast<std::ptrdiff_t>(begin),
                         of.begin() + static_cast<std::ptrdiff_t>(end),
                         [](int64_t extent) { return extent != 1; });
  };
  size_t k = 0, j = 0;
  while (k < shape.size() || j < from.size()) {
    Run run{k, k, j, j};
    int64_t count = 1, of_from = 1;
    do {
      if (k < shape.size() && (count <= of_from || j == from.size()))
        count *= shape[k++];
      else
        of_from *= from[j++];
    } while (count != of_from);
    run.end = k, run.from_end = j;
    run.is_one_axis = wide(shape, run.begin, k) <= 1 && wide(from, run.from_begin, j) <= 1;
    out.push_back(run);
  }
  return out;
}

// The axis of more than one element of a run; `end` where there is none.
size_t wide_axis(const Shape& shape, size_t begin, size_t end) {
  while (begin < end && shape[begin] == 1) ++begin;
  return begin;
}

// The smallest part of the axes [begin, end) of a shape that lies in one piece and has these of their
// elements, counted through. A part of the first axis, or one position of it and a part of the next, and so
// on.
void set_piece(Part& part, const Shape& shape, size_t begin, size_t end, int64_t first, int64_t last) {
  int64_t below = 1;
  for (size_t k = begin; k < end; ++k) below *= shape[k];
  bool whole_ones = false;
  for (size_t k = begin; k < end; ++k) {
    below /= shape[k];
    part[k] = whole(shape[k]);
    if (whole_ones) continue;
    const int64_t from = first / below, to = last / below;
    part[k] = {from, 1, to - from + 1};
    whole_ones = to > from;
    first -= from * below, last -= from * below;
  }
}

// The first and the last element of a part of the axes [begin, end), counted through.
std::pair<int64_t, int64_t> ends_of(const Part& part, const Shape& shape, size_t begin, size_t end) {
  int64_t first = 0, last = 0;
  for (size_t k = begin; k < end; ++k) {
    first = first * shape[k] + part[k].start;
    last = last * shape[k] + part[k].last();
  }
  return {first, last};
}

// What of a reshape and of its input is computed for a part of the reshape: the same steps where a run is one
// axis, else a piece of both that holds the same elements.
struct Reshaped {
  Part shown, from;
};
Reshaped reshaped(const Shape& shape, const Shape& from, const Part& part) {
  Reshaped out{whole(shape), whole(from)};
  for (const Run& run : runs_of(shape, from)) {
    if (run.is_one_axis) {
      const size_t axis = wide_axis(shape, run.begin, run.end),
                   to = wide_axis(from, run.from_begin, run.from_end);
      if (axis < run.end && to < run.from_end) out.shown[axis] = out.from[to] = part[axis];
      continue;
    }
    auto [first, last] = ends_of(part, shape, run.begin, run.end);
    // A piece of the one is none of the other where an axis begins in the middle of it: both grow.
    for (;;) {
      set_piece(out.from, from, run.from_begin, run.from_end, first, last);
      const auto grown = ends_of(out.from, from, run.from_begin, run.from_end);
      set_piece(out.shown, shape, run.begin, run.end, grown.first, grown.second);
      const auto again = ends_of(out.shown, shape, run.begin, run.end);
      if (again == grown) break;
      std::tie(first, last) = again;
    }
  }
  return out;
}

class Narrow {
 public:
  explicit Narrow(const ir::Graph& graph) : graph_(graph), order_(topological_order(graph.outputs)) {}

  ir::Graph run() {
    if (!is_worth_a_look()) return graph_;
    for (auto& out : graph_.outputs) ask(*out, whole(out->shape()));
    for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
      Part& part = asked_.at(*n);
      if (!carries(**n)) part = whole((*n)->shape());
      if (ir::scans(**n)) {  // its axis is walked to the end
        const auto axis = static_cast<size_t>((*n)->as<ir::AxisAttr>().axis);
        part[axis] = whole((*n)->shape()[axis]);
      }
      for (size_t k = 0; k < (*n)->inputs.size(); ++k) ask(*(*n)->inputs[k], read(**n, k, part));
    }
    for (const Node* n : order_) now_.emplace(n, rebuilt(*n));
    ir::Graph out{graph_.inputs, {}};
    for (auto& o : graph_.outputs) out.outputs.push_back(now_.at(o.get()));
    return out;
  }

 private:
  bool is_worth_a_look() const {
    return std::ranges::any_of(order_, [](auto* n) { return n->op == Op::slice; }) &&
           std::ranges::any_of(order_, [](auto* n) { return is_reduce(*n) || ir::scans(*n); }) &&
           std::ranges::none_of(order_, [](auto* n) { return element_count(n->shape()) == 0; });
  }

  // Whether parts of the node are computed from parts of its inputs; others are computed whole.
  static bool carries(const Node& n) {
    return kind(n.op) == OpKind::Map || is_reduce(n) || ir::scans(n) || n.op == Op::broadcast ||
           n.op == Op::permute || n.op == Op::slice || n.op == Op::reshape;
  }

  void ask(const Node& n, Part part) {
    auto [at, fresh] = asked_.try_emplace(&n, std::move(part));
    if (fresh) return;
    for (size_t k = 0; k < part.size(); ++k) at->second[k] = united(at->second[k], part[k]);
  }

  // What of its input a part of a node is computed from.
  static Part read(const Node& n, size_t input, const Part& part) {
    const Shape& from = n.inputs[input]->shape();
    if (kind(n.op) == OpKind::Map || ir::scans(n)) return part;
    if (is_reduce(n)) {
      Part out;
      const Dims& axes = n.as<ir::AxesAttr>().axes;
      size_t kept = 0;
      for (size_t k = 0; k < from.size(); ++k)
        out.push_back(std::ranges::binary_search(axes, static_cast<int64_t>(k)) ? whole(from[k])
                                                                                : part[kept++]);
      return out;
    }
    switch (n.op) {
      case Op::broadcast: {
        Part out;
        const size_t added = part.size() - from.size();
        for (size_t k = 0; k < from.size(); ++k) out.push_back(from[k] == 1 ? whole(1) : part[k + added]);
        return out;
      }
      case Op::permute: {
        Part out(from.size());
        const Dims& axes = n.as<ir::AxesAttr>().axes;
        for (size_t k = 0; k < axes.size(); ++k) out[static_cast<size_t>(axes[k])] = part[k];
        return out;
      }
      case Op::slice: {
        Part out;
        const auto& [starts, steps] = n.as<ir::SliceAttr>();
        for (size_t k = 0; k < part.size(); ++k) out.push_back(sliced(part[k], starts[k], steps[k]));
        return out;
      }
      case Op::reshape:
        return reshaped(n.shape(), from, part).from;
      default:
        return whole(from);
    }
  }

  bool is_changed(const Node* n) const { return now_.at(n).get() != n; }

  // Where the part of a node that was computed is all that is asked for, it stands for the node.
  NodeRef rebuilt(const Node& n) {
    const Part& part = asked_.at(&n);
    const bool narrower = part != whole(n.shape()) && (is_reduce(n) || ir::scans(n));
    if (!narrower && std::ranges::none_of(n.inputs, [&](auto& in) { return is_changed(in.get()); }))
      return NodeRef(&n);
    std::vector<NodeRef> inputs;
    inputs.reserve(n.inputs.size());
    for (size_t k = 0; k < n.inputs.size(); ++k) inputs.push_back(taken(*n.inputs[k], read(n, k, part)));
    const NodeRef& x = inputs[0];
    if (kind(n.op) == OpKind::Map)
      return ir::make(n.op, inputs, n.attr, {n.dtype(), shape_of(part)}, n.lines);
    if (is_reduce(n)) return ir::reduce(n.op, x, n.as<ir::AxesAttr>().axes, n.lines);
    if (ir::scans(n)) return ir::scan(n.op, x, n.as<ir::AxisAttr>().axis, n.lines);
    switch (n.op) {
      case Op::broadcast:
        return is_copy(n) ? ir::copy(x, n.lines) : ir::broadcast(x, shape_of(part), n.lines);
      case Op::permute:
        return ir::permute(x, n.as<ir::AxesAttr>().axes, n.lines);
      case Op::slice: {
        Dims starts(part.size(), 0), steps(part.size(), 1);
        const Dims& turned = n.as<ir::SliceAttr>().steps;
        for (size_t k = 0; k < part.size(); ++k)
          if (turned[k] < 0 && part[k].extent > 1) starts[k] = part[k].extent - 1, steps[k] = -1;
        return ir::slice(x, starts, shape_of(part), steps, n.lines);
      }
      case Op::reshape: {
        const Part shown = reshaped(n.shape(), n.inputs[0]->shape(), part).shown;
        return slice(ir::reshape(x, shape_of(shown), n.lines), shown, part, n.lines);
      }
      default:
        return with_inputs(n, inputs);
    }
  }

  // A part of a value.
  NodeRef taken(const Node& n, const Part& part) const {
    if (n.op == Op::constant)
      return ir::constant({n.dtype(), shape_of(part)}, n.as<ir::ConstantAttr>().value, n.lines);
    return slice(now_.at(&n), is_changed(&n) ? asked_.at(&n) : whole(n.shape()), part, n.lines);
  }

  // `part` of a value of which `x` is the part `all`.
  static NodeRef slice(const NodeRef& x, const Part& all, const Part& part, const ir::Lines& lines) {
    Dims starts, steps;
    for (size_t k = 0; k < part.size(); ++k) {
      starts.push_back((part[k].start - all[k].start) / all[k].step);
      steps.push_back(part[k].extent == 1 ? 1 : part[k].step / all[k].step);
    }
    return ir::slice(x, starts, shape_of(part), steps, lines);
  }

  const ir::Graph& graph_;
  const std::vector<const Node*> order_;
  std::unordered_map<const ir::Node*, Part> asked_;
  std::unordered_map<const ir::Node*, NodeRef> now_;  // where it changed, the part that is asked for
};

}  // namespace

ir::Graph narrow(const ir::Graph& graph, const Target&, const Options&) { return Narrow(graph).run(); }

}  // namespace weft::passes
