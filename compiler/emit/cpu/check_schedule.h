// What a schedule's type cannot say: whether it is one for this program.
#pragma once

#include "compiler/plan/schedule/cpu/cpu_schedule.h"

namespace weft::emit::cpu {

// InternalError where the program does not allow what the schedule asks for.
void check_schedule(const plan::RowProgram& program, const plan::CpuSchedule& schedule);

}  // namespace weft::emit::cpu
