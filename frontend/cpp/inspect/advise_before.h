// What is advised on a program before it runs: times are its bytes over the speed of memory.
#pragma once

#include <vector>

#include "compiler/explain.h"
#include "frontend/cpp/session/costs_seen.h"
#include "frontend/cpp/weft/profile.h"

namespace weft::detail {

// The most time first; `memory_speed` is in bytes a second, and 0 where no time is to be estimated.
std::vector<ProfileAdvice> advice_on(const Program& program, const std::vector<CostSeen>& costs,
                                     double memory_speed);

}  // namespace weft::detail
