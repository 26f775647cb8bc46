// Sorting and searching beside the C++ library, on every dtype, with NaN, zeros of both signs and ties.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "compiler/base/error.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class Sorting : public testing::Test {
 protected:
  TestSession session_{1 << 20};
};

template <class T>
std::vector<T> drawn(size_t count, double least, double most) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(least, most);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(uniform(engine));
  return values;
}

template <class T>
void sorts_as_the_library(double least, double most) {
  for (size_t count : {0, 1, 2, 31, 1000}) {
    const std::vector<T> values = drawn<T>(count, least, most);
    std::vector<T> expected = values;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(sort(from<T>(values)).template to_vector<T>(), expected);
    std::vector<int64_t> order(count);
    for (size_t i = 0; i < count; ++i) order[i] = static_cast<int64_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)];
    });
    EXPECT_EQ(argsort(from<T>(values)).template to_vector<int64_t>(), order);
  }
}

TEST_F(Sorting, PutsEveryDtypeInTheLibrarysOrder) {
  sorts_as_the_library<int8_t>(-128, 127);
  sorts_as_the_library<int16_t>(-300, 300);
  sorts_as_the_library<int32_t>(-2e9, 2e9);
  sorts_as_the_library<int64_t>(-9e18, 9e18);
  sorts_as_the_library<uint8_t>(0, 255);
  sorts_as_the_library<uint16_t>(0, 65535);
  sorts_as_the_library<uint32_t>(0, 4e9);
  sorts_as_the_library<uint64_t>(0, 1.8e19);
  sorts_as_the_library<float>(-3, 3);
  sorts_as_the_library<double>(-1e300, 1e300);
}

TEST_F(Sorting, HalvesAndBools) {
  const Array x = from({3.5, -1.0, 0.25, -7.0});
  for (DType t : {DType::F16, DType::BF16}) {
    const Array sorted = sort(x.astype(t));
    EXPECT_EQ(sorted.dtype(), t);
    EXPECT_THAT(sorted.astype(DType::F64).to_vector<double>(), ElementsAre(-7, -1, 0.25, 3.5));
  }
  EXPECT_THAT(sort(from(std::vector<bool>{true, false, true})).to_vector<bool>(),
              ElementsAre(false, true, true));
}

TEST_F(Sorting, NaNStandsLastAndZerosAreEqual) {
  const Array x = from({kNaN, 1.0, -kInf, 0.0, -0.0, -kNaN, kInf});
  EXPECT_THAT(argsort(x).to_vector<int64_t>(), ElementsAre(2, 3, 4, 1, 6, 0, 5));
  const std::vector<double> sorted = sort(x).to_vector<double>();
  EXPECT_THAT(std::vector(sorted.begin(), sorted.begin() + 5), ElementsAre(-kInf, 0, 0, 1, kInf));
  EXPECT_TRUE(std::isnan(sorted[5]) && std::isnan(sorted[6]));
}

TEST_F(Sorting, ComplexNumbersByTheirRealPartsFirst) {
  using C = std::complex<double>;
  const Array x = from(std::vector<C>{{1, 2}, {kNaN, 0}, {1, -2}, {0, 5}, {0, kNaN}});
  EXPECT_THAT(argsort(x).to_vector<int64_t>(), ElementsAre(3, 2, 0, 4, 1));
  EXPECT_EQ(sort(x).to_vector<C>()[1], C(1, -2));
}

TEST_F(Sorting, AlongAnyAxisOfAnyView) {
  const Array x = from(std::vector<int64_t>{3, 1, 2, 9, 7, 8, 4, 6, 5, 0, 11, 10}, {2, 3, 2});
  EXPECT_THAT(sort(x, 1).to_vector<int64_t>(), ElementsAre(2, 1, 3, 8, 7, 9, 4, 0, 5, 6, 11, 10));
  EXPECT_THAT(sort(x, 0).to_vector<int64_t>(), ElementsAre(3, 1, 2, 0, 7, 8, 4, 6, 5, 9, 11, 10));
  EXPECT_THAT(argsort(x, 1).to_vector<int64_t>(), ElementsAre(1, 0, 0, 2, 2, 1, 0, 1, 1, 0, 2, 2));
  const Array view = x.T()(1, Slice{{}, {}, -1});  // shape (3, 2), of every second element, backwards
  EXPECT_THAT(sort(view, 0).to_vector<int64_t>(), ElementsAre(1, 0, 8, 6, 9, 10));
  EXPECT_EQ(sort(zeros({0, 3}), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(argsort(zeros({2, 0})).shape(), (Shape{2, 0}));
}

TEST_F(Sorting, LeavesCopiesOfTheSameValueAlone) {
  const Array x = from(std::vector<double>{3, 1, 2}) * 2, copy = x.copy();
  EXPECT_EQ(sort(copy).to_vector<double>(), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{6, 2, 4}));
  EXPECT_EQ(copy.to_vector<double>(), (std::vector<double>{6, 2, 4}));
}

TEST_F(Sorting, HasDerivatives) {
  const Array x = from({3.0, 1.0, 2.0}), weights = from({10.0, 20.0, 30.0});
  EXPECT_THAT(grad([&](const Array& v) { return sum(sort(v) * weights); })(x).to_vector<double>(),
              ElementsAre(30, 10, 20));
  EXPECT_THAT(grad([](const Array& v) { return sum(unique(v) * unique(v)); })(x).to_vector<double>(),
              ElementsAre(6, 2, 4));
  EXPECT_THAT(grad([](const Array& v) { return median(v) * 4; })(x).to_vector<double>(),
              ElementsAre(0, 0, 4));
}

TEST_F(Sorting, SearchesAsTheLibraryDoes) {
  std::vector<double> table = drawn<double>(100, 0, 10);
  for (double& value : table) value = std::round(value);
  std::sort(table.begin(), table.end());
  table.push_back(kNaN);
  for (size_t count : {0, 1, 7, 64, 101}) {
    const std::vector<double> part(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(count));
    const std::vector<double> values{-1, 0, 3, 3.5, 10, 11, kInf, -kInf};
    std::vector<int64_t> left, right;
    for (double value : values) {
      const auto end = std::find_if(part.begin(), part.end(), [](double v) { return std::isnan(v); });
      left.push_back(std::lower_bound(part.begin(), end, value) - part.begin());
      right.push_back(std::upper_bound(part.begin(), end, value) - part.begin());
    }
    EXPECT_EQ(searchsorted(from(part), from(values)).to_vector<int64_t>(), left) << count;
    EXPECT_EQ(searchsorted(from(part), from(values), Side::Right).to_vector<int64_t>(), right) << count;
  }
  EXPECT_EQ(searchsorted(from(table), kNaN).item<int64_t>(), 100);
  EXPECT_EQ(searchsorted(from(table), kNaN, Side::Right).item<int64_t>(), 101);
  EXPECT_EQ(searchsorted(from<uint8_t>({1, 2, 3}), 300).item<int64_t>(), 3);
  EXPECT_EQ(searchsorted(from<uint8_t>({1, 2, 3}), -1).item<int64_t>(), 0);
  EXPECT_EQ(searchsorted(from<int64_t>({1, 2, 5}), 2.5).item<int64_t>(), 2);  // promoted, not cut off
}

TEST_F(Sorting, SearchesWithinACompiledFunction) {
  const Array table = from({1.0, 2.0, 4.0});
  const std::vector<Array> shapes{zeros({3})};
  const Compiled f(shapes,
                   [&](std::span<const Array> xs) { return std::vector{searchsorted(table, xs[0])}; });
  const std::vector<Array> values{from({0.5, 2.0, 9.0})};
  EXPECT_THAT(f(values)[0].to_vector<int64_t>(), ElementsAre(0, 1, 3));
}

TEST_F(Sorting, ACompiledFunctionMaySortWhatItTakesFromOutside) {
  const Array table = from({4.0, 1.0, 2.0});
  table.eval();
  const std::vector<Array> shapes{zeros({3})}, values{from({1.0, 1.0, 1.0})};
  const Compiled f(shapes, [&](std::span<const Array> xs) { return std::vector{sort(table) * xs[0]}; });
  EXPECT_THAT(f(values)[0].to_vector<double>(), ElementsAre(1, 2, 4));
}

TEST_F(Sorting, FindsDifferentElements) {
  const Array x = from({2.0, kNaN, -0.0, 2.0, 0.0, kNaN}).reshape({2, 3});
  const Unique all = unique_all(x);
  EXPECT_EQ(all.values.size(), 3);
  EXPECT_EQ(all.values.to_vector<double>()[1], 2);
  EXPECT_THAT(all.index.to_vector<int64_t>(), ElementsAre(2, 0, 1));
  EXPECT_EQ(all.inverse.shape(), x.shape());
  EXPECT_THAT(all.inverse.to_vector<int64_t>(), ElementsAre(1, 2, 0, 1, 0, 2));
  EXPECT_THAT(all.counts.to_vector<int64_t>(), ElementsAre(2, 2, 2));
  EXPECT_THAT(unique(from<int64_t>({3, 1, 3, 1})).to_vector<int64_t>(), ElementsAre(1, 3));
  using C = std::complex<double>;
  EXPECT_THAT(unique(from(std::vector<C>{{1, 1}, {0, 2}, {1, 1}, {0, 1}})).to_vector<C>(),
              ElementsAre(C(0, 1), C(0, 2), C(1, 1)));
  EXPECT_EQ(unique_all(zeros({0})).counts.size(), 0);
  EXPECT_EQ(unique_all(zeros({2, 0})).inverse.shape(), (Shape{2, 0}));
}

TEST_F(Sorting, FindsWhatIsNotZero) {
  const std::vector<Array> at = nonzero(from<int64_t>({0, 3, 0, 4, 0, 5}).reshape({2, 3}));
  ASSERT_EQ(at.size(), 2U);
  EXPECT_THAT(at[0].to_vector<int64_t>(), ElementsAre(0, 1, 1));
  EXPECT_THAT(at[1].to_vector<int64_t>(), ElementsAre(1, 0, 2));
  EXPECT_EQ(nonzero(zeros({2, 0}))[1].size(), 0);
}

TEST_F(Sorting, MediansAndQuantiles) {
  const Array x = from({4.0, 1.0, 3.0, 2.0, 9.0, 7.0}).reshape({2, 3});
  EXPECT_EQ(median(x).item<double>(), 3.5);
  EXPECT_THAT(median(x, 1).to_vector<double>(), ElementsAre(3, 7));
  EXPECT_THAT(median(x, 0, true).to_vector<double>(), ElementsAre(3, 5, 5));
  EXPECT_EQ(median(x, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(quantile(x, 0).item<double>(), 1);
  EXPECT_EQ(quantile(x, 1).item<double>(), 9);
  EXPECT_EQ(quantile(x, 0.25).item<double>(), 2.25);
  EXPECT_EQ(median(from<int64_t>({1, 2})).item<double>(), 1.5);
  EXPECT_TRUE(std::isnan(median(from({1.0, kNaN, 2.0})).item<double>()));
  EXPECT_EQ(median(from({kInf, kInf})).item<double>(), kInf);
  EXPECT_EQ(median(from({1.0, kInf})).item<double>(), kInf);
  EXPECT_EQ(median(from({-kInf, 1.0, 1.0, kInf, kInf, kInf})).item<double>(), kInf);
  EXPECT_TRUE(std::isnan(median(from({-kInf, kInf})).item<double>()));
  EXPECT_EQ(median(from({-1.7e308, 1.7e308})).item<double>(), 0);
  EXPECT_DOUBLE_EQ(median(from({1.6e308, 1.7e308})).item<double>(), 1.65e308);
  EXPECT_EQ(median(from({60000.0, -60000.0}).astype(DType::F16)).astype(DType::F64).item<double>(), 0);
  EXPECT_EQ(median(from({1.0, 2.0, kInf})).item<double>(), 2);
  EXPECT_EQ(median(zeros({0, 3}), 1).shape(), (Shape{0}));
}

TEST_F(Sorting, RefusesWhatHasNoOrder) {
  EXPECT_THAT(message_of([] { sort(scalar(1.0)); }),
              HasSubstr("sort: needs an axis: got an array of rank 0"));
  EXPECT_THAT(message_of([] { argsort(zeros({2}), 1); }),
              HasSubstr("argsort: axis out of range for rank 1: got 1"));
  EXPECT_THAT(message_of([] { median(zeros({0})); }),
              HasSubstr("median: there is nothing to take it of: got shape (0"));
  EXPECT_THAT(message_of([] { median(zeros({2}, DType::C128)); }),
              HasSubstr("median: complex numbers have no order"));
  EXPECT_THAT(message_of([] { quantile(zeros({2}), 1.5); }),
              HasSubstr("quantile: takes a part from 0 to 1: got 1.5"));
  EXPECT_THAT(message_of([] { searchsorted(zeros({2, 2}), 1.0); }),
              HasSubstr("searchsorted: searches an array of one axis"));
  EXPECT_THAT(message_of([] { nonzero(scalar(1.0)); }), HasSubstr("nonzero: needs an axis"));
  const std::vector<Array> shapes{zeros({3})};
  EXPECT_THAT(message_of([&] {
                Compiled(shapes, [](std::span<const Array> xs) { return std::vector{sort(xs[0])}; });
              }),
              HasSubstr("sort: orders are found on the host"));
}

}  // namespace
}  // namespace weft
