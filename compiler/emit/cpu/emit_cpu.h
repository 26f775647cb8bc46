// RowProgram + CpuSchedule -> C++ text for Clang: explicit vector types, every inner loop a `span` along the
// lane axis.
//
// lay_out() decides everything (layout.h). Then one function for each shape writes the loops of an entry
// (shapes.h), and a span at each innermost place (span.h).
#pragma once

#include "compiler/emit/cpu/layout.h"
#include "compiler/emit/emit.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"

namespace weft::emit {

// The program has been parameterized, and says which multiply-adds are rounded once.
Emitted emit_cpu(const plan::RowProgram& program, const plan::CpuSchedule& schedule);
// The same of a layout that is known already.
Emitted emit_cpu(const plan::RowProgram& program, const plan::CpuSchedule& schedule,
                 const cpu::CpuLayout& layout);

}  // namespace weft::emit
