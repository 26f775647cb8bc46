// The graph of a workload, recorded without any memory behind its inputs.
#pragma once

#include "compiler/ir/node.h"
#include "tests/benchmarks/workloads.h"

namespace weft::bench {

ir::Graph graph_of(const Workload& workload, const Sizes& sizes);

}  // namespace weft::bench
