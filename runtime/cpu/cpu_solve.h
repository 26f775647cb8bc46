// Linear equations by OpenBLAS: the matrix is factored on one thread, the right-hand sides are shared by the
// device's threads in pieces that depend on the problem only.
#pragma once

#include "compiler/base/dtype.h"
#include "runtime/cpu/parallel_for.h"

namespace weft::runtime {

// As Device::solve, for f32, f64, c64 and c128.
bool cpu_solve(DType dtype, int64_t n, int64_t columns, void* a, void* b, const ParallelFor& parallel);

}  // namespace weft::runtime
