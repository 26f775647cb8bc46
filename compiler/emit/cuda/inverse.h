// Division of numbers below 2^31 by one that the host knows: a product's upper word, shifted.
#pragma once

#include <bit>
#include <cstdint>

namespace weft::emit {

struct CudaInverse {
  uint32_t factor;
  int shift;
};

// Of 2 <= n < 2^31. With k the least for which 2^k >= n, factor is ceil(2^(31 + k) / n), which exceeds the
// ratio by less than 2^k / n <= 1 in 2^31 (Granlund and Montgomery, Division by invariant integers, 1994),
// and shift k - 1.
inline CudaInverse cuda_inverse(int64_t n) {
  const auto by = static_cast<uint64_t>(n);
  const int power = std::bit_width(by - 1);
  return {static_cast<uint32_t>(((uint64_t{1} << (31 + power)) + by - 1) / by), power - 1};
}

// As weft_quotient_by computes x / n in a kernel.
inline uint32_t divide_by(uint32_t x, const CudaInverse& n) {
  return static_cast<uint32_t>(uint64_t{x} * n.factor >> 32) >> n.shift;
}

}  // namespace weft::emit
