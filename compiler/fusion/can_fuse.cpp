#include "compiler/fusion/can_fuse.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/analysis/access.h"
#include "compiler/machine/feasible.h"
#include "compiler/machine/machine.h"

namespace weft::fusion {

namespace {

using ir::is_reduce;
using ir::Node;

bool reduces(const Node& n, int64_t axis) {
  if (!is_reduce(n)) return false;
  const Dims& axes = n.as<ir::AxesAttr>().axes;
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Whether the root walks an axis as a row: reduces it, or runs along it.
bool walks(const Node& n, int64_t axis) {
  return reduces(n, axis) || (ir::scans(n) && n.as<ir::AxisAttr>().axis == axis);
}
bool walks(const Node& n) { return is_reduce(n) || ir::scans(n); }

bool row_is_local(const Space& space, DType dtype, const Target& target) {
  machine::RowLoop walk;
  walk.scans = space.scans;
  for (size_t g = 0; g < space.extents.size(); ++g) {
    (space.row[g] ? walk.row : walk.points) *= space.extents[g];
    if (space.extents[g] > 1) walk.columns = !space.row[g];
  }
  return machine::row_is_local(walk, dtype, target);
}

// Whether the consumer sums up exp(x - m), where the producer is m, the largest x of the row: both are found
// while the row is read once (rescale_sums).
bool is_relative_sum(const Node& producer, const Node& consumer) {
  if (producer.op != ir::Op::max || consumer.op != ir::Op::sum || !is_float(producer.dtype())) return false;
  if (producer.as<ir::AxesAttr>().axes != consumer.as<ir::AxesAttr>().axes) return false;
  const Node* e = consumer.inputs[0].get();
  if (e->op != ir::Op::exp || e->inputs[0]->op != ir::Op::subtract) return false;
  const Node& difference = *e->inputs[0];
  const Node* largest = difference.inputs[1].get();
  while (largest->op == ir::Op::reshape || largest->op == ir::Op::broadcast)
    largest = largest->inputs[0].get();
  return largest == &producer && difference.inputs[0] == producer.inputs[0];
}

Join refuse(std::string reason) { return {false, {}, std::move(reason)}; }

// Checks that the row axes of the root are those of the group.
Join finish(const Space& space, const Node& root, std::vector<int> axis, const Target& target) {
  const Shape& shape = space_of(root);
  int64_t points = 1, elements = 1;
  for (size_t k = 0; k < shape.size(); ++k) {
    const bool row = walks(root, static_cast<int64_t>(k));
    if (walks(root)) (row ? elements : points) *= shape[k];
    if (axis[k] < 0) continue;
    if (walks(root) && space.has_row && row != (space.row[axis[k]] != 0))
      return refuse(ir::scans(root) ? "it runs along another axis" : "it reduces other axes");
  }
  // Parts of a row that are scanned at once know what comes before them only afterwards.
  const bool scan_among_others = space.has_row && (ir::scans(root) || (space.scans && is_reduce(root)));
  if (scan_among_others && !machine::row_is_local(points, elements, true, target))
    return refuse(
        fmt::format("a row of {} elements for {} results is scanned by the whole machine", elements, points));
  return {true, std::move(axis), ""};
}

}  // namespace

Join can_fuse(const Space& space, const Node& producer, const std::vector<int>& producer_axis,
              const Node& consumer, const Reading& reading, const Target& target, Numerics numerics) {
  if (!reading.aligned) return refuse(reading.reason);
  const Shape& shape = space_of(consumer);
  std::vector<int> axis(shape.size(), -1);
  std::vector<char> taken(space.extents.size(), 0);
  // The producer's result axes, as axes of the group.
  std::vector<int> result_axis;
  for (size_t k = 0; k < producer_axis.size(); ++k)
    if (!reduces(producer, static_cast<int64_t>(k))) result_axis.push_back(producer_axis[k]);
  for (size_t k = 0; k < reading.axis.size(); ++k) {
    if (reading.axis[k] < 0) continue;
    axis[reading.axis[k]] = result_axis[k];
    taken[result_axis[k]] = 1;
  }
  // What is left of the consumer's axes has to be the row.
  std::vector<int> left, row;
  for (size_t k = 0; k < shape.size(); ++k)
    if (shape[k] != 1 && axis[k] < 0) left.push_back(static_cast<int>(k));
  bool whole = true, finished = space.has_row;
  for (size_t g = 0; g < space.extents.size(); ++g) {
    if (!taken[g]) row.push_back(static_cast<int>(g));
    whole &= taken[g] != 0;
    finished &= (taken[g] != 0) != (space.row[g] != 0);
  }
  if (left.empty()) {
    if (!whole && !finished) return refuse("it covers a part of the axes only");
    if (walks(consumer) && finished) return refuse("it reduces over the axes that are walked in parallel");
    return finish(space, consumer, std::move(axis), target);
  }
  if (!finished) return refuse("it is repeated along an axis: read from memory instead of computed again");
  if (left.size() != row.size()) return refuse("its axes are not those of the row that is reduced");
  for (size_t k = 0; k < left.size(); ++k) {
    if (shape[left[k]] != space.extents[row[k]])
      return refuse(
          fmt::format("its row has {} elements, the reduced one {}", shape[left[k]], space.extents[row[k]]));
    if (walks(consumer) && !walks(consumer, left[k])) return refuse("it reduces other axes");
    axis[left[k]] = row[k];
  }
  if (walks(consumer))
    for (size_t k = 0; k < shape.size(); ++k)
      if (axis[k] >= 0 && walks(consumer, static_cast<int64_t>(k)) && !space.row[axis[k]])
        return refuse("it reduces over the axes that are walked in parallel");
  int64_t points = 1, elements = 1;
  for (size_t g = 0; g < space.extents.size(); ++g) (space.row[g] ? elements : points) *= space.extents[g];
  const bool rescaled =
      machine::is_gpu(target) && numerics != Numerics::Strict && is_relative_sum(producer, consumer);
  if (!rescaled && !row_is_local(space, producer.dtype(), target))
    return refuse(fmt::format("a row of {} elements for {} results is reduced by the whole machine first",
                              elements, points));
  return {true, std::move(axis), ""};
}

Join can_join_siblings(const Space& space, const Node& root, const Target& target) {
  const Shape& shape = space_of(root);
  std::vector<int> axis(shape.size(), -1);
  size_t g = 0;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) continue;
    if (g == space.extents.size() || space.extents[g] != shape[k])
      return refuse("its loops have another shape");
    axis[k] = static_cast<int>(g++);
  }
  if (g != space.extents.size()) return refuse("its loops have another shape");
  return finish(space, root, std::move(axis), target);
}

Join can_assign_beside(const Space& space, const Node& assign, const std::vector<const Node*>& before,
                       const Target& target) {
  if (machine::is_gpu(target)) return refuse("it is written in place");
  for (const Node* other : before)
    if (other->shape() != assign.shape() ||
        !ir::disjoint(other->as<ir::SliceAttr>(), other->inputs[1]->shape(), assign.as<ir::SliceAttr>(),
                      assign.inputs[1]->shape()))
      return refuse("it is written in place, and the same elements may be replaced again");
  return can_join_siblings(space, assign, target);
}

namespace {

// CUDA: elements of the longest row whose totals stay in registers.
int64_t widest_totals(const std::vector<ir::Root>& columns, const Target& target) {
  int64_t bytes = 0;
  for (auto& root : columns)
    if (is_reduce(*root.node))
      bytes += std::max<int64_t>(static_cast<int64_t>(size_of(root.node->inputs[0]->dtype())), 4);
  return machine::widest_totals(bytes, target);
}

// Whether a root reads another one, if it does, at the group's axes.
Join lines_up(const ir::Root& root, const ir::Root& other, const Reading* reading) {
  if (!reading) return {true, {}, ""};
  if (!reading->aligned) return refuse(reading->reason);
  size_t result = 0;
  for (size_t k = 0; k < other.axis.size(); ++k) {
    if (reduces(*other.node, static_cast<int64_t>(k))) continue;
    const int at = reading->axis[result++];
    if (at >= 0 && root.axis[static_cast<size_t>(at)] != other.axis[k])
      return refuse("it lines up otherwise than " + std::string(name(other.node->op)));
  }
  return {true, {}, ""};
}

}  // namespace

std::vector<char> reduced_axes(const ir::Root& root, const Space& space) {
  std::vector<char> reduced(space.extents.size(), 0);
  for (size_t k = 0; k < root.axis.size(); ++k)
    if (root.axis[k] >= 0)
      reduced[static_cast<size_t>(root.axis[k])] = reduces(*root.node, static_cast<int64_t>(k));
  return reduced;
}

Join can_total_across(const Members& rows, const Members& columns,
                      const std::function<const Reading*(const ir::Node*, const ir::Node*)>& reading,
                      const Target& target) {
  const Space& space = rows.space;
  if (!space.has_row || !columns.space.has_row || space.extents.empty() ||
      space.extents != columns.space.extents || !space.row.back())
    return refuse("");
  int64_t points = 1, elements = 1;
  for (size_t g = 0; g < space.extents.size(); ++g) {
    if (space.row[g] == columns.space.row[g]) return refuse("");
    (space.row[g] ? elements : points) *= space.extents[g];
  }
  if (space.scans || columns.space.scans) return refuse("what is scanned is not reduced across too");
  const bool cpu = !machine::is_gpu(target);
  // On the CPU totals take the memory of a few rows for each of the tasks, which few long rows do not repay.
  const int64_t fewest = machine::fewest_rows_of_totals(elements);
  const int64_t widest = cpu ? elements : widest_totals(columns.roots, target);
  const int64_t narrowest = cpu ? machine::narrowest_totals(target) : 1;
  if (cpu ? points < fewest : machine::are_few_for_clusters(points, elements, widest, target))
    return refuse(fmt::format("{} rows are too few to total across them", points));
  if (elements < narrowest || elements > widest)
    return refuse(fmt::format("rows of {} elements are too {} for totals beside them", elements,
                              elements > widest ? "long" : "short"));
  std::vector<const Node*> totals;  // and what reads them
  for (auto& root : columns.roots) {
    const Node& n = *root.node;
    bool reads_total = false, on_row = false;
    for (auto* total : totals) reads_total |= reading(&n, total) != nullptr;
    for (size_t k = 0; k < root.axis.size(); ++k)
      on_row |= root.axis[k] >= 0 && columns.space.row[root.axis[k]] != 0;
    if (gives_index(n.op)) return refuse("positions are not kept for totals across rows");
    if (n.op == ir::Op::assign) return refuse("it is written in place");
    if (on_row && reads_total) return refuse("totals across rows are known after the last row only");
    if (!on_row && !reads_total) return refuse("it would be computed again for each row");
    if (is_reduce(n) || reads_total) totals.push_back(&n);
    for (auto& other : rows.roots) {
      const Reading* r = reading(&n, other.node.get());
      if (r && reads_total) return refuse("what reads totals across rows reads one row's values too");
      if (Join join = lines_up(root, other, r); !join.possible) return join;
    }
  }
  return {true, {}, ""};
}

Join can_total_sections(const Members& rows, const Members& sections,
                        const std::function<const Reading*(const ir::Node*, const ir::Node*)>& reading,
                        const Target& target) {
  const Space &space = rows.space, &section = sections.space;
  if (!space.has_row || !section.has_row || space.extents != section.extents || space.row == section.row)
    return refuse("");
  int64_t points = 1, count = 1, elements = 1;
  for (size_t g = 0; g < space.extents.size(); ++g) {
    // What is reduced is the end of the row.
    if (section.row[g] > space.row[g] || (elements > 1 && space.row[g] && !section.row[g])) return refuse("");
    if (section.row[g])
      elements *= space.extents[g];
    else if (space.row[g])
      count *= space.extents[g];
    else
      points *= space.extents[g];
  }
  if (space.scans || section.scans) return refuse("what is scanned is not reduced in sections too");
  int64_t widest = 1;
  for (auto& root : sections.roots) {
    const Node& n = *root.node;
    if (!is_reduce(n)) return refuse("");
    if (gives_index(n.op)) return refuse("positions are not kept for sections of a row");
    if (reduced_axes(root, section) != section.row) return refuse("it is computed with totals across rows");
    widest = std::max(widest, static_cast<int64_t>(size_of(n.inputs[0]->dtype())));
    for (auto& other : sections.roots)
      if (reading(&n, other.node.get())) return refuse("it reads what sections of a row give");
    for (auto& other : rows.roots)
      if (Join join = lines_up(root, other, reading(&n, other.node.get())); !join.possible) return join;
  }
  for (auto& root : rows.roots)
    if (is_reduce(*root.node))
      if (const auto reduced = reduced_axes(root, space); reduced != space.row && reduced != section.row)
        return refuse("its rows are totalled otherwise too");
  const bool cpu = !machine::is_gpu(target);
  if (cpu ? elements < machine::shortest_section(target) ||
                !machine::row_is_local(points, count * elements, false, target)
          : !machine::repays_sections(points, count, elements * widest, target))
    return refuse(fmt::format("{} rows of {} sections of {} elements do not repay totals of both", points,
                              count, elements));
  return {true, {}, ""};
}

}  // namespace weft::fusion
