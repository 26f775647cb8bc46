// Speeds of machines in the cache of compiled kernels.
#pragma once

#include <optional>

#include "frontend/cpp/weft/calibrate.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::detail {

// What was kept for this very machine: its part's name, architecture, threads and caches. None where there is no cache,
// where the entry is damaged or of another version, or where WEFT_CALIBRATION forbids it.
std::optional<MachineSpeeds> kept_speeds(const runtime::DeviceInfo& machine, runtime::KernelCache* cache);
void keep_speeds(const runtime::DeviceInfo& machine, runtime::KernelCache& cache,
                 const MachineSpeeds& speeds);

// As they are kept, and back; none where a speed is missing or is no positive number.
std::string text_of(const MachineSpeeds& speeds);
std::optional<MachineSpeeds> speeds_of(std::string_view text);

}  // namespace weft::detail
