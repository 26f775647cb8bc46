// Looks for avoidable costs in a program and the graph that it was made of.
#pragma once

#include <span>

#include "compiler/ir/node.h"
#include "frontend/cpp/session/costs_seen.h"
#include "runtime/executor.h"

namespace weft::detail {

// `lines`: of this run, where the program was compiled for others; null: the program's own.
void see_costs(std::span<const ir::Node* const> nodes, const Program& program, const runtime::LinesNow* lines,
               CostsSeen& seen);

}  // namespace weft::detail
