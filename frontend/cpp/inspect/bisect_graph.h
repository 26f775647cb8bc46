// What makes a graph's results wrong: a pass, an op by itself, or which ops share a kernel.
//
//   passes    the interpreter computes the graph before and after each: the first that changes results is named
//   ops       a kernel for each op: one that is wrong by itself is named
//   kernels   more and more ops fuse, until results are wrong; then all are taken out without which they still are
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/program/options.h"
#include "frontend/cpp/inspect/verify_graph.h"

namespace weft::detail {

// The outputs of a graph on its device, compiled with these options. `prepared`: passes have run over it.
using RunCompiled =
    std::function<std::vector<ir::HostTensor>(const ir::Graph& graph, const Options& options, bool prepared)>;

struct BisectedOp {
  std::string text;  // "add f32[64, 96]"
  std::vector<ir::SourceLine> lines;
};

struct BisectedPass {
  std::string name;
  std::string problem;           // of the graph that it gave, or what it threw
  std::vector<BisectedOp> made;  // by it, as far as that is known
  // Whether results are right without it; none where it cannot be left out.
  std::optional<bool> right_without;
};

struct Bisected {
  std::string problem;  // empty: results are right, and nothing was searched
  std::optional<BisectedPass> pass;
  std::optional<FirstDifference> op;
  std::vector<BisectedOp> group;                 // ops that have to share a kernel
  std::vector<std::pair<size_t, size_t>> edges;  // between these: who gives its value to whom

  bool agrees() const { return problem.empty(); }
};

// `inputs` are as interpret() takes them. Error where the graph has what is not interpreted.
Bisected bisect_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                      std::span<const std::string> names, const Target& target, const Options& options,
                      const RunCompiled& run);

std::string text_of(const Bisected& bisected);
// docs/seeing_inside.md has the schema.
std::string json_of(const Bisected& bisected);

}  // namespace weft::detail
