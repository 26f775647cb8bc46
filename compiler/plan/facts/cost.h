// What a scheduled row program does, counted by kind.
#pragma once

#include <cstdint>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/schedule.h"
#include "compiler/program/kernel_cost.h"

namespace weft::plan {

// All but the bytes of arrays and the launch, which who builds the step knows.
KernelCost cost_of(const RowProgram& program, const Schedule& schedule);

}  // namespace weft::plan
