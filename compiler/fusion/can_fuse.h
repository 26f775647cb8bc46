// Whether roots may be computed in one group: pure functions of structure, shapes and the target. Each
// refusal says why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/group.h"
#include "compiler/program/options.h"

namespace weft::fusion {

// How a root may join a group, or why it may not.
struct Join {
  bool possible = false;
  std::vector<int> axis;  // the group's axis of each axis of the root's space; -1 for extent 1
  std::string reason;
};

// A group under construction. All axes are in one list; the row ones are known once a reduction or a scan is
// in it.
struct Space {
  Shape extents;
  std::vector<char> row;
  bool has_row = false;
  bool scans = false;  // the row is one axis that something runs along
};

// How a root reads another: the reader's axis for each axis of the producer (-1 for extent 1).
struct Reading {
  bool aligned = false;  // every axis of the producer is one axis of the reader, whole and in place
  std::vector<int> axis;
  std::string reason;        // when not aligned
  bool only_memory = false;  // an assign that changes other elements of the same memory: it reads no value
};

// Whether `consumer` can be computed in the group of `producer`, which is laid out by `producer_axis` in
// `space`. A pure function of structure and shapes.
Join can_fuse(const Space& space, const ir::Node& producer, const std::vector<int>& producer_axis,
              const ir::Node& consumer, const Reading& reading, const Target& target,
              Numerics numerics = Numerics::Standard);

// Whether two roots that do not read each other can share the loops of a group.
Join can_join_siblings(const Space& space, const ir::Node& root, const Target& target);

// Whether an assign can share the loops of those that write the same memory before it: where all of them
// replace other elements, no point of the loops can meet what another one wrote.
Join can_assign_beside(const Space& space, const ir::Node& assign, const std::vector<const ir::Node*>& before,
                       const Target& target);

// A group as far as another one may take it in.
struct Members {
  const Space& space;
  const std::vector<ir::Root>& roots;
};

// Whether a group can keep the totals of another one, which reduces over the axes that the first walks in
// parallel: one for each element of its row, while the rows go by. `reading` says how a root of `columns`
// reads another root, or null. An empty reason: they have nothing to do with each other.
Join can_total_across(const Members& rows, const Members& columns,
                      const std::function<const Reading*(const ir::Node*, const ir::Node*)>& reading,
                      const Target& target);

// The axes of a group that one of its reductions is over: its row, all others, or sections of its row.
std::vector<char> reduced_axes(const ir::Root& root, const Space& space);

// Whether a group can total sections of its rows too, which another one reduces: the last of its row axes,
// one result for each position on the others.
Join can_total_sections(const Members& rows, const Members& sections,
                        const std::function<const Reading*(const ir::Node*, const ir::Node*)>& reading,
                        const Target& target);

}  // namespace weft::fusion
