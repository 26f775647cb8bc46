// Matrix products by OpenBLAS, large ones of f32 by oneDNN, cut into tiles that depend on the problem only:
// the same bits for any number of threads. The device's threads share the tiles and the library runs
// single-threaded beneath them, so that two pools do not compete for the processors. Products of a few rows
// are our own (few_rows_dot.h).
#pragma once

#include "runtime/cpu/parallel_for.h"
#include "runtime/device.h"

namespace weft::runtime {

bool cpu_supports_dot(DType dtype);
// Throws TypeError for another dtype, Error for extents that OpenBLAS's 32-bit integers cannot hold.
void cpu_dot(const Dot& what, void* c, const void* a, const void* b, const ParallelFor& parallel);

}  // namespace weft::runtime
