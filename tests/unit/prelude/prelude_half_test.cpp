// f16 and bf16: every bit pattern.
#include <bit>
#include <cmath>

#include "tests/unit/prelude/prelude_calls.h"

namespace weft::prelude_test {
namespace {

Column all_values(DType t) {
  Column out;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t b = static_cast<uint16_t>(bits);
    out.push_back(Scalar::load(t, &b));
  }
  return out;
}

TEST(PreludeHalves, EveryBitPatternSurvivesLoadAndStore) {
  for (DType t : {DType::F16, DType::BF16}) {
    Column in = all_values(t), got = map(16, "weft_positive" + suffix(t), t, {in});
    for (size_t i = 0; i < in.size(); ++i) expect_same(got[i], in[i], "weft_positive" + suffix(t));
  }
}

TEST(PreludeHalves, RoundingIsToNearestEvenBetweenEveryPairOfNeighbours) {
  for (DType t : {DType::F16, DType::BF16})
    for (double at : {0.25, 0.5, 0.75}) {
      Column in, want;
      Column values = all_values(t);
      for (size_t i = 0; i + 1 < values.size(); ++i) {
        double a = values[i].re, b = values[i + 1].re;
        if (!std::isfinite(a) || !std::isfinite(b) || std::signbit(a) != std::signbit(b)) continue;
        in.push_back(Scalar::of(a + (b - a) * at).cast(DType::F32));
        bool up = at > 0.5 || (at == 0.5 && i % 2 == 1);
        want.push_back(values[up ? i + 1 : i].cast(DType::F32));
      }
      Column got = map(16, "weft_round" + suffix(t), DType::F32, {in});
      for (size_t i = 0; i < in.size(); ++i) expect_same(got[i], want[i], "weft_round" + suffix(t), {in[i]});
    }
}

TEST(PreludeHalves, NextafterStepsToTheNeighbour) {
  for (DType t : {DType::F16, DType::BF16})
    for (double towards : {HUGE_VAL, -HUGE_VAL}) {
      Column in = all_values(t), to(in.size(), Scalar::of(towards).cast(t));
      Column got = map(16, "weft_nextafter" + suffix(t), t, {in, to});
      for (uint32_t i = 0; i < 65536; ++i) {
        Scalar want = in[i];
        if (!is_nan(in[i]) && in[i].re != towards) {
          bool away = (towards > 0) == (in[i].re > 0);
          uint16_t bits = static_cast<uint16_t>(in[i].re == 0 ? (towards < 0 ? 0x8001 : 1)
                                                : away        ? i + 1
                                                              : i - 1);
          want = Scalar::load(t, &bits);
        }
        expect_same(got[i], want, "weft_nextafter" + suffix(t), {in[i]});
      }
    }
}

// Products in the middle of two halves and sums that nearly cancel, moved by what f32, or f64, has no room
// for.
TEST(PreludeHalves, FusedMultiplyAddRoundsOnce) {
  for (DType t : {DType::F16, DType::BF16}) {
    const double unit = t == DType::F16 ? 0x1p-10 : 0x1p-7, least = t == DType::F16 ? 0x1p-24 : 0x1p-120;
    std::vector<Column> in(3);
    Column want;
    for (int i = 1; i < 128; i += 2)
      for (int k = 1; k < 128; k += 2)
        for (double z : {0.0, least, -least, -1.0, 0x1p-13, -0x1p-13}) {
          const double x = 1 + i * unit, y = 1 + k * unit;
          in[0].push_back(Scalar::of(x).cast(t));
          in[1].push_back(Scalar::of(y).cast(t));
          in[2].push_back(Scalar::of(z).cast(t));
          // Exact in f64 but for the least z, which then only breaks ties.
          const double product = x * y, sum = product + z;
          const bool lost = sum == product && z != 0;
          want.push_back(Scalar::of(lost ? std::nextafter(sum, z > 0 ? 8 : -8) : sum).cast(t));
        }
    const Column got = map(16, "weft_fma" + suffix(t), t, in);
    for (size_t i = 0; i < got.size(); ++i)
      expect_same(got[i], want[i], "weft_fma" + suffix(t), {in[0][i], in[1][i], in[2][i]});
  }
}

TEST(PreludeHalves, Predicates) {
  for (DType t : {DType::F16, DType::BF16}) {
    Column in = all_values(t);
    Column nan = map(16, "weft_isnan" + suffix(t), DType::Bool, {in}),
           inf = map(16, "weft_isinf" + suffix(t), DType::Bool, {in});
    Column finite = map(16, "weft_isfinite" + suffix(t), DType::Bool, {in});
    Column sign = map(16, "weft_signbit" + suffix(t), DType::Bool, {in});
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(nan[i].i, std::isnan(in[i].re));
      EXPECT_EQ(inf[i].i, std::isinf(in[i].re));
      EXPECT_EQ(finite[i].i, std::isfinite(in[i].re));
      EXPECT_EQ(sign[i].i, i >= 32768);
    }
  }
}

double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

TEST(PreludeFloats, MaximumAndMinimumKeepNanAndOrderTheZeros) {
  for (int lanes : kLanes)
    for (DType t : dtypes_where(is_float)) {
      std::vector<Column> in(2);
      for (const Scalar& a : edges(t))
        for (const Scalar& b : edges(t)) in[0].push_back(a), in[1].push_back(b);
      Column most = map(lanes, "weft_maximum" + suffix(t), t, in),
             least = map(lanes, "weft_minimum" + suffix(t), t, in);
      for (size_t i = 0; i < most.size(); ++i) {
        double a = in[0][i].re, b = in[1][i].re;
        expect_same(most[i], Scalar{t, 0, larger(a, b), 0}, "maximum", {in[0][i], in[1][i]});
        expect_same(least[i], Scalar{t, 0, -larger(-a, -b), 0}, "minimum", {in[0][i], in[1][i]});
      }
    }
}

}  // namespace
}  // namespace weft::prelude_test
