// How fast a device's memory is: what kernels that compute little take is told by it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

// Bytes a second, read and written, of a copy that no cache holds: what WEFT_MEMORY_SPEED says, else what calibrate()
// kept in `cache`, which may be null. Else it is measured when it is first asked for, in some tens of milliseconds. 0
// where there is no memory to measure it with, or WEFT_CALIBRATION forbids it.
double memory_speed(const std::shared_ptr<runtime::Device>& device, runtime::KernelCache* cache);
// The same, measured now.
double measured_memory_speed(runtime::Device& device);
// CPU: the same of copies by all threads, each within `bytes` of its own. Throws where nothing can be compiled.
double measured_cache_speed(runtime::Device& device, size_t bytes);
// Of copies that took so many seconds each, of so many bytes: as the fastest quarter of them, as others were interrupted. 0
// of none.
double speed_of_copies(std::vector<double> seconds, size_t bytes);

}  // namespace weft::detail
