// Devices by their names: what names there are, and how one is opened.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compiler/program/options.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

struct DeviceName {
  TargetKind kind = TargetKind::Cpu;
  int ordinal = 0;  // of a GPU

  std::string text() const;  // "cpu", "cuda:0"
};
// Error for what is neither cpu, cuda nor cuda:N.
DeviceName device_named(std::string_view name);

// Opens the device; Error when it cannot be had. `threads`: of the CPU; 0: all that the process may use. `cache` may
// be null; `counters` outlives the device.
std::shared_ptr<runtime::Device> open_device(const DeviceName& name, int threads,
                                             std::shared_ptr<runtime::KernelCache> cache,
                                             runtime::Counters& counters);
// What kernels are made for on a device of this kind.
Target target_of(TargetKind kind, const runtime::DeviceInfo& info);

}  // namespace weft::detail
