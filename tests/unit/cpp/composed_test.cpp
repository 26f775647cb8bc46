// What NumPy has that is made of other operations, with NumPy's results.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/cpp/weft/weft.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ComposedTest : public testing::Test {
 protected:
  TestSession session_{1 << 20};
};

std::string printed(const Array& a) {
  std::ostringstream out;
  out << a.dtype() << a.shape() << " " << a;
  return out.str();
}

TEST_F(ComposedTest, ShapesAndDtypesArePrinted) {
  std::ostringstream out;
  out << Shape{2, 3} << DType::BF16;
  EXPECT_EQ(out.str(), "(2, 3)bf16");
}

TEST_F(ComposedTest, Closeness) {
  const Array a = from({1.0, 1.0, kInfinity, -kInfinity, kNaN, 0.0, 1e9}),
              b = from({1.0 + 1e-6, 1.1, kInfinity, kInfinity, kNaN, 1e-9, 1e9 + 1});
  EXPECT_EQ(printed(isclose(a, b)), "bool(7,) [ True False  True False False  True  True]");
  EXPECT_EQ(printed(isclose(a, b, {.equal_nan = true})),
            "bool(7,) [ True False  True False  True  True  True]");
  EXPECT_EQ(printed(isclose(a, b, {.relative = 0, .absolute = 0.2})),
            "bool(7,) [ True  True  True False False  True False]");
  EXPECT_EQ(printed(isclose(from({uint8_t{3}, uint8_t{5}}), from({uint8_t{4}, uint8_t{5}}))),
            "bool(2,) [False  True]");
  EXPECT_EQ(printed(isclose(from({0.1F, 0.2F}), 0.1)), "bool(2,) [ True False]");
  EXPECT_TRUE(allclose(from({1.0, 2.0}), from({1.0, 2.0 + 1e-9})));
  EXPECT_FALSE(allclose(from({1.0, 2.0}), 1.0));
  EXPECT_TRUE(allclose(zeros({0}), 1.0));
  EXPECT_TRUE(array_equal(from({1, 2}), from({1.0, 2.0})));
  EXPECT_FALSE(array_equal(from({1, 2}), from({1, 2, 3})));
  EXPECT_FALSE(array_equal(from({kNaN}), from({kNaN})));
}

TEST_F(ComposedTest, Differences) {
  const Array x = from({1, 4, 9, 16, 25}).reshape({1, 5});
  EXPECT_EQ(printed(diff(x)), "i32(1, 4) [[3 5 7 9]]");
  EXPECT_EQ(printed(diff(x, 2)), "i32(1, 3) [[2 2 2]]");
  EXPECT_EQ(printed(diff(x, 0)), "i32(1, 5) [[ 1  4  9 16 25]]");
  EXPECT_EQ(printed(diff(x, 1, 0)), "i32(0, 5) []");
  EXPECT_EQ(printed(diff(x, 7)), "i32(1, 0) []");
  EXPECT_EQ(printed(diff(from({3, 1, 2}) > 1)), "bool(2,) [ True  True]");
  EXPECT_EQ(message_of([&] { diff(x, -1); }), "diff: takes differences 0 times or more: got -1");
  EXPECT_EQ(printed(gradient(from({1.0, 2.0, 4.0, 7.0, 11.0}))), "f64(5,) [1.  1.5 2.5 3.5 4. ]");
  EXPECT_EQ(printed(gradient(from({1, 2, 4}), 2.0)), "f64(3,) [0.5  0.75 1.  ]");
  EXPECT_EQ(printed(gradient(from({1.0, 2.0, 4.0, 7.0}).reshape({2, 2}), 1, 0)),
            "f64(2, 2) [[3. 5.]\n [3. 5.]]");
  EXPECT_EQ(message_of([&] { gradient(x, 1, 0); }),
            "gradient: takes two elements at least along the axis: got shape (1, 5)");
}

TEST_F(ComposedTest, Areas) {
  const Array y = from({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}).reshape({2, 3});
  EXPECT_EQ(printed(trapezoid(y)), "f64(2,) [ 4. 10.]");
  EXPECT_EQ(printed(trapezoid(y, 0.5, 0)), "f64(3,) [1.25 1.75 2.25]");
  EXPECT_EQ(printed(trapezoid(y, from({0, 1, 4}))), "f64(2,) [ 9. 21.]");
  EXPECT_EQ(printed(trapezoid(y, y)), "f64(2,) [ 4. 10.]");
  EXPECT_EQ(printed(trapezoid(zeros({0, 2}), 1.0, 0)), "f64(2,) [0. 0.]");
  EXPECT_EQ(message_of([&] { trapezoid(y, from({0, 1})); }),
            "trapezoid: x has an element for each of y's along the axis: got 3 beside shape (2,)");
  EXPECT_EQ(message_of([&] { trapezoid(y, zeros({1, 2, 3})); }),
            "trapezoid: x has one axis, or those of y: got shape (1, 2, 3) beside (2, 3)");
}

TEST_F(ComposedTest, VectorProducts) {
  const Array a = from({1, 2, 3}), b = from({4, 5, 6});
  EXPECT_EQ(printed(cross(a, b)), "i32(3,) [-3  6 -3]");
  EXPECT_EQ(printed(cross(stack({a, b}), b)), "i32(2, 3) [[-3  6 -3]\n [ 0  0  0]]");
  EXPECT_EQ(message_of([&] { cross(a, from({1, 2})); }),
            "cross: the last axis has three elements: got shape (2,)");
}

TEST_F(ComposedTest, Interpolation) {
  const Array points = from({1.0, 2.0, 4.0}), values = from({10.0, 20.0, 0.0});
  EXPECT_EQ(printed(interp(from({0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0, kNaN}), points, values)),
            "f64(8,) [10. 10. 15. 20. 10.  0.  0. nan]");
  EXPECT_EQ(printed(interp(from({0, 3}), from({1}), from({7}))), "f64(2,) [7. 7.]");
  EXPECT_EQ(message_of([&] { interp(points, points, from({1.0})); }),
            "interp: takes as many values as points, of one axis: got shapes (3,) and (1,)");
  EXPECT_NEAR(grad([&](const Array& x) { return sum(interp(x, points, values)); })(from({1.5, 3.0}))
                  .to_vector<double>()[1],
              -10, 1e-12);
}

TEST_F(ComposedTest, Averages) {
  const Array x = from({1.0, 2.0, 3.0, 4.0}).reshape({2, 2});
  EXPECT_EQ(printed(ptp(x)), "f64() 3.0");
  EXPECT_EQ(printed(ptp(x, 1, true)), "f64(2, 1) [[1.]\n [1.]]");
  EXPECT_EQ(printed(average(x, x)), "f64() 3.0");
  EXPECT_EQ(printed(average(x, from({1, 3}), 1)), "f64(2,) [1.75 3.75]");
  EXPECT_EQ(printed(average(from({1, 2}), from({1, 3}))), "f64() 1.75");
  EXPECT_EQ(average(x.astype(DType::F16), x.astype(DType::F16)).dtype(), DType::F16);
  EXPECT_EQ(message_of([&] { average(x, from({1, 3})); }),
            "average: weights have the array's shape, or one axis where one is averaged over: got (2,) "
            "beside (2, 2)");
}

TEST_F(ComposedTest, WithoutNaN) {
  const Array x = from({1.0, kNaN, 3.0, kNaN, kNaN, kNaN}).reshape({2, 3});
  EXPECT_EQ(printed(nansum(x, 1)), "f64(2,) [4. 0.]");
  EXPECT_EQ(printed(nanmean(x, 1)), "f64(2,) [ 2. nan]");
  EXPECT_EQ(printed(nanmax(x, 1)), "f64(2,) [ 3. nan]");
  EXPECT_EQ(printed(nanmin(x, 1, true)), "f64(2, 1) [[ 1.]\n [nan]]");
  EXPECT_EQ(printed(nanmax(from({-kInfinity, kNaN}))), "f64() -inf");
  EXPECT_EQ(printed(nanmean(x.astype(DType::F16))), "f16() 2.0");
  EXPECT_EQ(printed(nansum(from({1, 2}))), "i64() 3");
  EXPECT_EQ(printed(nanmean(from({1, 2}))), "f64() 1.5");
}

TEST_F(ComposedTest, Histograms) {
  const auto shown = [](const Histogram& h) { return printed(h.counts) + " " + printed(h.edges); };
  EXPECT_EQ(shown(histogram(from({0.0, 1.0, 1.0, 2.0, 4.0}), 4)),
            "i64(4,) [1 2 1 1] f64(5,) [0. 1. 2. 3. 4.]");
  EXPECT_EQ(shown(histogram(from({5, 5}), 2)), "i64(2,) [0 2] f64(3,) [4.5 5.  5.5]");
  EXPECT_EQ(shown(histogram(from({-1.0, 0.0, 0.5, 1.0, 2.0, kNaN}), 2, {{0.0, 1.0}})),
            "i64(2,) [1 2] f64(3,) [0.  0.5 1. ]");
  EXPECT_EQ(shown(histogram(zeros({0}), 2)), "i64(2,) [0 0] f64(3,) [0.  0.5 1. ]");
  EXPECT_EQ(shown(histogram(from({1, 2, 3, 4, 9}).reshape({1, 5}), from({2.0, 3.5, 4.0}))),
            "i64(2,) [2 1] f64(3,) [2.  3.5 4. ]");
  EXPECT_EQ(message_of([&] { histogram(zeros({3}), zeros({1})); }),
            "histogram: takes two edges at least, of one axis: got shape (1,)");
  EXPECT_EQ(message_of([&] { histogram(zeros({3}), 0); }), "histogram: takes one bin at least: got 0");
  EXPECT_EQ(message_of([&] { histogram(zeros({3}), 2, {{kNaN, 1.0}}); }),
            "histogram: the range goes from the smaller number to the larger: got nan and 1.000000");
}

TEST_F(ComposedTest, GridsAndParts) {
  const Array x = from({1, 2, 3}), y = from({10, 20});
  const std::vector<Array> xy = meshgrid({x, y}), ij = meshgrid({x, y}, Indexing::IJ);
  EXPECT_EQ(printed(xy[0]), "i32(2, 3) [[1 2 3]\n [1 2 3]]");
  EXPECT_EQ(printed(xy[1]), "i32(2, 3) [[10 10 10]\n [20 20 20]]");
  EXPECT_EQ(printed(ij[1]), "i32(3, 2) [[10 20]\n [10 20]\n [10 20]]");
  EXPECT_EQ(meshgrid({x, y, y})[2].shape(), (Shape{2, 3, 2}));
  const std::vector<Array> parts = array_split(arange(7), 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(printed(parts[0]), "i64(3,) [0 1 2]");
  EXPECT_EQ(printed(parts[2]), "i64(2,) [5 6]");
  EXPECT_EQ(array_split(zeros({2, 1}), 3, 1)[2].shape(), (Shape{2, 0}));
  EXPECT_EQ(message_of([&] { array_split(x, 0); }), "array_split: takes one part at least: got 0");
  EXPECT_EQ(printed(hstack({x, y})), "i32(5,) [ 1  2  3 10 20]");
  EXPECT_EQ(printed(hstack({zeros({2, 1}), ones({2, 2})})), "f64(2, 3) [[0. 1. 1.]\n [0. 1. 1.]]");
  EXPECT_EQ(printed(vstack({x, x})), "i32(2, 3) [[1 2 3]\n [1 2 3]]");
}

TEST_F(ComposedTest, AreRecorded) {
  const Array x = linspace(0, 1, 50);
  const Compiled f({&x, 1}, [](std::span<const Array> in) {
    const Histogram h = histogram(in[0], 4, {{0.0, 1.0}});
    const Array area = trapezoid(interp(in[0], h.edges, h.edges), 1.0);
    return std::vector{sum(h.counts * diff(h.edges)) + area + nanmean(gradient(in[0]))};
  });
  EXPECT_NEAR(f({&x, 1})[0].item<double>(), 50 * 0.25 + 49 * 0.5 + 1.0 / 49, 1e-12);
}

}  // namespace
}  // namespace weft
