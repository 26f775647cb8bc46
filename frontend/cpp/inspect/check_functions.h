// Whether functions of scalars keep what their authors promise: their results on the operands that a device gave them,
// beside those of their references.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "frontend/cpp/inspect/compare.h"

namespace weft::detail {

struct CheckedFunction {
  std::string name;
  std::vector<ir::SourceLine> lines;
  int64_t elements = 0;
  double bound = 0;  // in units of the last place
  Comparison comparison;
};

// The outputs of a graph, computed by a kernel for each op.
using RunApart = std::function<std::vector<ir::HostTensor>(const ir::Graph& graph)>;

// Each result of a function with a reference in the graph: none where there is no such function.
std::vector<CheckedFunction> check_functions(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                             const RunApart& run);

// "elu beside its reference: agrees, 0.51 of 4 ulps, …", a line.
std::string text_of(const CheckedFunction& checked);

}  // namespace weft::detail
