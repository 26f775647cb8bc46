// Makes a failing graph small: what a fuzzer reports instead of the graph that it drew.
#pragma once

#include <functional>

#include "compiler/ir/node.h"

namespace weft::test {

// A graph for which `still_fails` holds, like the one given, from which nothing more can be taken: no output
// dropped or moved to an operand, no value made the only output, no node replaced by an operand of its type
// or by a new input (named "cut0", …). Unused inputs go as well. Asks about as often as the graph has nodes,
// a few times over.
ir::Graph shrink(ir::Graph graph, const std::function<bool(const ir::Graph&)>& still_fails);

}  // namespace weft::test
