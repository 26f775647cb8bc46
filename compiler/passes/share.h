// Equal nodes become one, with the source lines of all.
//
//   before   %2 = exp %1   %3 = exp %1   %4 = add %2, %3
//   after    %2 = exp %1   %4 = add %2, %2
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph share(const ir::Graph& graph, const Options& options);

}  // namespace weft::passes
