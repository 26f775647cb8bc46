// How a device is opened by its name.
#pragma once

#include <memory>

#include "compiler/program/options.h"
#include "frontend/cpp/session/device_name.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

// Opens the device; Error when it cannot be had. `threads`: of the CPU; 0: all that the process may use. `cache` may
// be null; `counters` outlives the device.
std::shared_ptr<runtime::Device> open_device(const DeviceName& name, int threads,
                                             std::shared_ptr<runtime::KernelCache> cache,
                                             runtime::Counters& counters);
// What kernels are made for on a device of this kind.
Target target_of(TargetKind kind, const runtime::DeviceInfo& info);

}  // namespace weft::detail
