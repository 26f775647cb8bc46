// Graph -> Program: the whole compiler, read top to bottom. Pure: the same graph, target and options give the
// same program.
#pragma once

#include "compiler/ir/group.h"
#include "compiler/ir/node.h"
#include "compiler/options.h"
#include "compiler/program.h"

namespace weft {

Program compile(const ir::Graph& graph, const Target& target, const Options& options = {});

// Constants whose value the passes look at (0, 1, -1, 2, 0.5, NaN, the infinities, all bools and a few more)
// stay in a graph; every other one is better given as a scalar, so that another value needs no other program.
bool is_special(const Scalar& value);

}  // namespace weft
