// Small products in vectors of every width against sums of multiply-adds in order: the bits are the same.
#include "runtime/cpu/small_dot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace weft::runtime {
namespace {

// Numbers of both signs whose products are rounded.
template <typename T>
std::vector<T> numbers(int64_t count) {
  std::vector<T> made;
  made.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) made.push_back(static_cast<T>(std::sin(static_cast<double>(i) * 1.7)));
  return made;
}

template <typename T>
void expect_bits_of_multiply_adds(int64_t m, int64_t n, int64_t k, bool transposed, bool wide) {
  constexpr int64_t kBatch = 3;
  const std::vector<T> a = numbers<T>(kBatch * m * k), b = numbers<T>(kBatch * k * n);
  std::vector<T> c(static_cast<size_t>(kBatch * m * n), T{7}), want = c;
  const SmallDots<T> what{.m = m,
                          .n = n,
                          .k = k,
                          .a = a.data(),
                          .row_a = transposed ? 1 : k,
                          .step_a = transposed ? m : 1,
                          .next_a = m * k,
                          .b = b.data(),
                          .row_b = transposed ? 1 : n,
                          .step_b = transposed ? k : 1,
                          .next_b = k * n,
                          .c = c.data(),
                          .row_c = n,
                          .next_c = m * n};
  for (int64_t at = 1; at < kBatch; ++at)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum = std::fma(what.a[at * what.next_a + i * what.row_a + p * what.step_a],
                         what.b[at * what.next_b + p * what.row_b + j * what.step_b], sum);
        want[static_cast<size_t>(at * m * n + i * n + j)] = sum;
      }
  small_dots(what, 1, kBatch, wide);  // the first of the batch is another thread's
  EXPECT_EQ(std::memcmp(c.data(), want.data(), c.size() * sizeof(T)), 0)
      << m << " x " << k << " x " << n << (transposed ? " transposed" : "") << (wide ? " wide" : "");
}

template <typename T>
void expect_bits_of_every_shape(bool wide) {
  for (const int64_t m : {1, 3, 4, 8, 9, 15, 32})
    for (int64_t n = 1; n <= 16; ++n)
      for (const int64_t k : {0, 1, 5, 32})
        for (const bool transposed : {false, true}) {
          ASSERT_TRUE(small_dot_applies(m, n, k));
          expect_bits_of_multiply_adds<T>(m, n, k, transposed, wide);
        }
}

TEST(SmallDot, HasTheBitsOfMultiplyAddsInOrder) {
  if (!small_dot_applies(1, 1, 1)) GTEST_SKIP() << "the processor has no AVX2";
  expect_bits_of_every_shape<float>(false);
  expect_bits_of_every_shape<double>(false);
}

TEST(SmallDot, HasTheSameBitsInVectorsOf64Bytes) {
  if (!small_dots_are_wide()) GTEST_SKIP() << "the processor has no AVX-512";
  expect_bits_of_every_shape<float>(true);
  expect_bits_of_every_shape<double>(true);
}

TEST(SmallDot, LeavesLargerProductsToLibraries) {
  EXPECT_FALSE(small_dot_applies(33, 4, 4));
  EXPECT_FALSE(small_dot_applies(4, 17, 4));
  EXPECT_FALSE(small_dot_applies(4, 4, 33));
}

}  // namespace
}  // namespace weft::runtime
