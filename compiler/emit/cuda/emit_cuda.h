// RowProgram + CudaSchedule -> CUDA C++ text for NVRTC: one thread writes what it computes as scalars in
// unrolled loops, memory is touched in vectors where the program's numbers prove that it can be.
#pragma once

#include "compiler/emit/emit.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::emit {

// Buffers must begin at 16-byte boundaries. `contract` allows a multiplication and an addition to round once.
Emitted emit_cuda(const plan::RowProgram& program, const plan::CudaSchedule& schedule, bool contract = true);

}  // namespace weft::emit
