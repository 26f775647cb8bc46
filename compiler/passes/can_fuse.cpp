#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/access.h"
#include "compiler/passes/fuse.h"

namespace weft::passes {

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

// CUDA: elements of a row, and of a column, that a cluster's shared memory keeps.
constexpr int64_t kLongestRow = 262144, kLongestColumn = Target::kLongestColumn;
// Few rows keep as many words of four bytes. And elements of a row where a single block walks it, for a scan
// or for want of clusters.
constexpr int64_t kLongestOfBlock = 8192;

// CPU: columns that lie beside each other and are one thread's, and elements that are too many for one. Few
// columns are unrolled where they are reduced alone.
constexpr int64_t kColumnsOfThread = 1024, kElementsOfThread = 1 << 18, kElementsOfFew = 1 << 15;

// All the device's blocks walk rows of which it has few, keep them in registers or read them again from the
// cache, and tell each other what they found.
bool device_walks(int64_t points, int64_t row, DType dtype, const Target& target) {
  const auto bytes = static_cast<int64_t>(size_of(dtype)),
             most = static_cast<int64_t>(target.cache_bytes) / 4 * 3;
  return target.has_clusters() && target.has_few(points) &&
         row <= most / (bytes * std::max<int64_t>(points, 1));
}

// Columns that lie beside each other, too, while it takes less time to read the sectors of memory that hold
// elements of several of them for each than to launch the kernels that would read them in strips.
bool device_walks_columns(int64_t points, int64_t row, DType dtype, const Target& target) {
  constexpr int64_t kSector = 32, kLine = 128, kMost = 20 << 20;
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  return device_walks(points, row, dtype, target) && row > kLongestColumn && points * bytes < kLine &&
         row * points * bytes * std::min(points, kSector / bytes) <= kMost;
}

// The row of one outer point is walked by one thread (CPU) or one block (CUDA). That is worth it when there
// are points enough to keep the machine busy, or when the row is short. Fixed numbers on the CPU: results
// must not depend on how many threads there are.
bool row_is_local(int64_t points, int64_t row, bool scanned, const Target& target, int64_t words = 1) {
  if (target.kind == TargetKind::Cpu) return points >= 16 || row <= 65536;
  const bool clusters = !scanned && target.has_clusters();
  return points >= target.threads / 2 || (clusters ? row * words <= kLongestRow : row <= kLongestOfBlock);
}

// Rows and columns that are too long to stay on the chip are read again, which takes more of them: columns
// lie beside each other in strips.
bool row_is_local(const Space& space, DType dtype, const Target& target) {
  int64_t points = 1, row = 1;
  bool columns = false;
  for (size_t g = 0; g < space.extents.size(); ++g) {
    (space.row[g] ? row : points) *= space.extents[g];
    if (space.extents[g] > 1) columns = !space.row[g];
  }
  if (target.kind == TargetKind::Cpu && columns && !space.scans && points <= kColumnsOfThread &&
      points * row >= (target.unrolls_columns(points) ? kElementsOfFew : kElementsOfThread))
    return false;
  if (target.kind == TargetKind::Cuda && !space.scans &&
      (columns ? device_walks_columns : device_walks)(points, row, dtype, target))
    return true;
  if (target.kind == TargetKind::Cuda && row > (columns ? kLongestColumn : kLongestRow) &&
      points < (columns ? 32 : 2) * int64_t{target.threads})
    return false;
  return row_is_local(points, row, space.scans, target,
                      std::max<int64_t>(static_cast<int64_t>(size_of(dtype)) / 4, 1));
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

// CPU: rows of fewer elements are better walked beside each other, where there are no masks.
constexpr int64_t kNarrowestTotals = 64;
constexpr int64_t kLongTotals = 1 << 16;
// CPU: elements of a section that repay a call of its own, without masks and with.
constexpr int64_t kShortestSection = 64, kShortestMaskedSection = 16;

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
  if (scan_among_others && !row_is_local(points, elements, true, target))
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
      target.kind == TargetKind::Cuda && numerics != Numerics::Strict && is_relative_sum(producer, consumer);
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
  if (target.kind != TargetKind::Cpu) return refuse("it is written in place");
  for (const Node* other : before)
    if (other->shape() != assign.shape() ||
        !ir::disjoint(other->as<ir::SliceAttr>(), other->inputs[1]->shape(), assign.as<ir::SliceAttr>(),
                      assign.inputs[1]->shape()))
      return refuse("it is written in place, and the same elements may be replaced again");
  return can_join_siblings(space, assign, target);
}

namespace {

// CUDA: elements of the longest row whose totals stay in registers, 64 KiB of them in each of the 16 blocks
// of a cluster; a block alone has twice as much.
int64_t widest_totals(const std::vector<ir::Root>& columns, const Target& target) {
  int64_t bytes = 0;
  for (auto& root : columns)
    if (is_reduce(*root.node))
      bytes += std::max<int64_t>(static_cast<int64_t>(size_of(root.node->inputs[0]->dtype())), 4);
  return (target.has_clusters() ? 1 << 20 : 128 << 10) / std::max<int64_t>(bytes, 1);
}

// CUDA: rows that take a cluster of many blocks each, more of them than run at once, but less than three
// times as many. Their turns take longer than to read them from the cache again: a part of the chip has no
// room for half a cluster.
bool are_few_for_clusters(int64_t points, int64_t elements, int64_t widest, const Target& target) {
  constexpr int64_t kBlocks = 16, kFewBlocks = 4, kResident = 2, kTurns = 3;
  const int64_t blocks = elements * 2 * kBlocks / widest;  // with as much of a row as of its totals
  const int64_t at_once = target.threads * kResident * 7 / 8 / std::max<int64_t>(blocks, 1);
  return target.has_clusters() && blocks > kFewBlocks && points > at_once && points < kTurns * at_once;
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
  const bool cpu = target.kind == TargetKind::Cpu;
  // On the CPU totals take the memory of a few rows for each of the tasks, which few long rows do not repay.
  const int64_t fewest = elements > kLongTotals ? 128 : 64;
  const int64_t widest = cpu ? elements : widest_totals(columns.roots, target);
  const int64_t narrowest = !cpu ? 1 : target.has_masks() ? 2 : kNarrowestTotals;
  if (cpu ? points < fewest : are_few_for_clusters(points, elements, widest, target))
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

namespace {

// CUDA: whether blocks that take whole sections of a row, a cluster at most, have registers for them and
// enough to do, and keep half the device busy. To start one takes as long as to read some of the row again.
bool repays_sections(int64_t points, int64_t sections, int64_t bytes, const Target& target) {
  constexpr int64_t kMostBytes = 64 << 10, kFewestBytes = 1536, kFewestOfCluster = 4096;
  constexpr int64_t kBusyAnyway = 1 << 20, kFewBlocks = 16;
  for (int64_t blocks = 1; blocks <= (target.has_clusters() ? Target::kBlocksOfSections : 1); ++blocks) {
    const int64_t beside = sections / blocks, all = points * blocks;
    if (sections % blocks != 0 || beside > Target::kSectionsOfBlock || beside * bytes > kMostBytes) continue;
    const bool busy = all * 2 >= target.threads || points * sections * bytes <= kBusyAnyway;
    const int64_t fewest = all <= kFewBlocks * target.threads ? 0
                           : blocks > 1                       ? kFewestOfCluster
                                                              : kFewestBytes;
    if (busy && beside * bytes >= fewest) return true;
  }
  return false;
}

}  // namespace

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
  const bool cpu = target.kind == TargetKind::Cpu;
  const int64_t shortest = target.has_masks() ? kShortestMaskedSection : kShortestSection;
  if (cpu ? elements < shortest || !row_is_local(points, count * elements, false, target)
          : !repays_sections(points, count, elements * widest, target))
    return refuse(fmt::format("{} rows of {} sections of {} elements do not repay totals of both", points,
                              count, elements));
  return {true, {}, ""};
}

}  // namespace weft::passes
