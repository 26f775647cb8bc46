// A large fixed set of graphs that reaches every schedule: what `kernel_texts` compiles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::test {

struct CorpusCase {
  std::string name;                  // "sweep/softmax/f32/1024x4095"
  std::function<ir::Graph()> graph;  // may be called by any thread
  Options options;
};

// The benchmarks' workloads, the schedules page's examples, the sweep's shapes and dtypes, graphs that reduce
// the same data twice, reductions and scans over every set of axes, and random graphs, small ones and large
// ones. Always the same, in the same order.
std::vector<CorpusCase> corpus();

}  // namespace weft::test
