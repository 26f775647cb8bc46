// How fast a device's memory is: what kernels that compute little take is told by it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/device.h"

namespace weft::detail {

// Bytes a second, read and written, of a copy that no cache holds. Measured when it is first asked for, in some tens
// of milliseconds, unless WEFT_MEMORY_SPEED says it. 0 where there is no memory to measure it with.
double memory_speed(const std::shared_ptr<runtime::Device>& device);
// The same, measured now.
double measured_memory_speed(runtime::Device& device);
// Of copies that took so many seconds each, of so many bytes: as the fastest quarter of them, as others were interrupted. 0
// of none.
double speed_of_copies(std::vector<double> seconds, size_t bytes);

}  // namespace weft::detail
