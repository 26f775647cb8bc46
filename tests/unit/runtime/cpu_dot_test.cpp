// Matrix products and linear equations on the CPU, by OpenBLAS or without it, against plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cpu/cpu_dot.h"

namespace weft::runtime {
namespace {

using testing::HasSubstr;

std::shared_ptr<Device> make_device(Counters& counters, const CpuOptions& options = {}) {
  return make_cpu_device(options, nullptr, counters);
}

std::string refusal(Device& device, const Dot& product) {
  float x[4] = {};
  try {
    device.dot(product, x, x, x);
  } catch (const std::exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

template <typename T>
constexpr DType kDTypeOf = std::is_same_v<T, float>                 ? DType::F32
                           : std::is_same_v<T, double>              ? DType::F64
                           : std::is_same_v<T, std::complex<float>> ? DType::C64
                                                                    : DType::C128;

template <typename T>
class CpuDot : public testing::Test {
 public:
  // Small whole numbers, whose products and sums are exact in every dtype.
  static std::vector<T> values(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> result(count);
    for (T& value : result) {
      const int a = static_cast<int>(random() % 7) - 3, b = static_cast<int>(random() % 5) - 2;
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(a);
      else
        value = T(static_cast<typename T::value_type>(a), static_cast<typename T::value_type>(b));
    }
    return result;
  }

  // Compares with three plain loops; rows are `pad` elements further apart than they are long, and the
  // elements between must not change.
  static void check(const std::shared_ptr<Device>& device, int64_t batch, int64_t m, int64_t n, int64_t k,
                    bool ta, bool tb, int64_t pad, bool repeat_b = false) {
    Dot d{kDTypeOf<T>, batch, m, n, k, ta, tb, 0, 0, 0, 0, 0, 0};
    d.lda = (ta ? m : k) + pad;
    d.ldb = (tb ? k : n) + pad;
    d.ldc = n + pad;
    d.stride_a = (ta ? k : m) * d.lda;
    d.stride_b = repeat_b ? 0 : (tb ? n : k) * d.ldb;
    d.stride_c = m * d.ldc;
    const auto a = values(static_cast<size_t>(batch * d.stride_a), 1);
    const auto b = values(static_cast<size_t>((repeat_b ? 1 : batch) * (tb ? n : k) * d.ldb), 2);
    const T untouched = static_cast<T>(12345), poison = static_cast<T>(NAN);
    std::vector<T> c(static_cast<size_t>(batch * d.stride_c), untouched);
    for (int64_t row = 0; row < batch * m; ++row)
      for (int64_t j = 0; j < n; ++j) c[static_cast<size_t>(row * d.ldc + j)] = poison;
    device->dot(d, c.data(), a.data(), b.data());
    for (int64_t s = 0; s < batch; ++s)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < d.ldc; ++j) {
          T expected = untouched;
          if (j < n) {
            expected = 0;
            for (int64_t p = 0; p < k; ++p)
              expected += a[static_cast<size_t>(s * d.stride_a + (ta ? p * d.lda + i : i * d.lda + p))] *
                          b[static_cast<size_t>(s * d.stride_b + (tb ? j * d.ldb + p : p * d.ldb + j))];
          }
          ASSERT_EQ(c[static_cast<size_t>(s * d.stride_c + i * d.ldc + j)], expected)
              << "batch " << batch << " m " << m << " n " << n << " k " << k << " ta " << ta << " tb " << tb
              << " pad " << pad << " at " << s << ", " << i << ", " << j;
        }
  }
};

using DotTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CpuDot, DotTypes);

TYPED_TEST(CpuDot, AgreesWithPlainLoops) {
  Counters counters;
  for (int threads : {1, 3}) {
    const auto device = make_device(counters, {.threads = threads});
    for (bool ta : {false, true})
      for (bool tb : {false, true})
        for (int64_t pad : {0, 3})
          for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                                 {1, 1, 50},
                                 {1, 40, 30},
                                 {40, 1, 30},
                                 {17, 1, 1},
                                 {3, 5, 7},
                                 {33, 65, 20},
                                 {5, 4, 1},
                                 {2, 3, 0},
                                 {1, 3, 0},
                                 {0, 4, 3},
                                 {4, 0, 3}})
            for (int64_t batch : {0, 1, 3}) TestFixture::check(device, batch, m, n, k, ta, tb, pad);
  }
}

TYPED_TEST(CpuDot, InnerProductsHaveTheSameBitsWhereverTheirVectorsLie) {
  using T = TypeParam;
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  for (const int64_t k : {1, 5, 16, 33, 100, 257, 1000, 20000}) {
    constexpr int64_t kApart = 7;
    std::vector<T> a(static_cast<size_t>(k)), b(a.size()), apart_a(a.size() * kApart, static_cast<T>(NAN)),
        apart_b = apart_a;
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = apart_a[i * kApart] = static_cast<T>(std::sin(static_cast<double>(i) + 0.5));
      b[i] = apart_b[i * kApart] = static_cast<T>(std::cos(static_cast<double>(i) * 1.7));
    }
    const auto product = [&](bool far_a, bool far_b) {
      const Dot what{kDTypeOf<T>,        1, 1, 1, k, far_a, false, far_a ? kApart : k,
                     far_b ? kApart : 1, 1, 0, 0, 0};
      T c{};
      device->dot(what, &c, far_a ? apart_a.data() : a.data(), far_b ? apart_b.data() : b.data());
      return c;
    };
    for (const bool far_a : {false, true})
      for (const bool far_b : {false, true})
        EXPECT_EQ(product(far_a, far_b), product(false, false)) << k << " " << far_a << " " << far_b;
  }
}

TYPED_TEST(CpuDot, TilesOfLargeProductsMeet) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  TestFixture::check(device, 1, 523, 701, 16, false, false, 0);
  TestFixture::check(device, 1, 523, 701, 16, true, true, 5);
  TestFixture::check(device, 1, 523, 701, 40, true, false, 5);
  TestFixture::check(device, 2, 300, 401, 50, false, true, 0);
  // Strips of whole rows, where oneDNN multiplies.
  TestFixture::check(device, 1, 523, 2001, 60, false, false, 3);
  TestFixture::check(device, 2, 1041, 300, 60, true, true, 0);
  TestFixture::check(device, 1, 3000, 20, 8, false, true, 1);
  TestFixture::check(device, 1, 20, 3000, 8, true, false, 0);
  TestFixture::check(device, 1, 1, 900, 400, false, false, 2);
  TestFixture::check(device, 1, 900, 1, 400, true, false, 2);
}

// Every extent that is computed in registers, and those just beyond.
TYPED_TEST(CpuDot, SmallProductsInBatches) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 3});
  for (int64_t m : {1, 2, 3, 4, 5, 32, 33})
    for (int64_t n = 1; n <= 17; ++n)
      for (int64_t k : {0, 1, 3, 4, 32, 33})
        TestFixture::check(device, 3, m, n, k, (m + n) % 2 == 0, n % 3 == 0, (m + k) % 3);
  TestFixture::check(device, 30'000, 4, 4, 4, false, false, 0);
  TestFixture::check(device, 20'001, 3, 1, 3, false, true, 1);
}

// X.T @ X and X @ X.T of one memory, against the product of X and a copy.
TYPED_TEST(CpuDot, MatricesWithTheirOwnTranspose) {
  Counters counters;
  const TypeParam untouched = static_cast<TypeParam>(12345);
  for (int threads : {1, 3}) {
    const auto device = make_device(counters, {.threads = threads});
    for (bool ta : {false, true})
      for (int64_t pad : {0, 2})
        for (auto [n, k] : {std::array<int64_t, 2>{1, 40},
                            {12, 12},
                            {13, 100},

                            {193, 50},
                            {500, 20},
                            {100, 5000},
                            {31, 9001},
                            {385, 40}}) {
          const int64_t ld = (ta ? n : k) + pad, ldc = n + pad;
          const auto x = TestFixture::values(static_cast<size_t>((ta ? k : n) * ld), 4);
          const auto copy = x;  // NOLINT(performance-unnecessary-copy-initialization): other memory
          std::vector<TypeParam> c(static_cast<size_t>(n * ldc), untouched), expected = c;
          const Dot d{kDTypeOf<TypeParam>, 1, n, n, k, ta, !ta, ld, ld, ldc, 0, 0, 0};
          device->dot(d, c.data(), x.data(), x.data());
          device->dot(d, expected.data(), x.data(), copy.data());
          ASSERT_EQ(c, expected) << n << " of " << k << ", transposed " << ta << ", pad " << pad;
        }
  }
}

TYPED_TEST(CpuDot, OwnTransposesHaveTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (auto [n, k] : {std::array<int64_t, 2>{100, 20'000}, {300, 400}}) {
    std::vector<TypeParam> x(static_cast<size_t>(n * k));
    for (TypeParam& one : x) one = normal(random);
    std::vector<std::vector<TypeParam>> results;
    for (int threads : {1, 2, 7}) {
      Counters counters;
      auto& c = results.emplace_back(static_cast<size_t>(n * n));
      make_device(counters, {.threads = threads})
          ->dot({kDTypeOf<TypeParam>, 1, n, n, k, true, false, n, n, n, 0, 0, 0}, c.data(), x.data(),
                x.data());
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j)
          ASSERT_EQ(c[static_cast<size_t>(i * n + j)], c[static_cast<size_t>(j * n + i)]);
    }
    for (const auto& c : results)
      EXPECT_EQ(std::memcmp(c.data(), results[0].data(), c.size() * sizeof(TypeParam)), 0);
  }
}

TEST(CpuDotTiles, AreEnoughForManyThreads) {
  struct {
    int64_t m, n, k, tiles;
  } cases[] = {{60, 60, 60, 1},      {256, 256, 256, 16}, {512, 512, 4096, 16}, {1024, 1024, 128, 64},
               {512, 2048, 512, 16}, {4096, 512, 64, 64}, {20, 60'000, 50, 59}, {60'000, 20, 50, 59}};
  for (auto& [m, n, k, tiles] : cases) {
    const size_t largest = static_cast<size_t>(std::max({m * n, m * k, k * n}));
    std::vector<double> a(largest), b(largest), c(largest);
    int64_t pieces = 0;
    cpu_dot({DType::F64, 1, m, n, k, false, false, k, n, n, 0, 0, 0}, c.data(), a.data(), b.data(),
            [&](int64_t count, int64_t, const std::function<void(int64_t, int64_t)>&) { pieces = count; });
    EXPECT_EQ(pieces, tiles) << m << " x " << k << " x " << n;
  }
}

TYPED_TEST(CpuDot, LongSumsAreCutAndJoined) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  TestFixture::check(device, 1, 1, 1, 100'001, false, false, 0);
  TestFixture::check(device, 1, 1, 1, 70'000, true, true, 1);
  TestFixture::check(device, 2, 3, 2, 66'000, true, false, 1);
}

TYPED_TEST(CpuDot, FewRowsWithALargeMatrix) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 3});
  for (int64_t m : {2, 4, 5, 10, 11})
    for (bool ta : {false, true}) {
      TestFixture::check(device, 1, m, 4099, 37, ta, false, 3);
      TestFixture::check(device, 2, m, 3, 30'001, ta, false, 0);
      TestFixture::check(device, 1, m, 136, 517, ta, false, 0, true);
    }
}

TYPED_TEST(CpuDot, BatchesMayRepeatAnOperand) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  TestFixture::check(device, 300, 4, 4, 4, false, false, 0, true);
  TestFixture::check(device, 100, 7, 1, 9, false, true, 1, true);
}

TYPED_TEST(CpuDot, GivesTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (auto [m, n, k, tb] :
       {std::tuple<int64_t, int64_t, int64_t, bool>{600, 600, 600, true}, {7, 9001, 300, false}}) {
    std::vector<TypeParam> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n));
    for (TypeParam& x : a) x = normal(random);
    for (TypeParam& x : b) x = normal(random);
    std::vector<std::vector<TypeParam>> results;
    for (int threads : {1, 2, 7}) {
      Counters counters;
      std::vector<TypeParam> c(static_cast<size_t>(m * n));
      make_device(counters, {.threads = threads})
          ->dot({kDTypeOf<TypeParam>, 1, m, n, k, false, tb, k, tb ? k : n, n, 0, 0, 0}, c.data(), a.data(),
                b.data());
      EXPECT_EQ(counters.library_calls, 1);
      results.push_back(std::move(c));
    }
    for (const auto& c : results)
      EXPECT_EQ(std::memcmp(c.data(), results[0].data(), c.size() * sizeof(TypeParam)), 0);
  }
}

TEST(CpuSolve, GivesTheSameBitsForAnyNumberOfThreads) {
  const int64_t n = 50, columns = 700;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> matrix(n * n), right(n * columns);  // column-major, row-major
  for (double& x : matrix) x = normal(random);
  for (double& x : right) x = normal(random);
  std::vector<std::vector<double>> results;
  for (int threads : {1, 3}) {
    Counters counters;
    std::vector<double> a = matrix, x = right;
    EXPECT_TRUE(
        make_device(counters, {.threads = threads})->solve(DType::F64, n, columns, a.data(), x.data()));
    results.push_back(std::move(x));
  }
  EXPECT_EQ(results[0], results[1]);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < n; ++p)
        sum += matrix[static_cast<size_t>(p * n + i)] * results[0][static_cast<size_t>(p * columns + j)];
      ASSERT_NEAR(sum, right[static_cast<size_t>(i * columns + j)], 1e-9);
    }
}

TEST(CpuSolve, SaysWhereAMatrixIsSingular) {
  Counters counters;
  double a[] = {1, 2, 2, 4}, b[] = {1, 1};
  EXPECT_FALSE(make_device(counters)->solve(DType::F64, 2, 1, a, b));
}

TEST(CpuDotErrors, NamesWhatItCannotMultiply) {
  Counters counters;
  const auto device = make_device(counters);
  EXPECT_FALSE(device->supports_dot(DType::F16));
  EXPECT_FALSE(device->supports_dot(DType::I32));
  EXPECT_TRUE(device->supports_dot(DType::C128));
  float x[4] = {};
  EXPECT_THAT(refusal(*device, {DType::I32, 1, 1, 1, 1, false, false, 1, 1, 1, 0, 0, 0}),
              HasSubstr("got i32"));
  const int64_t far = int64_t{1} << 40;
  EXPECT_THAT(refusal(*device, {DType::F32, 1, 2, 2, 1, false, false, far, 2, 2, 0, 0, 0}),
              HasSubstr("a's leading dimension is 1099511627776"));
  EXPECT_THROW(device->dot({DType::F32, 1, 2, 2, 2, false, false, 0, 2, 2, 0, 0, 0}, x, x, x), InternalError);
}

TEST(CpuDotErrors, ThreadsMultiplyAtTheSameTime) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) CpuDot<double>::check(device, 2, 40, 50, 30, false, true, 0);
    });
}

}  // namespace
}  // namespace weft::runtime
