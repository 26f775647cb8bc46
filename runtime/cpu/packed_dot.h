// Products of f32 and f64 on processors with vectors of 512 bits, which come nearer to their peak than the
// library's: B is packed once, each strip by the thread that needs it first. An element of C is summed along
// k in parts of fixed length, whatever the tile that it is in: the same bits for any number of threads.
#pragma once

#include "runtime/cpu/cpu_dot.h"

namespace weft::runtime {

// Whether the processor has the instructions and the product is large enough to be packed.
bool packed_dot_applies(const Dot& what);

void packed_dot(const Dot& what, float* c, const float* a, const float* b, const ParallelFor& parallel,
                const Workspace& workspace);
void packed_dot(const Dot& what, double* c, const double* a, const double* b, const ParallelFor& parallel,
                const Workspace& workspace);

}  // namespace weft::runtime
