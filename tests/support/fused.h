// Graphs, as text, after fusion.
#pragma once

#include <string>

#include "compiler/ir/group.h"
#include "tests/support/targets.h"

namespace weft::test {

// The graph lives as long as its partition.
struct Fused {
  ir::Graph graph;
  ir::Partition partition;
  std::string why;

  size_t kernels() const { return partition.steps.size(); }
};

Fused fuse(const std::string& lines, const Options& options = {});

// Every value that a step reads from memory has been written by an earlier one.
void expect_runnable(const ir::Partition& partition);

}  // namespace weft::test
