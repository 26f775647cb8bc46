// Evaluates a graph on the host, one node after another: the reference for folding, tests and tiny arrays.
// Each map rounds to its dtype. Reductions and products of floats are accumulated in long double and rounded
// once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/ir/node.h"
#include "compiler/ir/ops/evaluate.h"

namespace weft::ir {

// Row-major elements in storage format.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> data;
};

// Zeroed memory of the host. OutOfMemory, saying how much `what` takes, where the system does not grant it.
std::vector<std::byte> host_memory(size_t bytes, std::string_view what);
HostTensor zeros(const TensorType& type, std::string_view what);

// The outputs' values. `inputs` follow graph.inputs: an input node takes a tensor of its type (the node's
// strides and offset are not looked at), a scalar node one element of its dtype. Error when they do not
// match.
std::vector<HostTensor> interpret(const Graph& graph, std::span<const HostTensor> inputs);

// For who has an order of the graph's nodes, each after its inputs: the values of the nodes at `outputs`.
// `inputs` are the elements of the order's input and scalar nodes; `number` tells a node's place in it.
std::vector<HostTensor> interpret(std::span<const Node* const> order, std::span<const Elements> inputs,
                                  std::span<const size_t> outputs,
                                  const std::function<size_t(const Node*)>& number);

}  // namespace weft::ir
