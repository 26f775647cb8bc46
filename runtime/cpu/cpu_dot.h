// Matrix products, the same bits for any number of threads. Those of a few rows are our own (few_rows_dot.h),
// and those of f32 and f64 where vectors have 512 bits (packed_dot.h). Others are OpenBLAS's, cut into tiles
// that depend on the problem only: the device's threads share the tiles and OpenBLAS runs single-threaded
// beneath them, so that two pools do not compete for the processors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/device.h"

namespace weft::runtime {

// Calls `body(begin, end)` so that [0, count) is covered once, in ranges of at least `grain` where there are
// that many; the calls may run at the same time.
using ParallelFor =
    std::function<void(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body)>;

// Memory of so many bytes, aligned to a line of the cache.
using Workspace = std::function<std::shared_ptr<void>(size_t bytes)>;

bool cpu_supports_dot(DType dtype);
// Throws TypeError for another dtype, Error for extents that OpenBLAS's 32-bit integers cannot hold.
void cpu_dot(const Dot& what, void* c, const void* a, const void* b, const ParallelFor& parallel,
             const Workspace& workspace);

}  // namespace weft::runtime
