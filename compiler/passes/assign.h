// Lets updates write in place where nothing needs the old value any more. It may be memory that the caller
// gives away (Options::donated), or a large computed value of which a small part is replaced, unless its
// kernel had better go on to what reads the result.
// Each update of the chain becomes an `assign`, whose kernel covers the replaced range alone.
//
//   before   %2 = update %a, %1, starts=[1], steps=[1]     with input a donated
//   after    %2 = assign %a, %1, starts=[1], steps=[1]
#pragma once

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::passes {

ir::Graph assign_in_place(const ir::Graph& graph, const Target& target, const Options& options);

// The same graph with updates for its assigns, which a text may hold: other passes would have to keep what
// makes writing in place right.
ir::Graph as_updates(const ir::Graph& graph, const Target& target = {}, const Options& options = {});

}  // namespace weft::passes
