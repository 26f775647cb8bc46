// Views of one cell: what is written through one is seen through all, with NumPy's layouts and overlaps.
#include <gmock/gmock.h>

#include <functional>

#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using V = std::vector<int32_t>;

// Run twice: by the interpreter and by kernels.
class ViewTest : public testing::TestWithParam<int> {
 protected:
  TestSession session_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Both, ViewTest, testing::Values(0, 1 << 20),
                         [](const auto& run) { return run.param ? "interpreted" : "compiled"; });

Array counting(const Shape& shape) { return arange(element_count(shape), DType::I32).reshape(shape); }
V values(const Array& a) { return a.to_vector<int32_t>(); }

TEST_P(ViewTest, SlicesReadWhatPythonSlicesRead) {
  const Array a = counting({6});
  EXPECT_THAT(values(a(Slice{1, -1})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(a(Slice{{}, {}, 2})), ElementsAre(0, 2, 4));
  EXPECT_THAT(values(a(Slice{{}, {}, -1})), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(values(a(Slice{4, 1, -2})), ElementsAre(4, 2));
  EXPECT_THAT(values(a(Slice{-2})), ElementsAre(4, 5));
  EXPECT_THAT(values(a(Slice{{}, 100})), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(values(a(Slice{100, {}, -3})), ElementsAre(5, 2));
  EXPECT_THAT(values(a(Slice{-100, 2})), ElementsAre(0, 1));
  EXPECT_EQ(a(Slice{3, 3}).shape(), Shape{0});
  EXPECT_EQ(a(Slice{5, 2}).shape(), Shape{0});
}

TEST_P(ViewTest, AssigningAViewToItselfChangesNothing) {
  const Array a = counting({200, 60});
  a.eval();
  Array part = a(Slice{1, -1}, Slice{{}, {}, -2});
  a(Slice{1, -1}, Slice{{}, {}, -2}) = part;
  part.assign(part);
  EXPECT_TRUE(a.has_value());
  a(Slice{{}, -2}, Slice{{}, {}, -2}) = part;
  EXPECT_THAT(values(a(0, Slice{{}, 6})), ElementsAre(0, 61, 2, 63, 4, 65));
  Array repeated = broadcast_to(a, {2, 200, 60});
  EXPECT_THAT(message_of([&] { repeated.assign(repeated); }), testing::HasSubstr("read-only"));
}

TEST_P(ViewTest, IntegersNewAxesAndEllipsesPlaceAxesAsNumPy) {
  const Array a = counting({2, 3, 4});
  EXPECT_EQ(a(1).shape(), (Shape{3, 4}));
  EXPECT_EQ(a[-1].shape(), (Shape{3, 4}));
  EXPECT_THAT(values(a(1, 2)), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(values(a(ellipsis, 1)), ElementsAre(1, 5, 9, 13, 17, 21));
  EXPECT_EQ(a(newaxis, ellipsis, Slice{1, 3}).shape(), (Shape{1, 2, 3, 2}));
  EXPECT_EQ(a(0, newaxis, Slice{}, newaxis).shape(), (Shape{1, 3, 1, 4}));
  EXPECT_EQ(a(1, 2, 3).shape(), Shape{});
  EXPECT_EQ(a.at(1, 2, 3).item<int>(), 23);
}

TEST_P(ViewTest, AWriteThroughASliceIsSeenByTheBaseAndByOtherViews) {
  Array a = counting({6});
  Array v = a(Slice{1, 4}), w = a(Slice{2, 6});
  v += 10;
  EXPECT_THAT(values(a), ElementsAre(0, 11, 12, 13, 4, 5));
  EXPECT_THAT(values(w), ElementsAre(12, 13, 4, 5));
  w(Slice{{}, {}, 2}) = -1;
  EXPECT_THAT(values(a), ElementsAre(0, 11, -1, 13, -1, 5));
  EXPECT_THAT(values(v), ElementsAre(11, -1, 13));
}

TEST_P(ViewTest, CopyingAHandleSharesTheCellAndBindingANameDoesNotWrite) {
  Array a = counting({3});
  Array b = a;
  b += 1;
  EXPECT_THAT(values(a), ElementsAre(1, 2, 3));
  b = b + 1;
  EXPECT_THAT(values(a), ElementsAre(1, 2, 3));
  Array c = a.copy();
  c(0) = 100;
  EXPECT_THAT(values(a), ElementsAre(1, 2, 3));
  EXPECT_THAT(values(c), ElementsAre(100, 2, 3));
}

TEST_P(ViewTest, OverlappingAssignmentsReadTheOldValues) {
  Array a = counting({5});
  a(Slice{1}) = a(Slice{{}, -1});
  EXPECT_THAT(values(a), ElementsAre(0, 0, 1, 2, 3));
  a(Slice{{}, -1}) = a(Slice{1});
  EXPECT_THAT(values(a), ElementsAre(0, 1, 2, 3, 3));
  a(Slice{}) = a(Slice{{}, {}, -1});
  EXPECT_THAT(values(a), ElementsAre(3, 3, 2, 1, 0));
  Array v = a(Slice{1, 4});
  v += a(Slice{0, 3});
  EXPECT_THAT(values(a), ElementsAre(3, 6, 5, 3, 0));
}

TEST_P(ViewTest, WritesThroughViewsOfViewsLandInTheBase) {
  Array a = counting({4, 6});
  Array rows = a(Slice{1, 3}), part = rows(Slice{}, Slice{{}, {}, -2}), t = part.T();
  EXPECT_THAT(values(part), ElementsAre(11, 9, 7, 17, 15, 13));
  EXPECT_THAT(values(t), ElementsAre(11, 17, 9, 15, 7, 13));
  t(1) = from<int32_t>({-1, -2});
  EXPECT_EQ(a.at(1, 3).item<int>(), -1);
  EXPECT_EQ(a.at(2, 3).item<int>(), -2);
  t += 100;
  EXPECT_THAT(values(a), ElementsAre(0, 1, 2, 3, 4, 5, 6, 107, 8, 99, 10, 111, 12, 113, 14, 98, 16, 117, 18,
                                     19, 20, 21, 22, 23));
}

TEST_P(ViewTest, NegativeStepsAreWrittenBackwards) {
  Array a = counting({6});
  a(Slice{4, 0, -2}) = from<int32_t>({-4, -2});
  EXPECT_THAT(values(a), ElementsAre(0, 1, -2, 3, -4, 5));
  Array f = flip(a);
  f(Slice{0, 2}) = from<int32_t>({50, 40});
  EXPECT_THAT(values(a), ElementsAre(0, 1, -2, 3, 40, 50));
}

TEST_P(ViewTest, TransposedWritesFollowTheAxes) {
  Array a = counting({2, 3});
  a.T()(0) = 9;
  EXPECT_THAT(values(a), ElementsAre(9, 1, 2, 9, 4, 5));
  Array b = counting({2, 3, 4});
  permute_dims(b, {2, 0, 1})(1, 1) = from<int32_t>({-1, -2, -3});
  EXPECT_THAT(values(b(1, Slice{}, 1)), ElementsAre(-1, -2, -3));
  moveaxis(b, 0, -1)(0, 0) = 7;
  EXPECT_EQ(b.at(0, 0, 0).item<int>(), 7);
  EXPECT_EQ(b.at(1, 0, 0).item<int>(), 7);
}

TEST_P(ViewTest, AReshapeIsAViewWhereTheLayoutAllowsIt) {
  Array a = counting({2, 6});
  Array r = a.reshape({3, -1});
  EXPECT_TRUE(r.shares_cell(a));
  r(1) = 0;
  EXPECT_THAT(values(a), ElementsAre(0, 1, 2, 3, 0, 0, 0, 0, 8, 9, 10, 11));
  Array columns = a(Slice{}, Slice{0, 4});
  EXPECT_FALSE(columns.reshape({8}).shares_cell(a)) << "rows are not adjacent";
  Array split = columns.reshape({2, 2, 2});
  EXPECT_TRUE(split.shares_cell(a)) << "splitting an axis keeps the layout";
  split(Slice{}, 1, 0) = -5;
  EXPECT_EQ(a.at(0, 2).item<int>(), -5);
  EXPECT_EQ(a.at(1, 2).item<int>(), -5);
  EXPECT_FALSE(a.T().reshape({12}).shares_cell(a));
  EXPECT_THAT(values(counting({2, 3}).T().reshape({6})), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_P(ViewTest, AxesOfExtentOneComeAndGoAsViews) {
  Array a = counting({3});
  Array column = expand_dims(a, -1);
  EXPECT_EQ(column.shape(), (Shape{3, 1}));
  column += 5;
  EXPECT_THAT(values(a), ElementsAre(5, 6, 7));
  squeeze(column)(Slice{1}) = 0;
  EXPECT_THAT(values(a), ElementsAre(5, 0, 0));
  a(newaxis, Slice{0, 2}, newaxis) = 1;
  EXPECT_THAT(values(a), ElementsAre(1, 1, 0));
}

// What is recorded is a part of the array itself replaced: nothing else is computed.
TEST_P(ViewTest, AWriteThroughAnyViewReplacesAPart) {
  const Array a = counting({4, 6, 10});
  const std::vector<std::function<Array(const Array&)>> views = {
      [](const Array& x) { return x.T()(Slice{1, 3}); },
      [](const Array& x) { return x(Slice{1, 3}).T()(Slice{}, 2)(Slice{{}, {}, 2}); },
      [](const Array& x) { return permute_dims(x, {1, 2, 0})(2, Slice{{}, {}, -3}); },
      [](const Array& x) { return x.reshape({2, 2, 3, 2, 10})(1, Slice{}, Slice{0, 2}); },
      [](const Array& x) { return x.reshape({24, 10})(Slice{6, 18}); },
      [](const Array& x) { return x.reshape({4, 60}).T()(Slice{10, 20}); },
      [](const Array& x) { return x.reshape({4, 60})(Slice{}, Slice{59, 0, -10}); },
      [](const Array& x) { return flip(x)(0, newaxis)(ellipsis, Slice{1, 4}); },
      [](const Array& x) { return x(Slice{}, 2, newaxis)(2)(0, Slice{3}); },
  };
  for (size_t k = 0; k < views.size(); ++k) {
    Array x = a.copy();
    x.eval();
    const V before = values(x), places = values(views[k](a));
    Array part = views[k](x);
    const Array reader = x + 1;  // still needs what the memory holds: nothing is written there at once
    part += 1000;
    if (GetParam() == 0) {
      EXPECT_THAT(show(x, "graph"), testing::ContainsRegex("update %a0, [^\n]*\n  return")) << "view " << k;
    }
    V want = before;
    for (int32_t place : places) want[static_cast<size_t>(place)] += 1000;
    EXPECT_EQ(values(x), want) << "view " << k;
  }
}

TEST_P(ViewTest, ABroadcastViewReadsButDoesNotWrite) {
  Array a = counting({3});
  Array b = broadcast_to(a, {2, 3});
  EXPECT_THAT(values(b), ElementsAre(0, 1, 2, 0, 1, 2));
  a(0) = 7;
  EXPECT_THAT(values(b), ElementsAre(7, 1, 2, 7, 1, 2));
  EXPECT_THAT(values(b(1, Slice{1})), ElementsAre(1, 2));
  EXPECT_FALSE(b(0).writable());
  EXPECT_EQ(
      message_of([&] { b += 1; }),
      "add: cannot write to a read-only view: got one of shape (2, 3), made by broadcasting, as one "
      "element, or as the imaginary part of real numbers, or made so: assignment destination is read-only");
}

TEST_P(ViewTest, WhatIsMadeReadOnlyStaysSoInEveryViewOfIt) {
  const Array a = counting({2, 6});
  const Array guarded = a.with_access(false);
  for (const Array& view :
       {guarded, guarded.T().T(), guarded.reshape({3, 4}).reshape({2, 6}), guarded.reshape({12})(Slice{2, 4}),
        guarded.T()(Slice{1, 3}), guarded.view_as(DType::U32).view_as(DType::I32), diagonal(guarded)}) {
    EXPECT_FALSE(view.writable());
    EXPECT_TRUE(view.shares_cell(a));
    EXPECT_TRUE(view.with_access(true).writable());
  }
  a(0, 0) = 7;
  EXPECT_EQ(guarded.at(0, 0).item<double>(), 7);
  Array again = guarded(Slice{1}).with_access(true);
  again = again.with_access(true);
  again += 100;
  EXPECT_EQ(a.at(1, 5).item<double>(), 111);
  EXPECT_EQ(message_of([&] { static_cast<void>(broadcast_to(a, {3, 2, 6})(1).with_access(true)); }),
            "writeable: elements that broadcasting repeated cannot be written: got shape (2, 6)");
}

TEST_P(ViewTest, DiagonalsAreWrittenThroughWhateverLiesBetweenTheirElements) {
  Array a = counting({4, 5});
  EXPECT_THAT(values(diagonal(a)), ElementsAre(0, 6, 12, 18));
  Array parts = diagonal(a(Slice{{}, {}, -2}, Slice{1}));  // rows 3 and 1
  EXPECT_THAT(values(parts), ElementsAre(16, 7));
  a(1, 2) = 70;
  EXPECT_THAT(values(parts), ElementsAre(16, 70));
  parts(Slice{1}) = 71;
  parts += 1;
  EXPECT_THAT(values(a(Slice{1, 4, 2}, Slice{1, 3})), ElementsAre(6, 72, 17, 17));
  Array blocks = counting({3, 3, 3});
  Array inner = diagonal(blocks.transpose({1, 0, 2})(Slice{1}));
  EXPECT_THAT(values(inner.T()), ElementsAre(3, 6, 13, 16, 23, 26));
  inner.T()(1) = 0;
  EXPECT_THAT(values(blocks(1, Slice{1})), ElementsAre(12, 0, 14, 15, 0, 17));
  EXPECT_EQ(diagonal(zeros({0, 3})).size(), 0);
  EXPECT_THAT(values(diagonal(counting({1, 1}))), ElementsAre(0));
}

TEST_P(ViewTest, WindowsAndStridedViewsShowElementsTwiceAndKeepTheLastThatIsAssigned) {
  Array a = counting({5});
  Array shown = windows(a, 3, 0);
  EXPECT_THAT(values(shown), ElementsAre(0, 1, 2, 1, 2, 3, 2, 3, 4));
  a(2) = 20;
  EXPECT_THAT(values(shown(1)), ElementsAre(1, 20, 3));
  shown(Slice{}, 0) = 7;
  EXPECT_THAT(values(a), ElementsAre(7, 7, 7, 3, 4));
  shown.assign(counting({3, 3}));
  EXPECT_THAT(values(a), ElementsAre(0, 3, 6, 7, 8));
  EXPECT_THAT(message_of([&] { shown += 1; }), testing::StartsWith("add: cannot compute in place where"));
  Array grid = counting({4, 6});
  Array apart = as_strided(grid(Slice{1}, Slice{{}, {}, -1}), {3, 2}, {6, -3});
  EXPECT_THAT(values(apart), ElementsAre(11, 8, 17, 14, 23, 20));
  apart += 100;
  EXPECT_THAT(values(grid(Slice{}, 5)), ElementsAre(5, 111, 117, 123));
  EXPECT_THAT(message_of([&] { as_strided(grid, {4, 7}, {6, 1}); }),
              testing::HasSubstr("outside of the array's memory"));
  EXPECT_EQ(as_strided(grid, {0, 7}, {600, 1}).size(), 0);
}

TEST_P(ViewTest, AnotherDTypeOfTheSameSizeSharesTheBits) {
  Array a = from<float>({1.0f, -2.0f});
  Array bits = a.view_as(DType::U32);
  EXPECT_THAT(bits.to_vector<uint32_t>(), ElementsAre(0x3f800000u, 0xc0000000u));
  bits(1) = 0x40400000u;
  EXPECT_THAT(a.to_vector<float>(), ElementsAre(1.0f, 3.0f));
}

TEST_P(ViewTest, ADTypeOfAnotherSizeMakesTheLastAxisLongerOrShorter) {
  Array a = from<int32_t>({0x01020304, -1, 5, 6});
  Array bytes = a.view_as(DType::U8);
  EXPECT_EQ(bytes.shape(), Shape{16});
  EXPECT_THAT(bytes(Slice{0, 6}).to_vector<uint8_t>(), ElementsAre(4, 3, 2, 1, 255, 255));
  bytes(1) = 9;
  EXPECT_EQ(a.at(0).item<int32_t>(), 0x01020904);
  Array pairs = a(Slice{2}).view_as(DType::I64);
  EXPECT_THAT(pairs.to_vector<int64_t>(), ElementsAre((int64_t{6} << 32) + 5));
  pairs += int64_t{2} << 32;
  EXPECT_THAT(values(a), ElementsAre(0x01020904, -1, 5, 8));
  Array reals = from<double>({1, 2, 3, 4});
  Array complex = reals.view_as(DType::C128);
  complex *= 2;
  EXPECT_THAT(reals.to_vector<double>(), ElementsAre(2, 4, 6, 8));
  complex.view_as(DType::F64)(3) = 1;
  EXPECT_EQ(complex.at(1).item<std::complex<double>>(), std::complex<double>(6, 1));
  EXPECT_EQ(message_of([&] { static_cast<void>(a(Slice{1, 3}).view_as(DType::I64)); }),
            "view_as: elements of another size must lie along the last axis without gaps, each of them "
            "whole: got i32 "
            "to i64 of shape (2,)");
}

TEST_P(ViewTest, AnExpressionKeepsTheValueFromBeforeAWrite) {
  Array a = counting({4});
  const Array before = a * 10;
  a(Slice{0, 2}) = -1;
  const Array after = a * 10;
  EXPECT_THAT(values(before), ElementsAre(0, 10, 20, 30));
  EXPECT_THAT(values(after), ElementsAre(-10, -10, 20, 30));
}

TEST_P(ViewTest, ComplexPartsAreViewsThatAreWrittenThrough) {
  using Z = std::complex<float>;
  const float inf = std::numeric_limits<float>::infinity();
  Array c = from<Z>({{1, 2}, {3, inf}, {-0.0f, 6}, {7, -0.0f}});
  Array re = real(c), im = imag(c);
  EXPECT_TRUE(re.shares_cell(c));
  EXPECT_EQ(re.dtype(), DType::F32);
  re(Slice{0, 2}) = 9;
  imag(c) += 1;
  c(Slice{3}) *= 2;
  EXPECT_THAT(re.to_vector<float>(), ElementsAre(9, 9, -0.0f, 14));
  EXPECT_THAT(im.to_vector<float>(), ElementsAre(3, inf, 7, 2));
  real(c.reshape({2, 2}).T())(1) = im.reshape({2, 2})(0);
  EXPECT_THAT(c.to_vector<Z>(), ElementsAre(Z(9, 3), Z(3, inf), Z(-0.0f, 7), Z(inf, 2)));
  EXPECT_TRUE(std::signbit(re.at(2).item<float>()));
  EXPECT_THAT(message_of([&] { re(0) = Z(1, 1); }),
              testing::StartsWith("assign: complex values cannot be stored as f32"));
  Array plain = counting({3});
  real(plain)(0) = 5;
  EXPECT_THAT(values(plain), ElementsAre(5, 1, 2));
}

TEST_P(ViewTest, AWriteToATemporaryThatIsNoViewIsRefused) {
  Array a = counting({4});
  const std::string rule = "nobody would see what is written to a temporary array that is no view of another";
  EXPECT_THAT(message_of([&] { (a + 1) = 7; }), testing::StartsWith("assign: " + rule));
  EXPECT_THAT(message_of([&] { (a * 2)(Slice{1}) += 1; }), testing::StartsWith("add: " + rule));
  a(Slice{1, 3}).assign(9);
  a.reshape({2, 2}).T()(0) *= 10;
  EXPECT_THAT(values(a), ElementsAre(0, 9, 90, 3));
}

TEST_P(ViewTest, ValuesAreBroadcastAndConvertedWhenAssigned) {
  Array a = zeros({2, 3}, DType::I32);
  a(Slice{}, 1) = from<double>({1.9, -2.9});
  EXPECT_THAT(values(a), ElementsAre(0, 1, 0, 0, -2, 0));
  a(0) = ones({1, 1, 3});
  EXPECT_THAT(values(a), ElementsAre(1, 1, 1, 0, -2, 0));
  a() = true;
  EXPECT_THAT(values(a), ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST_P(ViewTest, EmptyViewsAreReadAndWrittenWithoutEffect) {
  Array a = counting({3});
  a(Slice{2, 1}) = 9;
  a(Slice{2, 1}) += 1;
  EXPECT_THAT(values(a), ElementsAre(0, 1, 2));
  EXPECT_THAT(values(a(Slice{1, 1})), ElementsAreArray(V{}));
  EXPECT_EQ(counting({0, 3}).T().reshape({-1}).shape(), Shape{0});
}

TEST_P(ViewTest, ChainsOfViewsMayBeLong) {
  Array v = counting({3000});
  for (int i = 0; i < 2990; ++i) v = i % 7 == 0 ? flip(v(Slice{1})) : v(Slice{1});
  EXPECT_EQ(v.size(), 10);
  EXPECT_EQ(values(v).size(), 10u);
}

TEST_P(ViewTest, AStencilLoopOnSlicesMatchesPlainLoops) {
  Array u = zeros({8, 8}, DType::F64);
  u(0) = 1.0;
  std::vector<double> want(64, 0.0);
  for (int j = 0; j < 8; ++j) want[j] = 1;
  const Slice in{1, -1};
  for (int step = 0; step < 5; ++step) {
    u(in, in) = 0.25 * (u(Slice{2}, in) + u(Slice{{}, -2}, in) + u(in, Slice{2}) + u(in, Slice{{}, -2}));
    std::vector<double> next = want;
    for (int i = 1; i < 7; ++i) {
      for (int j = 1; j < 7; ++j) {
        next[i * 8 + j] = 0.25 * (want[(i + 1) * 8 + j] + want[(i - 1) * 8 + j] + want[i * 8 + j + 1] +
                                  want[i * 8 + j - 1]);
      }
    }
    want = next;
  }
  const std::vector<double> got = u.to_vector<double>();
  for (size_t i = 0; i < 64; ++i) EXPECT_NEAR(got[i], want[i], 1e-15) << i;
}

TEST_P(ViewTest, SmallPartsAreWrittenAtOnceUnlessTheOldValueIsNeeded) {
  Array a = counting({20, 20});
  a.eval();
  const Stats before = session_.stats();
  for (int i = 1; i < 4; ++i) a(i, Slice{0, 2}) = a(i - 1, Slice{1, 3}) * 2;
  const Array recorded = a + 1;
  a(0, 0) = 50;
  EXPECT_EQ(recorded.at(0, 0).item<int>(), 1);
  EXPECT_EQ(a.at(0, 0).item<int>(), 50);
  EXPECT_EQ(a.at(1, 0).item<int>(), 2);
  EXPECT_EQ(a.at(1, 1).item<int>(), 4);
  EXPECT_EQ(a.at(2, 0).item<int>(), 8);
  EXPECT_EQ(a.at(2, 1).item<int>(), 44);
  if (GetParam() > 0) {
    EXPECT_EQ(session_.stats().kernels_launched, before.kernels_launched);
  }
}

}  // namespace
}  // namespace weft
