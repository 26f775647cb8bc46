// plan_batch(): how each statement of a sweep's body reaches memory, and when.
#pragma once

#include "compiler/emit/cuda/layout.h"

namespace weft::emit {

// Of the layout its facts, vectors, cluster and shape are
// read.
Batch plan_batch(const plan::RowProgram& program, const CudaLayout& layout, const plan::Sweep& sweep,
                 int number, const BatchSize& size, bool totals_scans);

// Finds sums whose reciprocal roots need no care for subnormals, and when.
void find_normal_sums(const plan::RowProgram& program, const CudaLayout& layout, Batch& batch);

// What decides the guards within the sweep's body; false where a load does.
bool slice_of(const CudaLayout& layout, const plan::Sweep& sweep, const std::vector<plan::Value>& guards,
              std::set<plan::Value>& out);

// Where a vector along the lane axis begins among aligned ones: as vector_phase.
int phase_of(const plan::RowProgram& program, const VectorLayout& vectors, const plan::Index& at, int lanes);

}  // namespace weft::emit
