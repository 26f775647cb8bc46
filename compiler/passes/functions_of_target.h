// Functions of scalars whose author wrote another text for CUDA become that, also in the bodies of loops.
// Before: function f {…} cuda {…}, apply f. After, on CUDA: apply of the second.
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph functions_of_target(const ir::Graph& graph, const Target& target, const Options& options);

}  // namespace weft::passes
