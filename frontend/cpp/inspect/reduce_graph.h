// Makes a graph that goes wrong small, with the data on which it does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"

namespace weft::detail {

// What is wrong with the results of a graph of these inputs; empty: nothing.
using FindProblem =
    std::function<std::string(const ir::Graph& graph, std::span<const ir::HostTensor> inputs)>;

struct ReducedGraph {
  ir::Graph graph;
  std::vector<ir::HostTensor> inputs;
  std::string problem;  // of the small graph
  size_t ops_before = 0, ops = 0;
};

// What takes an op's place as an input has the value that the interpreter gives for the op. A graph whose results
// are wrong stays one whose results are wrong, and one that fails to compile one that fails. Error where nothing is wrong.
ReducedGraph reduce_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                          const FindProblem& problem);

// The problem of a graph where `run` gives the results: beside the interpreter, or what was thrown.
std::string problem_beside_interpreter(
    const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
    const std::function<std::vector<ir::HostTensor>(const ir::Graph&, std::span<const ir::HostTensor>)>& run);

}  // namespace weft::detail
