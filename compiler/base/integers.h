// Quotients and multiples of counts, rounded up.
#pragma once

#include <cstdint>

namespace weft {

inline constexpr int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_divide(a, b) * b; }

}  // namespace weft
