#include "compiler/derive/totals.h"

#include <algorithm>
#include <optional>
#include <string>

#include "compiler/base/error.h"
#include "compiler/derive/nodes.h"

namespace weft::derive {
namespace {

using ir::NodeRef;

std::optional<Part> part_of(const NodeRef& more, const ir::Lines& lines) {
  const bool pad = more->op == ir::Op::pad;
  if (!pad && more->op != ir::Op::update) return std::nullopt;
  const NodeRef &value = more->inputs[pad ? 0 : 1], &rest = more->inputs[pad ? 1 : 0];
  if (!is_zero(*rest) || element_count(value->shape()) == 0) return std::nullopt;
  if (!pad) return Part{more->as<ir::SliceAttr>(), value, lines};
  return Part{{more->as<ir::PadAttr>().before, Dims(value->shape().size(), 1)}, value, lines};
}

bool is_dense(const Part& part) {
  return std::ranges::all_of(part.at.steps, [](int64_t step) { return step == 1; });
}

std::vector<int64_t> place_of(const Part& part) {
  std::vector<int64_t> place(part.at.starts.begin(), part.at.starts.end());
  const Shape& extents = part.value->shape();
  place.insert(place.end(), extents.begin(), extents.end());
  return place;
}

// A pad is read by the kernel that needs it, so parts without gaps are padded with zeros.
NodeRef alone(const Part& part, const ir::TensorType& whole) {
  if (!is_dense(part)) return ir::update(zeros(whole), part.value, part.at.starts, part.at.steps, part.lines);
  Dims after = whole.shape;
  for (size_t i = 0; i < after.size(); ++i) after[i] -= part.value->shape()[i] + part.at.starts[i];
  return ir::pad(part.value, zeros({whole.dtype, {}}), part.at.starts, after, part.lines);
}

// Of a loop over parts each turn gives a cotangent that is zero but for its part, and sums over the whole would take the
// square of the turns. Parts that are not small had better stay pads, which the kernel that reads them computes.
bool is_small(const Part& part, const ir::TensorType& whole) {
  return element_count(part.value->shape()) * kSmallPart <= element_count(whole.shape);
}

NodeRef joined(const NodeRef& total, const Part& part, const ir::TensorType& whole) {
  if (!total) return alone(part, whole);
  const Shape& shape = part.value->shape();
  if (!is_small(part, whole)) return ir::map(ir::Op::add, {total, alone(part, whole)}, part.lines);
  const NodeRef there = sliced(total, part.at, shape, part.lines);
  const NodeRef sum = is_zero(*there) ? part.value : ir::map(ir::Op::add, {there, part.value}, part.lines);
  return ir::update(total, sum, part.at.starts, part.at.steps, part.lines);
}

bool lies_at(const Part& part, const NodeRef& update) {
  const auto& at = update->as<ir::SliceAttr>();
  return part.value && part.at.starts == at.starts && part.at.steps == at.steps &&
         part.value->shape() == update->inputs[1]->shape();
}

// What was cleared, with the part that lies where it has zeros.
NodeRef filled_again(const NodeRef& update, std::vector<Part>& parts) {
  const auto part = std::ranges::find_if(parts, [&](const Part& p) { return lies_at(p, update); });
  if (part == parts.end()) return update;
  const NodeRef &before = update->inputs[0], value = std::move(part->value);
  part->value = {};
  const auto* from = std::get_if<ir::SliceAttr>(&value->attr);
  const bool same = value->op == ir::Op::slice && value->inputs[0] == before &&
                    from->starts == part->at.starts && from->steps == part->at.steps;
  return same ? before : ir::update(before, value, part->at.starts, part->at.steps, part->lines);
}

}  // namespace

NodeRef Totals::of(const NodeRef& node) {
  const auto found = totals_.find(node.get());
  if (found == totals_.end()) return {};
  Total& total = found->second;
  for (const NodeRef& update : total.cleared) {
    const NodeRef now = filled_again(update, total.parts);
    total.whole = total.whole ? ir::map(ir::Op::add, {total.whole, now}, update->lines) : now;
  }
  for (const Part& part : total.parts)
    if (part.value) total.whole = joined(total.whole, part, node->type);
  total.cleared.clear();
  total.parts.clear();
  total.numbers.clear();
  return total.whole;
}

void Totals::add(const NodeRef& node, NodeRef more, const ir::Lines& lines) {
  if (!more) return;
  if (more->type != node->type)
    throw InternalError("derive: " + std::string(ir::name(node->op)) + " of " +
                        std::string(name(node->dtype())) + to_string(node->shape()) +
                        " got a derivative of " + std::string(name(more->dtype())) +
                        to_string(more->shape()));
  Total& total = totals_[node.get()];
  if (std::optional<Part> part = part_of(more, lines)) {
    if (is_dense(*part)) {
      const auto [at, added] = total.numbers.try_emplace(place_of(*part), total.parts.size());
      if (!added) {
        NodeRef& there = total.parts[at->second].value;
        there = ir::map(ir::Op::add, {there, part->value}, lines);
        return;
      }
    }
    total.parts.push_back(std::move(*part));
    return;
  }
  if (more->op == ir::Op::update && is_zero(*more->inputs[1]))
    total.cleared.push_back(std::move(more));
  else
    total.whole = total.whole ? ir::map(ir::Op::add, {total.whole, more}, lines) : std::move(more);
}

}  // namespace weft::derive
