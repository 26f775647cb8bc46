// Which schedules the emitter refuses: combinations that no scheduler makes and for which there is no kernel.
#pragma once

#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::emit {

// InternalError where the schedule cannot run the program.
void check_schedule(const plan::RowProgram& program, const plan::CudaSchedule& schedule);

}  // namespace weft::emit
