// Whether a graph's results are right: as fused kernels and op by op, beside the reference interpreter.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "frontend/cpp/inspect/check_functions.h"
#include "frontend/cpp/inspect/compare.h"

namespace weft::detail {

// The outputs of a graph on its device. `fuse`: as it runs, else by a kernel for each op.
using RunGraph = std::function<std::vector<ir::HostTensor>(const ir::Graph& graph, bool fuse)>;

// What the interpreter gives: of each op's node its value, and how far rounding alone may carry it.
struct Reference {
  std::vector<ir::NodeRef> nodes;  // each after its inputs
  std::vector<ir::HostTensor> values;
  std::vector<double> rounding;
  std::unordered_map<const ir::Node*, size_t> number;
};
Reference reference_of(const ir::Graph& graph, std::span<const ir::HostTensor> inputs);

// What is wrong with results in the place of these outputs of the reference's graph; empty: nothing.
std::string problem_of(const Reference& reference, std::span<const ir::NodeRef> outputs,
                       std::span<const ir::HostTensor> got, std::span<const std::string> names);

struct VerifiedOutput {
  std::string name;
  ir::TensorType type;
  Comparison fused, op_by_op;
  std::optional<Comparison> elsewhere = {};  // fused, on another device
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
  std::vector<CheckedFunction> functions;
  std::string other_device = {};   // that computed it, too; empty: none
  std::string other_problem = {};  // why that one did not

  bool differs() const;
  // Outputs of which every element is NaN tell nothing.
  bool compares_nothing() const;
  bool agrees() const { return !differs() && !compares_nothing(); }
};

// Another device, beside the one that is verified.
struct OtherDevice {
  std::string name;
  std::function<std::vector<ir::HostTensor>(const ir::Graph& graph)> run;
};

// The first op that differs where each is computed by itself, or as the last of a fused program; none where only all of
// them together go wrong.
std::optional<FirstDifference> first_difference(const ir::Graph& graph, const Reference& reference,
                                                const RunGraph& run);

// `names` are the outputs'. `inputs` are as interpret() takes them. Error where the graph has what is not interpreted.
VerifiedGraph verify_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                           std::span<const std::string> names, const RunGraph& run,
                           const OtherDevice* other = nullptr);

std::string text_of(const VerifiedGraph& verified);
// docs/seeing_inside.md has the schema.
std::string json_of(const VerifiedGraph& verified);

}  // namespace weft::detail
