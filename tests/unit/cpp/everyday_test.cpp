// What C++ users reach for every day: arrays printed, walked over, picked from by masks and positions, and
// read as numbers. Texts are what NumPy 2.4 prints.
#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EverydayTest : public testing::Test {
 protected:
  TestSession session_{1 << 20};
};

std::vector<double> doubles(const Array& a) { return a.astype(DType::F64).to_vector<double>(); }

std::string printed(const Array& a) {
  std::ostringstream out;
  out << a;
  return out.str();
}

TEST_F(EverydayTest, PrintsOneValueAsNumPysScalars) {
  for (const auto& [value, dtype, text] :
       std::vector<std::tuple<double, DType, std::string>>{{3, DType::F64, "3.0"},
                                                           {1.0 / 3, DType::F64, "0.3333333333333333"},
                                                           {-0.0, DType::F64, "-0.0"},
                                                           {1e15, DType::F64, "1000000000000000.0"},
                                                           {1e16, DType::F64, "1e+16"},
                                                           {9e-5, DType::F64, "9e-05"},
                                                           {NAN, DType::F64, "nan"},
                                                           {-INFINITY, DType::F32, "-inf"},
                                                           {0.1, DType::F32, "0.1"},
                                                           {99999, DType::F32, "99999.0"},
                                                           {16777216, DType::F32, "1.6777216e+07"},
                                                           {65504, DType::F16, "6.55e+04"},
                                                           {3, DType::C128, "(3+0j)"},
                                                           {3, DType::I16, "3"},
                                                           {3, DType::Bool, "True"}})
    EXPECT_EQ(printed(scalar(value).astype(dtype)), text);
  EXPECT_EQ(printed(complex(scalar(0.0), scalar(-2.5))), "-2.5j");
  EXPECT_EQ(printed(complex(scalar(1e16), scalar(-INFINITY))), "(1e+16-infj)");
  EXPECT_EQ(printed(from({999.0, 1000.0}).astype(DType::F16)), "[9.99e+02 1.00e+03]");
  EXPECT_EQ(printed(from({1e6F})), "[1.e+06]");
  EXPECT_EQ(printed(from({true, true})), "[ True  True]");
}

TEST_F(EverydayTest, PrintsFloatsAsNumPyDoes) {
  EXPECT_EQ(printed(from({0.25, 0.5, 100.0})), "[  0.25   0.5  100.  ]");
  EXPECT_EQ(printed(from({1e-5, 1.5, 2.0})), "[1.0e-05 1.5e+00 2.0e+00]");
  EXPECT_EQ(printed(from({1.0, double{NAN}, double{-INFINITY}})), "[  1.  nan -inf]");
  EXPECT_EQ(printed(from({1e-5, double{NAN}})), "[1.e-05    nan]");
  EXPECT_EQ(printed(from({1e10, 1.0})), "[1.e+10 1.e+00]");
  EXPECT_EQ(printed(from({1e300, 1e-300})), "[1.e+300 1.e-300]");
  EXPECT_EQ(printed(from({-0.0, 0.0})), "[-0.  0.]");
  EXPECT_EQ(printed(from({1.0 / 3})), "[0.33333333]");
  EXPECT_EQ(printed(from({1.0F / 3, 2.0F / 3})), "[0.33333334 0.6666667 ]");
  EXPECT_EQ(printed(from({0.1F})), "[0.1]");
  EXPECT_EQ(printed(from({0.1, 0.2}).astype(DType::F16)), "[0.1 0.2]");
  EXPECT_EQ(printed(scalar(2.5)), "2.5");
  EXPECT_EQ(printed(linspace(0, 1, 20)),
            "[0.         0.05263158 0.10526316 0.15789474 0.21052632 0.26315789\n"
            " 0.31578947 0.36842105 0.42105263 0.47368421 0.52631579 0.57894737\n"
            " 0.63157895 0.68421053 0.73684211 0.78947368 0.84210526 0.89473684\n"
            " 0.94736842 1.        ]");
}

TEST_F(EverydayTest, PrintsOtherDTypesAndShapesAsNumPyDoes) {
  EXPECT_EQ(printed(from<int64_t>({1, -20, 300, 4}).reshape({2, 2})), "[[  1 -20]\n [300   4]]");
  EXPECT_EQ(printed(from({true, false})), "[ True False]");
  EXPECT_EQ(printed(from({std::complex<double>(1, 2), std::complex<double>(-0.5, -1.25)})),
            "[ 1. +2.j   -0.5-1.25j]");
  EXPECT_EQ(printed(arange(24).reshape({2, 3, 4})),
            "[[[ 0  1  2  3]\n  [ 4  5  6  7]\n  [ 8  9 10 11]]\n\n"
            " [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]");
  EXPECT_EQ(printed(arange(2000.0)), "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]");
  EXPECT_THAT(printed(arange(5000).reshape({50, 100})),
              testing::AllOf(HasSubstr("[[   0    1    2 ...   97   98   99]\n [ 100  101  102 ..."),
                             HasSubstr("\n ...\n [4700 4701 4702 ... 4797 4798 4799]\n")));
  EXPECT_EQ(printed(zeros({0, 3})), "[]");
  EXPECT_EQ(printed(Array()), "<no array>");
}

TEST_F(EverydayTest, PrintsWhatIsRecordedByItsShape) {
  std::string text;
  const Array x = ones({2, 3});
  const Compiled f({&x, 1}, [&](std::span<const Array> in) {
    text = to_string(in[0] + 1);
    return std::vector<Array>{in[0] * 2};
  });
  EXPECT_EQ(text, "<recorded (2, 3) f64>");
}

TEST_F(EverydayTest, WalksOverRowsWhichAreViews) {
  Array a = zeros({3, 2});
  double value = 0;
  for (Array row : a) row.assign(++value);
  EXPECT_THAT(doubles(a), ElementsAre(1, 1, 2, 2, 3, 3));
  int rows = 0;
  for (const Array& row : a * 2) rows += row.ndim() == 1;
  EXPECT_EQ(rows, 3);
  for (const Array& none : zeros({0, 4})) FAIL() << none;
  EXPECT_THAT(message_of([] { scalar(1.0).begin(); }), HasSubstr("an array of rank 0 has no rows"));
}

TEST_F(EverydayTest, TakesOneExtentAndRowsOfValues) {
  EXPECT_EQ(zeros(3).shape(), Shape{3});
  EXPECT_EQ(ones(2, DType::F32).dtype(), DType::F32);
  EXPECT_EQ(empty(0).size(), 0);
  Array a = zeros(5);
  a(Slice{0, 4}) = std::vector{1.0, 2.0, 3.0, 4.0};
  EXPECT_THAT(doubles(a), ElementsAre(1, 2, 3, 4, 0));
  EXPECT_THAT(message_of([&] { a(Slice{0, 2}) = std::vector{1.0, 2.0, 3.0}; }), HasSubstr("broadcast"));
}

TEST_F(EverydayTest, ReadsOneElementAsANumber) {
  const Array a = arange(6.0).reshape({2, 3});
  const double x{a(1, 2)};
  EXPECT_EQ(x, 5);
  EXPECT_EQ(static_cast<int>(a(0, 1)), 1);
  EXPECT_TRUE(any(a > 4));
  EXPECT_FALSE(all(a > 4));
  EXPECT_THAT(message_of([&] { static_cast<void>(static_cast<double>(a)); }), HasSubstr("(2, 3)"));
  EXPECT_EQ(message_of([&] { static_cast<void>(static_cast<bool>(zeros({0}))); }),
            "conversion to bool: takes an array of one element: got shape (0,); any() and all() are of many");
  EXPECT_THAT((!(a > 4)).to_vector<bool>(), ElementsAre(true, true, true, true, true, false));
  static_assert(!std::is_convertible_v<Array, double>, "a + 1 is an array's");
  static_assert(std::is_same_v<decltype(a + 1), Array>);
}

TEST_F(EverydayTest, MasksInBracketsReadAndWrite) {
  Array a = from({-1.0, 2.0, -3.0, 4.0});
  EXPECT_THAT(doubles(a[a < 0]), ElementsAre(-1, -3));
  EXPECT_EQ(double{sum(a[a < 0])}, -4);
  EXPECT_EQ(a[a < 0].shape(), (Shape{2}));
  EXPECT_EQ(a[a < 0].size(), 2);
  EXPECT_EQ(a[a < 0].ndim(), 1U);
  EXPECT_EQ(a[a < 0].dtype(), DType::F64);
  EXPECT_THAT(a[a < 0].to_vector<double>(), ElementsAre(-1, -3));
  a[a < 0] = 0;
  EXPECT_THAT(doubles(a), ElementsAre(0, 2, 0, 4));
  a[a > 0] += 1;
  a[a == 0] = std::vector{7.0, 8.0};
  EXPECT_THAT(doubles(a), ElementsAre(7, 3, 8, 5));
  a[a > 6] = a[a > 6] * 2;
  EXPECT_THAT(doubles(a), ElementsAre(14, 3, 16, 5));
  Array m = zeros({2, 2});
  m[from({false, true})] = 5;
  EXPECT_THAT(doubles(m), ElementsAre(0, 0, 5, 5));
  EXPECT_THAT(doubles(sqrt(a[a > 15]) + 2 * a[a > 15]), ElementsAre(36));
}

TEST_F(EverydayTest, PositionsInBracketsReadAndWrite) {
  Array a = arange(5.0);
  const Array at = from<int64_t>({3, -1});
  EXPECT_THAT(doubles(a[at]), ElementsAre(3, 4));
  a[at] = std::vector{10.0, 20.0};
  a[from<int64_t>({0})] -= 1;
  EXPECT_THAT(doubles(a), ElementsAre(-1, 1, 2, 10, 20));
  Array m = zeros({3, 2});
  m[from<int64_t>({2, 0})] = from({1.0, 2.0, 3.0, 4.0}).reshape({2, 2});
  EXPECT_THAT(doubles(m), ElementsAre(3, 4, 0, 0, 1, 2));
  m[from<int64_t>({1})] = 9;
  EXPECT_THAT(doubles(m), ElementsAre(3, 4, 9, 9, 1, 2));
  EXPECT_EQ(Array(m[from<int64_t>({0, 1, 1, 0}).reshape({2, 2})]).shape(), (Shape{2, 2, 2}));
  EXPECT_THAT(message_of<IndexError>([&] { a[from({0.5})] = 1; }),
              HasSubstr("takes a mask or whole positions"));
  EXPECT_THROW((a[from<int64_t>({9})].value()), IndexError);
}

TEST_F(EverydayTest, ANumberBeforeAnArrayHasTheUsersLine) {
  const Array x = arange(3000.0);
  const Array y = 2 * x;
  EXPECT_THAT(explain(y), testing::Not(HasSubstr("ops.h")));
  EXPECT_THAT(show(y, "graph"), testing::Not(HasSubstr("ops.h")));
}

}  // namespace
}  // namespace weft
