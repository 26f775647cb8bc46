// Whether a graph's results are right: as fused kernels and op by op, beside the reference interpreter.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "frontend/cpp/inspect/compare.h"

namespace weft::detail {

// The outputs of a graph on its device. `fuse`: as it runs, else by a kernel for each op.
using RunGraph = std::function<std::vector<ir::HostTensor>(const ir::Graph& graph, bool fuse)>;

struct VerifiedOutput {
  std::string name;
  ir::TensorType type;
  Comparison fused, op_by_op;
};

// The first op, in the order of the graph, whose value is another than the interpreter's.
struct FirstDifference {
  bool fused = false;  // else it differs op by op, too
  std::string op;
  std::vector<ir::SourceLine> lines;
  Comparison comparison;
};

struct VerifiedGraph {
  size_t ops = 0;
  std::vector<VerifiedOutput> outputs;
  std::optional<FirstDifference> first;  // where some output differs

  bool agrees() const { return !first; }
};

// `names` are the outputs'. `inputs` are as interpret() takes them. Error where the graph has what is not interpreted.
VerifiedGraph verify_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                           std::span<const std::string> names, const RunGraph& run);

std::string text_of(const VerifiedGraph& verified);
// docs/seeing_inside.md has the schema.
std::string json_of(const VerifiedGraph& verified);

}  // namespace weft::detail
