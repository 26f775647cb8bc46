// How a graph is cut into kernels: what fusion decides and lowering reads. Plain data, so that it can be
// printed.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::ir {

inline bool is_reduce(const Node& n) { return kind(n.op) == OpKind::Reduce; }

// Whether the node runs along an axis: its group walks that axis as its row, in order.
inline bool scans(const Node& n) {
  return kind(n.op) == OpKind::Scan && n.shape()[static_cast<size_t>(n.as<AxisAttr>().axis)] > 1;
}

// The loops that compute a node: its own shape; a reduction's input; what an assign replaces.
inline const Shape& space_of(const Node& n) {
  if (is_reduce(n)) return n.inputs[0]->shape();
  return n.op == Op::assign ? n.inputs[1]->shape() : n.shape();
}

// A node that a group computes by name: a reduction, a scan, or a value that is written to memory. Everything
// else in a group is recomputed where it is used.
struct Root {
  NodeRef node;
  // The group's axis (outer axes first, then row axes) of each axis of the root's space: a reduction's space
  // is its input's shape, any other root's its own. -1 for axes of extent 1.
  std::vector<int> axis;
  bool stored = false;  // written to memory: a graph output, or read by another step
};

// Nodes that become one kernel: parallel outer axes and, with reductions or scans, row axes that
// are swept.
struct Group {
  Shape outer, row;
  std::vector<Root> roots;  // each after the roots that it reads
};

// Whether the root reduces over the group's outer axes: over all points, for each element of the row.
inline bool reduces_across(const Group& group, const Root& root) {
  if (!is_reduce(*root.node)) return false;
  for (int64_t k : root.node->as<AxesAttr>().axes)
    if (const int axis = root.axis[static_cast<size_t>(k)];
        axis >= 0 && axis < static_cast<int>(group.outer.size()))
      return true;
  return false;
}

// Whether the root reduces over some of the group's row axes and not over others: it has a result for each
// section of the row. These others come first (can_total_sections).
inline bool reduces_sections(const Group& group, const Root& root) {
  if (!is_reduce(*root.node) || reduces_across(group, root)) return false;
  const Dims& reduced = root.node->as<AxesAttr>().axes;
  for (size_t k = 0; k < root.axis.size(); ++k)
    if (root.axis[k] >= static_cast<int>(group.outer.size()) &&
        std::ranges::find(reduced, static_cast<int64_t>(k)) == reduced.end())
      return true;
  return false;
}

// One step of a program: a fused kernel, or one node of a library.
struct Step {
  Group group;         // empty for library steps
  NodeRef library;     // dot, scatter
  std::string reason;  // why this is a step of its own, for explain
};

// Why the value of `producer` reaches `consumer` in memory, or inside of one kernel.
struct Decision {
  const Node* producer = nullptr;
  const Node* consumer = nullptr;
  bool fused = false;
  std::string reason;
};

struct Partition {
  std::vector<Step> steps;          // in an order that can be run
  std::vector<Decision> decisions;  // one for each edge between roots
};

}  // namespace weft::ir
