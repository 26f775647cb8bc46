// Rows in order against std::stable_sort by a comparison that knows NaN, bit for bit.
#include "runtime/cpu/sort_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

namespace weft::runtime {
namespace {

// In many ranges, from the last to the first: what is shared must not depend on the order.
const ParallelFor kInRanges = [](int64_t count, int64_t grain,
                                 const std::function<void(int64_t, int64_t)>& body) {
  const int64_t ranges = std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, 7);
  for (int64_t i = ranges; i-- > 0;) body(i * count / ranges, (i + 1) * count / ranges);
};

template <class T>
bool before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

template <class T>
constexpr DType kDType = std::is_same_v<T, double>     ? DType::F64
                         : std::is_same_v<T, float>    ? DType::F32
                         : std::is_same_v<T, int64_t>  ? DType::I64
                         : std::is_same_v<T, uint64_t> ? DType::U64
                         : std::is_same_v<T, int32_t>  ? DType::I32
                         : std::is_same_v<T, uint32_t> ? DType::U32
                         : std::is_same_v<T, int16_t>  ? DType::I16
                         : std::is_same_v<T, uint16_t> ? DType::U16
                         : std::is_same_v<T, int8_t>   ? DType::I8
                                                       : DType::U8;

// Random bits; the same few; ordered downwards; far apart with many that differ in their last bits alone.
enum class Draw : uint8_t { Bits, Few, Down, Apart };

template <class T>
std::vector<T> draw(Draw how, size_t count) {
  std::mt19937_64 random(count);
  std::vector<T> out(count);
  for (T& one : out) {
    const uint64_t bits = random();
    std::memcpy(&one, &bits, sizeof(T));  // of floats: NaN of both signs, infinities, subnormal numbers
    if (how == Draw::Few) {
      const auto small = static_cast<T>(static_cast<T>(bits % 5) - static_cast<T>(2));
      one = bits >> 60 ? small : static_cast<T>(-small * T{0});
    } else if (how == Draw::Apart) {
      using Limits = std::numeric_limits<T>;
      const T large = bits % 64 == 1 && Limits::has_infinity ? Limits::infinity() : Limits::max();
      one = bits % 2 ? large : static_cast<T>(static_cast<T>(bits % 1000) * Limits::min());
      if (std::is_integral_v<T>) one = static_cast<T>(one - static_cast<T>(bits % 99));
    }
  }
  if (how == Draw::Down) std::sort(out.begin(), out.end(), [](T a, T b) { return before(b, a); });
  return out;
}

template <class T>
auto bytes(T value) {
  return std::bit_cast<std::array<uint8_t, sizeof(T)>>(value);
}

template <class T>
class SortRows : public testing::Test {};
using Numbers =
    testing::Types<double, float, int64_t, uint64_t, int32_t, uint32_t, int16_t, uint16_t, int8_t, uint8_t>;
TYPED_TEST_SUITE(SortRows, Numbers);

TYPED_TEST(SortRows, AreStableAndHaveNanLast) {
  using T = TypeParam;
  for (const Draw how : {Draw::Bits, Draw::Few, Draw::Down, Draw::Apart})
    for (const SortedRows rows : {SortedRows{kDType<T>, 1, 1},
                                  {kDType<T>, 3, 2},
                                  {kDType<T>, 60, 333},
                                  {kDType<T>, 2, 40'000},
                                  {kDType<T>, 1, 540'001}})
      for (const int threads : {1, 8}) {
        const auto length = static_cast<size_t>(rows.length);
        const std::vector<T> values = draw<T>(how, static_cast<size_t>(rows.count) * length);
        std::vector<T> sorted = values;
        std::vector<int64_t> positions(values.size());
        sort_rows(rows, sorted.data(), threads, kInRanges);
        positions_of_rows(rows, values.data(), positions.data(), threads, kInRanges);
        for (size_t first = 0; first < values.size(); first += length) {
          const T* row = values.data() + first;
          std::vector<int64_t> want(length);
          std::iota(want.begin(), want.end(), 0);
          std::stable_sort(want.begin(), want.end(),
                           [&](int64_t a, int64_t b) { return before(row[a], row[b]); });
          ASSERT_TRUE(
              std::equal(want.begin(), want.end(), positions.begin() + static_cast<ptrdiff_t>(first)));
          for (size_t i = 0; i < length; ++i)
            ASSERT_EQ(bytes(sorted[first + i]), bytes(row[want[i]]))
                << "element " << i << " of " << length << ", draw " << static_cast<int>(how) << ", "
                << threads << " threads";
        }
      }
}

// Halves by their bits: infinities, NaN of both signs, zeros of both signs and subnormal numbers among them.
TEST(SortRowsOfHalves, FollowTheirValues) {
  for (const auto& [dtype, infinity] :
       {std::pair{DType::F16, uint16_t{0x7c00}}, {DType::BF16, uint16_t{0x7f80}}}) {
    std::vector<uint16_t> bits(1 << 16);
    std::iota(bits.begin(), bits.end(), uint16_t{0});
    std::shuffle(bits.begin(), bits.end(), std::mt19937(1));
    const auto key = [infinity](uint16_t one) {
      const int magnitude = one & 0x7fff;
      return magnitude > infinity ? 1 << 16 : one & 0x8000 ? -magnitude : magnitude;
    };
    std::vector<uint16_t> want = bits;
    std::stable_sort(want.begin(), want.end(), [&](uint16_t a, uint16_t b) { return key(a) < key(b); });
    sort_rows({dtype, 1, std::ssize(bits)}, bits.data(), 2, kInRanges);
    EXPECT_EQ(bits, want);
  }
}

}  // namespace
}  // namespace weft::runtime
