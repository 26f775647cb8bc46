// Looks for avoidable costs in a program and the graph that it was made of.
#pragma once

#include <span>

#include "compiler/ir/node.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/session/session_state.h"
#include "runtime/executor.h"

namespace weft::detail {

// `lines`: of this run, where the program was compiled for others; null: the program's own.
void see_costs(std::span<const ir::Node* const> nodes, const Program& program, const runtime::LinesNow* lines,
               CostsSeen& seen);

// Looks through a few elements of each array for floats that are too small for the usual form: operations on them are
// slow on a CPU. Arrays that the host does not see are left alone. Of results the lines that make them are named.
void see_denormals(std::span<const ir::NodeRef> nodes, std::span<const runtime::BufferRef> results,
                   CostsSeen& seen);
// Of what a graph reads, the lines that compute with it.
void see_denormals(const Canonical& graph, CostsSeen& seen);
// The program holds so many values at once that registers do not hold them: as the compiler says on a GPU, and by
// counting values on a CPU.
void see_spills(const ir::Graph& graph, const runtime::Executable& program, DeviceSlot& device,
                CostsSeen& seen);
// The program is given to more threads than there are processors for.
void see_oversubscription(const Program& program, const runtime::Device& device,
                          const runtime::LinesNow* lines, CostsSeen& seen);

}  // namespace weft::detail
