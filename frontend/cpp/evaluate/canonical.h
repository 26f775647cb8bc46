// The recorded graph in the form in which programs are looked up: nodes numbered in topological order, inputs
// by first use, computed nodes cut to inputs, and constants that no pass looks at turned to scalar inputs, so
// that another constant finds the same program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/node.h"
#include "frontend/cpp/evaluate/node_numbers.h"
#include "frontend/cpp/evaluate/window.h"
#include "runtime/device.h"

namespace weft::detail {

// Of a constant that is asked for: so many are filled in the time that the interpreter takes to compute one.
constexpr int64_t kFilledElements = 1024;

struct Canonical {
  NodeNumbers numbers;
  std::vector<uint64_t> words;   // the structure
  std::vector<uint32_t> begins;  // of each node: where its words begin
  std::vector<const ir::Node*>
      order;                        // the graph's nodes, each after its inputs; input nodes where it was cut
  std::vector<ir::NodeRef> inputs;  // input nodes, in argument order
  std::vector<runtime::BufferRef> buffers;  // theirs
  std::vector<char> only_here;              // whether an input is no value that other graphs find on its node
  std::vector<Scalar> scalars;              // what a program is given, in order
  std::vector<uint32_t> scalar_nodes;       // the constants in `order` that became scalars, ascending
  // Of each of those the place among them of the first that has its value, type and line: itself mostly.
  // Empty where none has another's, or once they are to stay apart.
  std::vector<uint32_t> equals;
  std::vector<Window> windows;     // of inputs: see windows.h
  std::vector<int32_t> window_of;  // of each node the window that it is or that it takes a part of; -1: none
  std::vector<uint32_t> uses;      // of each node by others of the graph
  std::vector<uint32_t> depths;    // of each node
  // Of all nodes together. Constants count as one, but for large ones that are asked for.
  int64_t elements = 0;
  int64_t largest = 0;    // elements of a node, counted the same
  bool updates = false;   // whether there is an update, which may be written in place
  bool in_parts = false;  // whether an input is sliced or updated
  bool applies = false;   // functions of scalars, which only kernels and the interpreter compute

  // The place in `order` of a node, and of one that was cut to an input.
  size_t number_of(const ir::Node& node) const { return static_cast<size_t>(numbers.find(&node)); }
  bool holds(const ir::Node& node) const { return numbers.find(&node) >= 0; }
  // The window that a node is, or that it takes a part of; null where there is none, or none that is used.
  const Window* window(size_t node) const {
    const int32_t number = window_of.empty() ? -1 : window_of[node];
    return number >= 0 && windows[static_cast<size_t>(number)].used ? &windows[static_cast<size_t>(number)]
                                                                    : nullptr;
  }

  void clear();
  Hash key(uint64_t seed) const;
  // Makes equal numbers one scalar, and a part of the structure: to be asked for before anything is made of
  // it.
  void unite_equal_numbers();
};

// Fills `out`. The outputs must stay alive while it is used.
void canonicalize(std::span<const ir::NodeRef> outputs, Canonical& out);

// Makes nodes of the graph outputs, behind those that it has.
void add_outputs(std::span<const ir::NodeRef> nodes, Canonical& graph);

// How many nodes computing the output takes; counting ends above `limit`. 0 where it takes an argument of a
// function that is being recorded.
uint32_t count_nodes(const ir::NodeRef& output, uint32_t limit);

// The graph to compile: its inputs hold no buffers, and constants become scalar inputs as in the key.
ir::Graph graph_of(std::span<const ir::NodeRef> outputs, const Canonical& canonical);

// The outputs' values from the elements of `canonical.inputs`, one node after another.
std::vector<ir::HostTensor> interpreted(std::span<const ir::NodeRef> outputs, const Canonical& canonical,
                                        std::span<const ir::Elements> inputs);

// An input node for a value that lies in memory.
ir::NodeRef input_node(const ir::TensorType& type, runtime::BufferRef buffer);
// Null for an argument of a function that is being recorded, which has no value.
runtime::BufferRef buffer_of(const ir::Node& input);
// Of an array that was donated to a compiled function: value_of() says so.
ir::NodeRef donated_node(const ir::TensorType& type);
// As buffer_of(), but Error where there is no value.
runtime::BufferRef value_of(const ir::Node& input);

}  // namespace weft::detail
