// How fast a device computes: the ceiling of kernels that compute much for each byte.
#pragma once

#include <memory>

#include "runtime/device.h"

namespace weft::detail {

// Operations a second of multiply-adds (each is two) of independent values in registers, on all threads. 0 where it
// cannot be measured: without a compiler.
struct ComputeSpeed {
  double f32 = 0, f64 = 0;
};
// Measured when it is first asked for, in some tens of milliseconds.
ComputeSpeed compute_speed(const std::shared_ptr<runtime::Device>& device);

}  // namespace weft::detail
