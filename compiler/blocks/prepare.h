// RowProgram + CpuSchedule -> BlockProgram: statements become loops over blocks of elements. Fast, as nothing
// is compiled: some microseconds for a program of ten statements.
#pragma once

#include "compiler/emit/cpu/layout.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/program/blocks.h"

namespace weft::blocks {

// The program is scheduled, and says which multiply-adds are rounded once. What runs gives the bits of the
// kernel that emit_cpu writes of the same two. `layout`: that kernel's, where it is known already.
BlockProgram prepare(const plan::RowProgram& program, const plan::CpuSchedule& schedule);
BlockProgram prepare(const plan::RowProgram& program, const plan::CpuSchedule& schedule,
                     const emit::cpu::CpuLayout& layout);

}  // namespace weft::blocks
