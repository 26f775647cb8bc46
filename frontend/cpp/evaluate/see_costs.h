// Looks for avoidable costs in a program that runs while a profile does.
#pragma once

#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/costs_seen.h"
#include "runtime/executor.h"

namespace weft::detail {

// `lines`: of this run, where the program was compiled for others; null: the program's own.
void see_costs(const Canonical& graph, const Program& program, const runtime::LinesNow* lines,
               CostsSeen& seen);

}  // namespace weft::detail
