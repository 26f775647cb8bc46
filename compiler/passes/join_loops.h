// A loop whose results another loop on the same operands gives as well is that other loop: a scan, and the one of its
// derivative that keeps what it carried. Before: scan {c -> c * x}, scan {c -> c * x, stacked c}. After: the second.
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph join_loops(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
