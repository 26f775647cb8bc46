// How fast a device computes: the ceiling of kernels that compute much for each byte.
#pragma once

#include <memory>

#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

// Operations a second of multiply-adds (each is two) of independent values in registers, on all threads. 0 where it
// cannot be measured: without a compiler.
struct ComputeSpeed {
  double f32 = 0, f64 = 0;
};
// What calibrate() kept in `cache`, which may be null. Else it is measured when it is first asked for, in some tens of
// milliseconds. 0 where WEFT_CALIBRATION forbids it.
ComputeSpeed compute_speed(const std::shared_ptr<runtime::Device>& device, runtime::KernelCache* cache);

// The same, measured now, with what starting costs. Throws where nothing can be compiled.
struct OperationSpeeds {
  ComputeSpeed multiply_adds;
  double divisions = 0, square_roots = 0;  // of f32, a second, on all threads
  double launch_seconds = 0,
         task_seconds = 0;  // of a kernel that does nothing, and of each of its tasks, on all threads
};
OperationSpeeds measured_operations(runtime::Device& device);

}  // namespace weft::detail
