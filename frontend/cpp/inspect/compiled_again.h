// Lines that were planned for the same kinds of operations again and again while a profile ran, and what was new each time.
#pragma once

#include <vector>

#include "frontend/cpp/inspect/profiled.h"

namespace weft::detail {

constexpr const char* kCompiledAgain = "compiled again";

// What was planned once or twice is nothing to change. The first of each counts for no time.
std::vector<ProfileAdvice> on_compiled_again(const Profiled& profiled);

}  // namespace weft::detail
