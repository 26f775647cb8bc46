// RowProgram + CpuSchedule -> C++ text for Clang: explicit vector types, every inner loop a `span` along the
// lane axis.
//
// A span function runs whole vectors only. What is left over at an end, or before an aligned store, is copied
// to a vector's worth of padded memory and runs through the same function, so that each body is compiled
// once.
#pragma once

#include "compiler/emit/emit.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"

namespace weft::emit {

// The program has been parameterized, and says which multiply-adds are rounded once.
Emitted emit_cpu(const plan::RowProgram& program, const plan::CpuSchedule& schedule);

}  // namespace weft::emit
