// calibrate() and machine_facts() of a device that is open.
#pragma once

#include <memory>

#include "frontend/cpp/weft/calibrate.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

// `cache` may be null: then no speeds are known.
MachineFacts facts_of(const runtime::Device& device, runtime::KernelCache* cache);
// Measured now, and kept in `cache` where there is one.
MachineFacts calibrated(const std::shared_ptr<runtime::Device>& device, runtime::KernelCache* cache);

}  // namespace weft::detail
