// Rows that lie one behind the other, so that those of a block can pass through shared memory as one run.
#pragma once

#include <cstdint>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/cuda/budget.h"
#include "compiler/plan/schedule/cuda/vectors.h"

namespace weft::plan::cuda {

// Bytes of the widest row of those that lie one behind the other; 0 where none do.
int64_t bundled_bytes(const RowProgram& program, int lane_axis);

// Whether such rows are narrow, and so many that a thread for each fills the device.
bool can_bundle(const RowProgram& program, const Budget& budget, const Vectors& vectors);

}  // namespace weft::plan::cuda
