// What lowering gives: a row program, and what its buffers and scalars are in the graph.
#pragma once

#include <vector>

#include "compiler/ir/node.h"
#include "compiler/plan/plan.h"

namespace weft::plan {

// What the program's buffers and scalars stand for, in the order of the kernel's arguments.
struct Lowered {
  RowProgram program;
  std::vector<const ir::Node*> buffers;  // a graph input, or the root of some step
  std::vector<const ir::Node*> scalars;  // scalar nodes, and constants that are not special
};

}  // namespace weft::plan
