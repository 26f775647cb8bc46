// How the CPU's libraries share work among the device's threads.
#pragma once

#include <cstdint>
#include <functional>

namespace weft::runtime {

// Calls `body(begin, end)` so that [0, count) is covered once, in ranges of at least `grain` where there are
// that many; the calls may run at the same time.
using ParallelFor =
    std::function<void(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body)>;

}  // namespace weft::runtime
