// Graph -> Program: the whole compiler, read top to bottom. Pure: the same graph, target and options give the
// same program.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ir/group.h"
#include "compiler/ir/node.h"
#include "compiler/options.h"
#include "compiler/program.h"

namespace weft {

Program compile(const ir::Graph& graph, const Target& target, const Options& options = {});

// The graph that compile() hands to fusion: every pass over graphs has run. For tools that show it.
ir::Graph prepare(const ir::Graph& graph, const Target& target, const Options& options = {});

// The passes over graphs, in order: what Options::without_passes may name.
std::vector<std::string_view> pass_names();

// Constants whose value the passes look at (0, 1, -1, 2, 0.5, NaN, the infinities, all bools and a few more)
// stay in a graph; every other one is better given as a scalar, so that another value needs no other program.
bool is_special(const Scalar& value);

}  // namespace weft
