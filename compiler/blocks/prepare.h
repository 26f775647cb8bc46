// RowProgram + CpuSchedule -> BlockProgram: statements become loops over blocks of elements. Fast, as nothing
// is compiled: some microseconds for a program of ten statements.
#pragma once

#include <string>
#include <variant>

#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/program/blocks.h"

namespace weft::blocks {

// Why a program has no blocks.
struct Refusal {
  std::string reason;
};

// The program is scheduled, and says which multiply-adds are rounded once. What runs gives the bits of the
// kernel that emit_cpu writes of the same two.
std::variant<BlockProgram, Refusal> prepare(const plan::RowProgram& program,
                                            const plan::CpuSchedule& schedule);

}  // namespace weft::blocks
