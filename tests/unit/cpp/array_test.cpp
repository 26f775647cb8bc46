// Arrays against NumPy's semantics: creation, dtypes of results, arithmetic, reductions, shaping and
// products.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "frontend/cpp/record/resident_index.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;
using F = std::vector<float>;
using D = std::vector<double>;
using I = std::vector<int64_t>;

class ArrayTest : public testing::TestWithParam<int> {
 protected:
  TestSession session_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Both, ArrayTest, testing::Values(0, 1 << 20),
                         [](const auto& run) { return run.param ? "interpreted" : "compiled"; });

D doubles(const Array& a) { return a.astype(DType::F64).to_vector<double>(); }
I ints(const Array& a) { return a.to_vector<int64_t>(); }

TEST_P(ArrayTest, CreationGivesNumPysValuesAndDTypes) {
  EXPECT_THAT(ints(arange(4)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ints(arange(5, -2, -3)), ElementsAre(5, 2, -1));
  EXPECT_EQ(arange(3, 3).size(), 0);
  EXPECT_THAT(doubles(arange(0, 1, 0.25)), ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_EQ(arange(0, 1, 0.25).dtype(), DType::F64);
  EXPECT_EQ(arange(4, DType::F32).dtype(), DType::F32);
  EXPECT_THAT(doubles(linspace(0, 1, 5)), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(doubles(linspace(0, 1, 4, false)), ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_EQ(linspace(0, 0.1, 7).at(6).item<double>(), 0.1) << "the end is exact";
  EXPECT_THAT(doubles(eye(2, 3, 1)), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(doubles(tri(2, 3)), ElementsAre(1, 0, 0, 1, 1, 0));
  const Array a = arange(9).reshape({3, 3});
  EXPECT_THAT(ints(tril(a)), ElementsAre(0, 0, 0, 3, 4, 0, 6, 7, 8));
  EXPECT_THAT(ints(triu(a, 1)), ElementsAre(0, 1, 2, 0, 0, 5, 0, 0, 0));
  EXPECT_EQ(full({2}, true).dtype(), DType::Bool);
  EXPECT_EQ(full({2}, 7).dtype(), DType::I64);
  EXPECT_EQ(full({2}, std::complex<float>(1, 2)).dtype(), DType::C128);
  EXPECT_EQ(zeros({2}).dtype(), DType::F64);
  EXPECT_THAT(doubles(iota({2, 2}, 1)), ElementsAre(0, 1, 0, 1));
}

TEST_P(ArrayTest, EveryDTypeGoesInAndOut) {
  EXPECT_EQ(from(std::vector<bool>{true, false}).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(from<int8_t>({-3}).to_vector<int8_t>(), std::vector<int8_t>{-3});
  EXPECT_EQ(from<uint64_t>({~0ull}).to_vector<uint64_t>(), std::vector<uint64_t>{~0ull});
  EXPECT_EQ((from<std::complex<double>>({{1, 2}}) * 2).to_vector<std::complex<double>>()[0],
            (std::complex<double>(2, 4)));
  const Array h = from<float16>({float16(1.5f), float16(0.1f)}) + 1;
  EXPECT_EQ(h.dtype(), DType::F16);
  EXPECT_EQ(static_cast<float>(h.to_vector<float16>()[0]), 2.5f);
  EXPECT_EQ(static_cast<float>(bfloat16(1.0f)) + static_cast<float>(float16(2.0f)), 3.0f);
  EXPECT_EQ((from<bfloat16>({bfloat16(3.0f)}) * 2.0).dtype(), DType::BF16);
}

TEST_P(ArrayTest, NumbersAreWeakAndArraysPromote) {
  const Array i8 = from<int8_t>({1, 2}), u8 = from<uint8_t>({1, 2}), i64 = from<int64_t>({1, 2});
  const Array f32 = from<float>({1, 2}), f64 = from<double>({1, 2}), b = from(std::vector<bool>{true, false});
  EXPECT_EQ((i8 + 1).dtype(), DType::I8);
  EXPECT_EQ((1 + i8).dtype(), DType::I8);
  EXPECT_EQ((f32 * 2).dtype(), DType::F32);
  EXPECT_EQ((f32 * 0.5).dtype(), DType::F32);
  EXPECT_EQ((f32 * std::complex<double>(0, 1)).dtype(), DType::C64);
  EXPECT_EQ((i8 * 0.5).dtype(), DType::F64);
  EXPECT_EQ((b + 1).dtype(), DType::I64);
  EXPECT_EQ((b + true).dtype(), DType::Bool);
  EXPECT_EQ((i8 + u8).dtype(), DType::I16);
  EXPECT_EQ((i64 + f32).dtype(), DType::F64);
  EXPECT_EQ((f32 + f64).dtype(), DType::F64);
  EXPECT_EQ((i64 / i64).dtype(), DType::F64);
  EXPECT_EQ((i8 / 2).dtype(), DType::F64);
  EXPECT_EQ((f32 < 2).dtype(), DType::Bool);
  EXPECT_EQ(where(b, f32, 0).dtype(), DType::F32);
  EXPECT_EQ(where(b, 1, 2.0).dtype(), DType::F64);
  EXPECT_EQ(sqrt(u8).dtype(), DType::F16);
  EXPECT_EQ(abs(from<std::complex<float>>({{3, 4}})).dtype(), DType::F32);
  EXPECT_EQ(exp2(from<std::complex<float>>({{3, 4}})).dtype(), DType::C64);
  EXPECT_NEAR(abs(exp2(from<std::complex<double>>({{3, 1}})) - std::pow(2.0, std::complex<double>(3, 1)))
                  .item<double>(),
              0, 1e-14);
}

TEST_P(ArrayTest, OperatorsComputeElementwiseWithBroadcasting) {
  const Array a = from<int64_t>({7, -7, 8}), b = from<int64_t>({2, 3, -3});
  EXPECT_THAT(ints(a + b), ElementsAre(9, -4, 5));
  EXPECT_THAT(ints(a - b), ElementsAre(5, -10, 11));
  EXPECT_THAT(ints(10 - a), ElementsAre(3, 17, 2));
  EXPECT_THAT(ints(a * b), ElementsAre(14, -21, -24));
  EXPECT_THAT(doubles(a / 2), ElementsAre(3.5, -3.5, 4));
  EXPECT_THAT(ints(floor_divide(a, b)), ElementsAre(3, -3, -3));
  EXPECT_THAT(ints(a % b), ElementsAre(1, 2, -1));
  EXPECT_THAT(ints(-a), ElementsAre(-7, 7, -8));
  EXPECT_THAT(ints(~a), ElementsAre(-8, 6, -9));
  EXPECT_THAT(ints((a & 6) | (b ^ 1)), ElementsAre(7, 2 | (-7 & 6), -4 | 0));
  EXPECT_THAT(ints(a << 2), ElementsAre(28, -28, 32));
  EXPECT_THAT(ints(a >> 1), ElementsAre(3, -4, 4));
  EXPECT_THAT((a > b).to_vector<bool>(), ElementsAre(true, false, true));
  EXPECT_THAT((a == 8).to_vector<bool>(), ElementsAre(false, false, true));
  EXPECT_THAT((a != b).to_vector<bool>(), ElementsAre(true, true, true));
  const Array grid = arange(3).reshape({3, 1}) * 10 + arange(2);
  EXPECT_THAT(ints(grid), ElementsAre(0, 1, 10, 11, 20, 21));
  EXPECT_THAT(ints(clip(a, -5, 7)), ElementsAre(7, -5, 7));
  EXPECT_THAT(ints(clip(a, std::nullopt, 7)), ElementsAre(7, -7, 7));
  EXPECT_THAT(ints(where(a > 0, a, 0)), ElementsAre(7, 0, 8));
}

TEST_P(ArrayTest, ComparisonsOfIntegersAreExact) {
  const Array i = from<int64_t>({-1, INT64_MAX, INT64_MAX - 1, 0, INT64_MIN});
  const Array u =
      from<uint64_t>({UINT64_MAX, uint64_t{INT64_MAX} + 1, uint64_t{INT64_MAX} - 1, 0, uint64_t{1} << 63});
  EXPECT_THAT((i == u).to_vector<bool>(), ElementsAre(false, false, true, true, false));
  EXPECT_THAT((u != i).to_vector<bool>(), ElementsAre(true, true, false, false, true));
  EXPECT_THAT((i < u).to_vector<bool>(), ElementsAre(true, true, false, false, true));
  EXPECT_THAT((u < i).to_vector<bool>(), ElementsAre(false, false, false, false, false));
  EXPECT_THAT((i <= u).to_vector<bool>(), ElementsAre(true, true, true, true, true));
  EXPECT_THAT((u >= i).to_vector<bool>(), ElementsAre(true, true, true, true, true));
  EXPECT_THAT((u > i).to_vector<bool>(), ElementsAre(true, true, false, false, true));
  EXPECT_THAT((i.astype(DType::I32) >= u).to_vector<bool>(), ElementsAre(false, false, false, true, false));
  EXPECT_EQ((u == 5.0).to_vector<bool>(), std::vector<bool>(5, false));
}

TEST_P(ArrayTest, ComparisonsTakeNumbersThatDoNotFit) {
  const Array bytes = from<uint8_t>({0, 255, 44});
  EXPECT_THAT((bytes < 300).to_vector<bool>(), testing::Each(true));
  EXPECT_THAT((bytes == 300).to_vector<bool>(), testing::Each(false));  // 44 when wrapped
  EXPECT_THAT((bytes != -1).to_vector<bool>(), testing::Each(true));
  EXPECT_THAT((-1 < bytes).to_vector<bool>(), testing::Each(true));
  EXPECT_THAT((from<int8_t>({-128, 127}) >= 128).to_vector<bool>(), testing::Each(false));
  EXPECT_THAT((from<uint64_t>({UINT64_MAX, 0}) > -1).to_vector<bool>(), testing::Each(true));
  EXPECT_THAT((from<int64_t>({INT64_MAX, -1}) < UINT64_MAX).to_vector<bool>(), testing::Each(true));
  EXPECT_THAT((from<int64_t>({INT64_MAX, -1}) == UINT64_MAX).to_vector<bool>(), testing::Each(false));
}

TEST_P(ArrayTest, PositionsOutsideAreHeldToTheAxisWhereTheyAreComputedFirst) {
  const Array a = arange(6).reshape({2, 3});
  EXPECT_THAT(ints(take(a, from<int64_t>({2, -3}) * 4, 1)), ElementsAre(2, 0, 5, 3));
}

TEST_P(ArrayTest, NonNumbersAndSignedZerosAreKept) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Array a = from<double>({inf, -inf, nan, -0.0});
  EXPECT_THAT(isnan(a - a).to_vector<bool>(), ElementsAre(true, true, true, false));
  EXPECT_THAT(signbit(a * 1).to_vector<bool>(), testing::Contains(true));
  EXPECT_TRUE(std::signbit((a * 1).at(3).item<double>()));
  EXPECT_TRUE(std::isnan(max(a).item<double>()));
  EXPECT_EQ(argmax(a).item<int>(), 2);
}

TEST_P(ArrayTest, ItemRaisesWhatItsTypeDoesNotHold) {
  EXPECT_EQ(scalar(-128).item<int8_t>(), -128);
  EXPECT_EQ(scalar(2.9).item<uint8_t>(), 2);
  EXPECT_EQ(scalar(300).item<float16>(), 300.f);
  EXPECT_TRUE(scalar(300).item<bool>());
  EXPECT_EQ((from<uint64_t>({~uint64_t{0}})).item<uint64_t>(), ~uint64_t{0});
  EXPECT_EQ(message_of([] { scalar(300).item<int8_t>(); }),
            "item: i8 does not hold the value: got 300 of dtype i64");
  EXPECT_THROW(scalar(-1).item<uint64_t>(), OverflowError);
  EXPECT_THROW((from<uint64_t>({~uint64_t{0}})).item<int64_t>(), OverflowError);
  EXPECT_THROW(scalar(0x1p63).item<int64_t>(), OverflowError);
  EXPECT_THROW(scalar(std::nan("")).item<int>(), OverflowError);
  EXPECT_THROW(scalar(1e300).item<float>(), OverflowError);
  EXPECT_EQ(scalar(std::numeric_limits<double>::infinity()).item<float>(),
            std::numeric_limits<float>::infinity());
}

TEST_P(ArrayTest, ReciprocalsOfIntegersHaveNoFraction) {
  // Each operand's own float, not that of an integer that holds both.
  EXPECT_EQ(hypot(zeros({2}, DType::I8), zeros({2}, DType::U8)).dtype(), DType::F16);
  EXPECT_EQ(copysign(zeros({2}, DType::U16), zeros({2}, DType::I8)).dtype(), DType::F32);
  EXPECT_EQ(atan2(zeros({2}, DType::I32), zeros({2}, DType::U8)).dtype(), DType::F64);
  EXPECT_THAT(reciprocal(from<int8_t>({1, -1, 2, -2, 0})).to_vector<int8_t>(), ElementsAre(1, -1, 0, 0, 0));
  EXPECT_THAT(reciprocal(from<uint16_t>({1, 2, 0})).to_vector<uint16_t>(), ElementsAre(1, 0, 0));
}

TEST_P(ArrayTest, ReductionsWidenAsNumPyAndKeepAxesOnRequest) {
  const Array a = arange(6, DType::I8).reshape({2, 3});
  EXPECT_EQ(sum(a).dtype(), DType::I64);
  EXPECT_EQ(sum(from<uint8_t>({255, 255})).dtype(), DType::U64);
  EXPECT_EQ(sum(from<uint8_t>({255, 255})).item<int>(), 510);
  EXPECT_EQ(sum(from(std::vector<bool>{true, true})).item<int>(), 2);
  EXPECT_THAT(ints(sum(a, 0)), ElementsAre(3, 5, 7));
  EXPECT_THAT(ints(sum(a, -1)), ElementsAre(3, 12));
  EXPECT_EQ(sum(a, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(sum(a, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_THAT(ints(prod(a + 1, 1)), ElementsAre(6, 120));
  EXPECT_EQ(max(a).dtype(), DType::I8);
  EXPECT_EQ(max(a).item<int>(), 5);
  EXPECT_EQ(min(a, 1).at(1).item<int>(), 3);
  EXPECT_THAT(ints(argmax(a, 0)), ElementsAre(1, 1, 1));
  EXPECT_EQ(argmin(-a).item<int>(), 5);
  EXPECT_TRUE(any(a).item<bool>());
  EXPECT_FALSE(all(a).item<bool>());
  EXPECT_EQ(count_nonzero(a).item<int>(), 5);
  EXPECT_EQ(sum(zeros({0, 3}), 0).shape(), Shape{3});
  EXPECT_EQ(sum(zeros({0})).item<double>(), 0);
}

TEST_P(ArrayTest, StatisticsMatchTheirDefinitions) {
  const Array a = from<double>({1, 2, 4, 8}).reshape({2, 2});
  EXPECT_EQ(mean(arange(4)).item<double>(), 1.5);
  EXPECT_EQ(mean(arange(4)).dtype(), DType::F64);
  EXPECT_THAT(doubles(mean(a, 0)), ElementsAre(2.5, 5));
  EXPECT_THAT(doubles(var(a, 1)), ElementsAre(0.25, 4));
  EXPECT_THAT(doubles(var(a, 1, 1)), ElementsAre(0.5, 8));
  EXPECT_THAT(doubles(stddev(a, 1)), ElementsAre(0.5, 2));
  EXPECT_TRUE(std::isinf(var(from<double>({1, 2}), {}, 2).item<double>()));
  const Array big = full({1000}, 60000.0, DType::F16);
  EXPECT_EQ(mean(big).item<float>(), 60000.0f) << "the sum alone would overflow f16";
  EXPECT_EQ(mean(big).dtype(), DType::F16);
  EXPECT_DOUBLE_EQ(logsumexp(from<double>({1000, 1000})).item<double>(), 1000 + std::log(2.0));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(logsumexp(from<double>({-inf, -inf})).item<double>(), -inf);
  const Array s = softmax(from<double>({0, 1000, 1000}));
  EXPECT_THAT(doubles(s), ElementsAre(0, 0.5, 0.5));
  EXPECT_THAT(doubles(exp(log_softmax(a, 1)) - softmax(a, 1)), testing::Each(testing::DoubleNear(0, 1e-15)));
  EXPECT_DOUBLE_EQ(var(from<std::complex<double>>({{1, 1}, {-1, -1}})).item<double>(), 2);
}

TEST_P(ArrayTest, ScansFollowNumPysRules) {
  const Array a = arange(6, DType::I8).reshape({2, 3});
  EXPECT_THAT(ints(cumulative_sum(a, 1)), ElementsAre(0, 1, 3, 3, 7, 12));
  EXPECT_THAT(ints(cumulative_sum(a, 0)), ElementsAre(0, 1, 2, 3, 5, 7));
  EXPECT_EQ(cumulative_sum(a, 0).dtype(), DType::I64);
  EXPECT_EQ(cumulative_sum(a, 0, DType::F32).dtype(), DType::F32);
  EXPECT_EQ(cumulative_max(a, 0).dtype(), DType::I8);
  EXPECT_THAT(ints(cumulative_sum(a, -1, {}, true)), ElementsAre(0, 0, 1, 3, 0, 3, 7, 12));
  EXPECT_THAT(ints(cumulative_prod(a + 1, 1, {}, true)), ElementsAre(1, 1, 2, 6, 1, 4, 20, 120));
  EXPECT_EQ(cumulative_sum(from<uint8_t>({255, 255})).dtype(), DType::U64);
  EXPECT_THAT(cumulative_sum(from<uint8_t>({255, 255})).to_vector<uint64_t>(), ElementsAre(255, 510));
  EXPECT_THAT(ints(cumulative_sum(from(std::vector<bool>{true, false, true}))), ElementsAre(1, 1, 2));
  EXPECT_THAT(ints(cumulative_max(from<int64_t>({1, 3, 2, 5}))), ElementsAre(1, 3, 3, 5));
  EXPECT_THAT(ints(cumulative_min(from<int64_t>({4, 3, 5, 1}))), ElementsAre(4, 3, 3, 1));
  const Array n = cumulative_max(from<double>({1, std::nan(""), 3}));
  EXPECT_THAT(isnan(n).to_vector<bool>(), ElementsAre(false, true, true));
  EXPECT_EQ(cumulative_sum(zeros({0})).shape(), (Shape{0}));
  EXPECT_THAT(ints(cumulative_sum(zeros({0}, DType::I64), 0, {}, true)), ElementsAre(0));
  EXPECT_EQ(message_of([&] { cumulative_sum(a); }),
            "cumulative_sum: the axis must be given but for arrays of one axis: got shape (2, 3)");
}

TEST_P(ArrayTest, ShapingPlacesElementsAsNumPy) {
  const Array a = arange(6).reshape({2, 3});
  EXPECT_THAT(ints(roll(a, 1, 1)), ElementsAre(2, 0, 1, 5, 3, 4));
  EXPECT_THAT(ints(roll(a, -7)), ElementsAre(1, 2, 3, 4, 5, 0));
  EXPECT_THAT(ints(tile(arange(2), {2, 2})), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(ints(repeat(arange(3), 2)), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(ints(repeat(a, 2, 0)), ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_THAT(ints(concat({a, a}, 1)), ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_EQ(concat({a, a.astype(DType::F32)}).dtype(), DType::F64);
  EXPECT_THAT(ints(stack({arange(2), arange(2) + 5}, 1)), ElementsAre(0, 5, 1, 6));
  EXPECT_THAT(ints(pad(arange(2), {{1, 2}}, 9)), ElementsAre(9, 0, 1, 9, 9));
  EXPECT_THAT(ints(take(a, from<int64_t>({2, -3}), 1)), ElementsAre(2, 0, 5, 3));
  EXPECT_EQ(take(a, zeros({2, 2}, DType::I32), 0).shape(), (Shape{2, 2, 3}));
  EXPECT_THAT(ints(take_along_axis(a, argmax(a, 1, true), 1)), ElementsAre(2, 5));
  Array b = a.copy();
  put_along_axis(b, argmin(b, 1, true), -1, 1);
  EXPECT_THAT(ints(b), ElementsAre(-1, 1, 2, -1, 4, 5));
  EXPECT_THAT(ints(b + 1), ElementsAre(0, 2, 3, 0, 5, 6));
  const Array odd = remainder(a, 2) == 1;
  EXPECT_THAT(ints(take_where(a, odd)), ElementsAre(1, 3, 5));
  EXPECT_THAT(ints(take_where(a, from<bool>({false, true}))), ElementsAre(3, 4, 5));
  put_where(b, odd, take_where(b, odd) + take_where(a, odd) * 10);
  EXPECT_THAT(ints(b), ElementsAre(-1, 11, 2, 29, 4, 55));
  put_where(b, odd, from<int64_t>({7, 8, 9}));
  EXPECT_THAT(ints(b), ElementsAre(-1, 7, 2, 8, 4, 9));
  put_where(b, odd, 0);
  EXPECT_THAT(ints(b), ElementsAre(-1, 0, 2, 0, 4, 0));
  EXPECT_THROW(take_where(a, arange(2)), IndexError);
}

TEST_P(ArrayTest, ProductsFollowNumPysRules) {
  const Array a = arange(6, DType::F64).reshape({2, 3}), b = arange(12, DType::F64).reshape({3, 4});
  EXPECT_THAT(doubles(matmul(a, b)), ElementsAre(20, 23, 26, 29, 56, 68, 80, 92));
  EXPECT_THAT(doubles(matmul(a, arange(3, DType::F64))), ElementsAre(5, 14));
  EXPECT_THAT(doubles(matmul(arange(2, DType::F64), a)), ElementsAre(3, 4, 5));
  EXPECT_EQ(matmul(arange(3), arange(3)).item<int>(), 5);
  EXPECT_EQ(matmul(ones({5, 1, 2, 3}), ones({4, 3, 2})).shape(), (Shape{5, 4, 2, 2}));
  EXPECT_THAT(ints(matmul(arange(4).reshape({2, 2}), arange(4).reshape({2, 2}))), ElementsAre(2, 3, 6, 11));
  EXPECT_EQ(matmul(ones({2, 2}, DType::F16), ones({2, 2}, DType::F16)).dtype(), DType::F16);
  EXPECT_THAT(doubles(matmul(a.T(), a)), ElementsAre(9, 12, 15, 12, 17, 22, 15, 22, 29));
  EXPECT_THAT(doubles(tensordot(a, b, 1)), ElementsAre(20, 23, 26, 29, 56, 68, 80, 92));
  EXPECT_EQ(tensordot(a, a).item<double>(), 55);
  EXPECT_EQ(tensordot(ones({2, 3, 4}), ones({4, 5, 3}), {1, 2}, {2, 0}).shape(), (Shape{2, 5}));
  EXPECT_EQ(dot(ones({2, 3, 4}), ones({5, 4, 6})).shape(), (Shape{2, 3, 5, 6}));
  EXPECT_THAT(ints(dot(arange(3), 2)), ElementsAre(0, 2, 4));
  EXPECT_THAT(ints(outer(arange(2), arange(3) + 1)), ElementsAre(0, 0, 0, 1, 2, 3));
  const Array z = from<std::complex<double>>({{1, 2}, {3, -1}});
  EXPECT_EQ(vecdot(z, z).item<std::complex<double>>(), std::complex<double>(15, 0));
}

TEST_P(ArrayTest, InPlaceResultsKeepTheDType) {
  Array a = from<float>({1, 2});
  a *= from<double>({1.5, 2.5});
  EXPECT_EQ(a.dtype(), DType::F32);
  EXPECT_THAT(a.to_vector<float>(), ElementsAre(1.5f, 5.0f));
  Array i = from<int32_t>({5, 6});
  i += from<int64_t>({1, 1});
  i <<= 1;
  i %= 8;
  i |= 1;
  EXPECT_THAT(i.to_vector<int32_t>(), ElementsAre(5, 7));
  a -= 1;
  a /= 2;
  EXPECT_THAT(a.to_vector<float>(), ElementsAre(0.25f, 2.0f));
}

TEST_P(ArrayTest, OneElementIsReadWithoutCompiling) {
  const Array a = from<float>({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  const Stats before = session_.stats();
  EXPECT_EQ(a.at(1, -1).item<float>(), 6.0f);
  EXPECT_EQ(a.T()(Slice{{}, {}, -1}, 1).at(0).item<double>(), 6.0);
  EXPECT_THAT(a(Slice{}, 1).to_vector<float>(), ElementsAre(2, 5));
  EXPECT_EQ(a.span<float>()[4], 5.0f);
  EXPECT_EQ(a(1).span<float>()[0], 4.0f);
  const Stats after = session_.stats();
  EXPECT_EQ(after.compiles, before.compiles);
  EXPECT_EQ(after.kernels_launched, before.kernels_launched);
  EXPECT_EQ(after.interpreted, before.interpreted);
}

TEST_P(ArrayTest, LargeArraysComputeWhatSmallOnesDo) {
  const int64_t n = 100003;
  const Array x = arange(n, DType::F32) * (1.0f / n);
  const Array y = where(x > 0.5, exp(-x * x), sin(x) + 1);
  const F got = y.to_vector<float>();
  for (int64_t i = 0; i < n; i += 977) {
    const float v = static_cast<float>(i) * (1.0f / n);
    const float want = v > 0.5f ? std::exp(-v * v) : std::sin(v) + 1;
    EXPECT_NEAR(got[static_cast<size_t>(i)], want, 4e-7f) << i;
  }
  EXPECT_NEAR(mean(x).item<double>(), 0.5, 1e-4);
}

TEST_P(ArrayTest, ArangeGoesBeyondSignedNumbers) {
  const Array a = arange(0, UINT64_MAX, uint64_t{1} << 62);
  EXPECT_EQ(a.to_vector<uint64_t>(),
            (std::vector<uint64_t>{0, uint64_t{1} << 62, uint64_t{2} << 62, uint64_t{3} << 62}));
}

TEST_P(ArrayTest, SoftmaxOfNothingIsEmptyAndItsSumIsMinusInfinity) {
  for (const Shape& shape : {Shape{0}, Shape{2, 0}}) {
    EXPECT_EQ(softmax(zeros(shape), -1).to_vector<double>().size(), 0u);
    EXPECT_EQ(softmax(zeros(shape), -1).shape(), shape);
    EXPECT_EQ(log_softmax(zeros(shape), -1).shape(), shape);
  }
  EXPECT_EQ(logsumexp(zeros({0})).item<double>(), -INFINITY);
  EXPECT_EQ(logsumexp(zeros({2, 0}), 1).to_vector<double>(), (std::vector<double>{-INFINITY, -INFINITY}));
}

TEST(Positions, CountUpInADtypeThatHoldsThem) {
  TestSession session;
  EXPECT_TRUE(detail::counts_up(iota({256}, 0, {DType::U8})));
  EXPECT_FALSE(detail::counts_up(iota({257}, 0, {DType::U8})));
  EXPECT_FALSE(detail::counts_up(iota({129}, 0, {DType::I8})));
}

}  // namespace
}  // namespace weft
