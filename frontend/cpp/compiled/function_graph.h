// A function of arrays as a graph, recorded for what is not run in this process.
#pragma once

#include <span>
#include <vector>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/weft/compiled.h"

namespace weft::detail {

struct FunctionGraph {
  DeviceSlot* device = nullptr;
  std::vector<ir::NodeRef> inputs;   // a node for each argument
  std::vector<ir::NodeRef> outputs;  // the results; then for each of `checks` the least and the most
  std::vector<LateCheck> checks;
};

// Calls f once, as Compiled does. Throws Error, by the name of `op`, where f writes to an argument.
FunctionGraph function_graph(const char* op, std::span<const Array> arguments, const Compiled::Function& f);

}  // namespace weft::detail
