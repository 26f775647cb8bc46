#include "compiler/passes/reductions/split_reductions.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/fusion/can_fuse.h"
#include "compiler/fusion/expression.h"
#include "compiler/ir/build.h"
#include "compiler/passes/pass.h"

namespace weft::passes {

using namespace fusion;
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;

bool contains(const Dims& axes, int64_t axis) { return std::ranges::find(axes, axis) != axes.end(); }

// Axes of a reduction's input that have several elements.
Dims wide_axes(const Node& reduction) {
  Dims out;
  for (int64_t k : reduction.as<ir::AxesAttr>().axes)
    if (reduction.inputs[0]->shape()[static_cast<size_t>(k)] > 1) out.push_back(k);
  return out;
}

class SplitReductions {
 public:
  SplitReductions(const ir::Graph& graph, const Target& target, const Options& options)
      : target_(target), options_(options) {
    std::vector<const Node*> several;  // reductions over several axes
    const std::vector<const Node*> order = topological_order(graph.outputs);
    for (const Node* n : order)
      if (ir::is_reduce(*n) && !gives_index(n->op) && wide_axes(*n).size() > 1 &&
          element_count(n->inputs[0]->shape()) > 0)
        several.push_back(n);
    if (!several.empty()) roots_ = lasting_roots(order);
    for (const Node* n : several) split_along_rows(n);
    for (const Node* n : several) split_as_others(n);
  }

  // What stands for `now`, which was `was`: the reduction of a reduction.
  NodeRef halves(const NodeRef& now, const Node& was) const {
    const auto found = first_.find(&was);
    if (found == first_.end()) return now;
    const Dims &first = found->second, &axes = now->as<ir::AxesAttr>().axes;
    Dims second;
    int64_t before = 0;  // axes that are gone
    for (int64_t k = 0; k < static_cast<int64_t>(now->inputs[0]->shape().size()); ++k) {
      if (contains(first, k))
        ++before;
      else if (contains(axes, k))
        second.push_back(k - before);
    }
    // Halves are rounded when all is added up.
    const bool widened = is_half(now->dtype()) && (now->op == Op::sum || now->op == Op::prod);
    const NodeRef input = widened ? ir::cast(now->inputs[0], DType::F32, now->lines) : now->inputs[0];
    const NodeRef both =
        ir::reduce(now->op, ir::reduce(now->op, input, first, now->lines), second, now->lines);
    return widened ? ir::cast(both, now->dtype(), now->lines) : both;
  }

 private:
  // The axes of `n` that are the row of `producer`, which it reads. None where a reduction over these alone
  // cannot share the producer's loops, or where no other axes are left.
  Dims shared_row(const Node& n, const Node& producer, const Reading& reading) {
    if (!reading.aligned || !ir::is_reduce(producer)) return {};
    Dims row;
    for (int64_t k : wide_axes(n))
      if (std::ranges::find(reading.axis, k) == reading.axis.end()) row.push_back(k);
    if (row.empty() || row.size() == wide_axes(n).size()) return {};
    Space space;
    std::vector<int> axis;
    const Shape& shape = ir::space_of(producer);
    for (size_t k = 0; k < shape.size(); ++k) {
      axis.push_back(shape[k] == 1 ? -1 : static_cast<int>(space.extents.size()));
      if (shape[k] == 1) continue;
      space.extents.push_back(shape[k]);
      space.row.push_back(contains(producer.as<ir::AxesAttr>().axes, static_cast<int64_t>(k)) ? 1 : 0);
      space.has_row |= space.row.back() != 0;
    }
    if (!space.has_row) return {};
    const NodeRef half = ir::reduce(n.op, n.inputs[0], row);
    const bool joins = can_fuse(space, producer, axis, *half, reading, target_, options_.numerics).possible ||
                       shares_sections(space, producer, axis, n, half, reading);
    return joins ? row : Dims{};
  }

  // Whether the half of `n` reduces sections of the rows that `producer` reduces, which lie in one piece.
  bool shares_sections(const Space& space, const Node& producer, const std::vector<int>& axis, const Node& n,
                       const NodeRef& half, const Reading& reading) {
    if (half->inputs[0]->shape() != ir::space_of(producer)) return false;
    if (expression(&n).turned || expression(&producer).turned) return false;
    Space sections = space;
    for (size_t k = 0; k < axis.size(); ++k)
      if (axis[k] >= 0)
        sections.row[static_cast<size_t>(axis[k])] =
            contains(half->as<ir::AxesAttr>().axes, static_cast<int64_t>(k)) ? 1 : 0;
    return can_total_sections(
               {space, {{NodeRef(&producer), axis}}}, {sections, {{half, axis}}},
               [&](const Node* reader, const Node* read) {
                 return reader == half.get() && read == &producer ? &reading : nullptr;
               },
               target_)
        .possible;
  }

  const Expression& expression(const Node* n) {
    const auto [at, fresh] = expressions_.try_emplace(n);
    if (fresh) at->second = analyze(n, roots_, true);
    return at->second;
  }

  bool reads_same(const Node* a, const Node* b) {
    const std::vector<const Node*>&of = expression(a).inputs, &other = expression(b).inputs;
    return std::ranges::any_of(of,
                               [&](const Node* in) { return std::ranges::find(other, in) != other.end(); });
  }

  void split_along_rows(const Node* n) {
    Dims best;
    for (auto& [producer, reading] : expression(n).readings) {
      Dims row = shared_row(*n, *producer, reading);
      // Rows lie in one piece.
      if (!row.empty() && (best.empty() || row.back() > best.back()) && reads_same(n, producer))
        best = std::move(row);
    }
    if (best.empty()) return;
    for (const Node* in : expression(n).inputs)
      if (!find_alike(n, in)) readers_[in].push_back(n);
    first_.emplace(n, std::move(best));
  }

  // One that is cut, reads `in`, and reduces the same axes as `n`.
  const Node* find_alike(const Node* n, const Node* in) const {
    const auto readers = readers_.find(in);
    if (readers == readers_.end()) return nullptr;
    const auto alike = std::ranges::find_if(readers->second, [&](const Node* other) {
      return other->inputs[0]->shape() == n->inputs[0]->shape() && wide_axes(*other) == wide_axes(*n);
    });
    return alike == readers->second.end() ? nullptr : *alike;
  }

  void split_as_others(const Node* n) {
    for (const Node* in : expression(n).inputs)
      if (const Node* alike = find_alike(n, in)) {
        first_.try_emplace(n, Dims(first_.at(alike)));
        return;
      }
  }

  const Target& target_;
  const Options& options_;
  ir::NodeSet roots_;
  fusion::Expressions expressions_;
  std::unordered_map<const ir::Node*, Dims> first_;  // what each that is cut reduces first
  std::unordered_map<const ir::Node*, std::vector<const Node*>> readers_;  // of an array, those that are cut
};

}  // namespace

ir::Graph split_reductions(const ir::Graph& graph, const Target& target, const Options& options) {
  const SplitReductions of(graph, target, options);
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) { return of.halves(now, was); });
}

}  // namespace weft::passes
