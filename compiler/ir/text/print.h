// Graphs as `.weft` text, which parse() reads back to a graph of the same hash (docs/ir.md describes the
// form). Printed text is fully explicit: every node is one line, every type is stated, every constant is
// exact.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/ir/node.h"

namespace weft::ir {

struct PrintOptions {
  bool lines = false;  // end each line with a comment that holds the node's provenance
};

std::string print(const Graph& graph, PrintOptions options = {});

// How each node of a graph is called in its text, with the percent sign: an input or scalar by its own name
// where that is an identifier and not taken, everything else numbered in the order of the text.
using ValueNames = std::unordered_map<const Node*, std::string>;
ValueNames value_names(const Graph& graph);

// The nodes in the order of the text: the graph's inputs, then what the outputs reach, each after its inputs.
std::vector<const Node*> text_order(const Graph& graph);

// "function name(%0 : f64) {", a line for each instruction, "}".
std::string print(const Function& function, std::string_view name);

// One line of the text, "%m = max %a, axes=[1] : f32[64]"; a node without a name is "%?".
std::string print(const Node& node, const ValueNames& names);

// The op with its operands and attributes, without the names of values: "max f32[64, 96], axes=[1]".
std::string describe(const Node& node);
// The op with its attributes alone: "max axes=[1]".
std::string label(const Node& node);

// The value as it stands after `constant`: shortest decimals that read back to the same bits.
std::string to_string(const Scalar& value);

}  // namespace weft::ir
