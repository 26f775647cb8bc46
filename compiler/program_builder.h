// Graph after all passes -> Program: groups become kernels, library steps become calls, and each value that
// is stored gets a buffer.
#pragma once

#include "compiler/ir/group.h"
#include "compiler/ir/node.h"
#include "compiler/loop_program.h"
#include "compiler/program/explanation.h"
#include "compiler/program/options.h"
#include "compiler/program/program.h"

namespace weft {

// `partition`: what fusion made of the graph. `explanation` gets what was decided; Program::explanation is left to the caller.
Program build_program(const ir::Graph& graph, const ir::Partition& partition, const Target& target,
                      const Options& options, const Bodies& bodies, Explanation& explanation);

}  // namespace weft
