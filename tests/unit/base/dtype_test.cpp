#include "compiler/base/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace weft {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(DType, NamesAreFoundAgain) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(t)), t);
  }
  EXPECT_EQ(dtype_from_name("float32"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DType, PromotionIsTheStandardsAndNumPysWhereThatIsOpen) {
  const char* names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",  "u16", "u32",
                         "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
  const char* table[15][15] = {
      // clang-format off
      //        bool    i8      i16     i32     i64     u8      u16     u32     u64     f16     bf16    f32     f64     c64     c128
      /*bool*/ {"bool", "i8",   "i16",  "i32",  "i64",  "u8",   "u16",  "u32",  "u64",  "f16",  "bf16", "f32",  "f64",  "c64",  "c128"},
      /*i8*/   {"i8",   "i8",   "i16",  "i32",  "i64",  "i16",  "i32",  "i64",  "f64",  "f16",  "bf16", "f32",  "f64",  "c64",  "c128"},
      /*i16*/  {"i16",  "i16",  "i16",  "i32",  "i64",  "i16",  "i32",  "i64",  "f64",  "f32",  "f32",  "f32",  "f64",  "c64",  "c128"},
      /*i32*/  {"i32",  "i32",  "i32",  "i32",  "i64",  "i32",  "i32",  "i64",  "f64",  "f64",  "f64",  "f64",  "f64",  "c128", "c128"},
      /*i64*/  {"i64",  "i64",  "i64",  "i64",  "i64",  "i64",  "i64",  "i64",  "f64",  "f64",  "f64",  "f64",  "f64",  "c128", "c128"},
      /*u8*/   {"u8",   "i16",  "i16",  "i32",  "i64",  "u8",   "u16",  "u32",  "u64",  "f16",  "bf16", "f32",  "f64",  "c64",  "c128"},
      /*u16*/  {"u16",  "i32",  "i32",  "i32",  "i64",  "u16",  "u16",  "u32",  "u64",  "f32",  "f32",  "f32",  "f64",  "c64",  "c128"},
      /*u32*/  {"u32",  "i64",  "i64",  "i64",  "i64",  "u32",  "u32",  "u32",  "u64",  "f64",  "f64",  "f64",  "f64",  "c128", "c128"},
      /*u64*/  {"u64",  "f64",  "f64",  "f64",  "f64",  "u64",  "u64",  "u64",  "u64",  "f64",  "f64",  "f64",  "f64",  "c128", "c128"},
      /*f16*/  {"f16",  "f16",  "f32",  "f64",  "f64",  "f16",  "f32",  "f64",  "f64",  "f16",  "f32",  "f32",  "f64",  "c64",  "c128"},
      /*bf16*/ {"bf16", "bf16", "f32",  "f64",  "f64",  "bf16", "f32",  "f64",  "f64",  "f32",  "bf16", "f32",  "f64",  "c64",  "c128"},
      /*f32*/  {"f32",  "f32",  "f32",  "f64",  "f64",  "f32",  "f32",  "f64",  "f64",  "f32",  "f32",  "f32",  "f64",  "c64",  "c128"},
      /*f64*/  {"f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "f64",  "c128", "c128"},
      /*c64*/  {"c64",  "c64",  "c64",  "c128", "c128", "c64",  "c64",  "c128", "c128", "c64",  "c64",  "c64",  "c128", "c64",  "c128"},
      /*c128*/ {"c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128"},
      // clang-format on
  };
  for (int a = 0; a < 15; ++a) {
    for (int b = 0; b < 15; ++b) {
      EXPECT_EQ(name(promote(*dtype_from_name(names[a]), *dtype_from_name(names[b]))), table[a][b])
          << names[a] << " with " << names[b];
    }
  }
}

TEST(DType, WeakScalarsKeepTheArraysDTypeUnlessTheirKindIsHigher) {
  using K = DTypeKind;
  EXPECT_EQ(promote_weak(DType::I8, K::Signed), DType::I8);
  EXPECT_EQ(promote_weak(DType::U16, K::Signed), DType::U16);
  EXPECT_EQ(promote_weak(DType::Bool, K::Bool), DType::Bool);
  EXPECT_EQ(promote_weak(DType::Bool, K::Signed), DType::I64);
  EXPECT_EQ(promote_weak(DType::Bool, K::Float), DType::F64);
  EXPECT_EQ(promote_weak(DType::I8, K::Float), DType::F64);
  EXPECT_EQ(promote_weak(DType::BF16, K::Float), DType::BF16);
  EXPECT_EQ(promote_weak(DType::F32, K::Signed), DType::F32);
  EXPECT_EQ(promote_weak(DType::F16, K::Complex), DType::C64);
  EXPECT_EQ(promote_weak(DType::F32, K::Complex), DType::C64);
  EXPECT_EQ(promote_weak(DType::F64, K::Complex), DType::C128);
  EXPECT_EQ(promote_weak(DType::U8, K::Complex), DType::C128);
  EXPECT_EQ(promote_weak(DType::C64, K::Complex), DType::C64);
  EXPECT_EQ(promote_weak(DType::C64, K::Float), DType::C64);
}

struct HalfFormat {
  DType dtype;
  uint16_t infinity;
  float (*widen)(uint16_t);
  uint16_t (*round)(float);
};

class Half : public testing::TestWithParam<HalfFormat> {};

TEST_P(Half, EveryValueSurvivesWideningAndRounding) {
  const HalfFormat& f = GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float wide = f.widen(half);
    if ((half & 0x7fff) > f.infinity) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
      EXPECT_TRUE((f.round(wide) & 0x7fff) > f.infinity) << bits;
    } else {
      ASSERT_EQ(f.round(wide), half) << bits;
    }
  }
}

TEST_P(Half, RoundsToNearestEvenFromDoubleAtOnce) {
  const HalfFormat& f = GetParam();
  const auto rounded = [&](double v) {
    uint16_t bits;
    Scalar::of(v).cast(f.dtype).store(&bits);
    return bits;
  };
  for (uint16_t low = 0; low + 1 < f.infinity; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const double middle = (double{f.widen(low)} + double{f.widen(high)}) / 2;
    ASSERT_EQ(rounded(middle), low & 1 ? high : low) << low;
    ASSERT_EQ(rounded(std::nextafter(middle, 0.0)), low) << low;
    ASSERT_EQ(rounded(std::nextafter(middle, kInf)), high) << low;
    ASSERT_EQ(rounded(-std::nextafter(middle, kInf)), high | 0x8000) << low;
  }
  const auto largest = static_cast<uint16_t>(f.infinity - 1);
  const double step = double{f.widen(largest)} - double{f.widen(static_cast<uint16_t>(largest - 1))};
  const double limit = double{f.widen(largest)} + step / 2;
  EXPECT_EQ(rounded(std::nextafter(limit, 0.0)), largest);
  EXPECT_EQ(rounded(limit), f.infinity);
  EXPECT_EQ(rounded(kInf), f.infinity);
  EXPECT_EQ(rounded(1e-300), 0);
  EXPECT_EQ(rounded(-0.0), 0x8000);
  EXPECT_EQ(rounded(5e-324), 0);
}

TEST_P(Half, IntegersRoundOnce) {
  const HalfFormat& f = GetParam();
  const auto value = [&](int64_t v) { return Scalar::of(v).cast(f.dtype).re; };
  EXPECT_EQ(value(0), 0);
  EXPECT_EQ(value(-3), -3);
  if (f.dtype == DType::BF16) {
    // Just above a tie, by less than a double can tell.
    EXPECT_EQ(value((int64_t{1} << 62) + (int64_t{1} << 54)), 0x1p62);
    EXPECT_EQ(value((int64_t{1} << 62) + (int64_t{1} << 54) + 1), 0x1p62 + 0x1p55);
    EXPECT_EQ(value(-(int64_t{1} << 62) - (int64_t{1} << 54) - 1), -0x1p62 - 0x1p55);
    EXPECT_EQ(value(INT64_MIN), -0x1p63);
    EXPECT_EQ((Scalar{DType::U64, -1, 0, 0}).cast(DType::BF16).re, 0x1p64);
  } else {
    EXPECT_EQ(value(65519), 65504);
    EXPECT_EQ(value(65520), kInf);
    EXPECT_EQ(value(INT64_MIN), -kInf);
    EXPECT_EQ(value(2049), 2048);
    EXPECT_EQ(value(2051), 2052);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Half,
                         testing::Values(HalfFormat{DType::F16, 0x7c00, f16_to_float, float_to_f16},
                                         HalfFormat{DType::BF16, 0x7f80, bf16_to_float, float_to_bf16}),
                         [](const auto& i) { return std::string(name(i.param.dtype)); });

TEST(Scalar, FloatsBecomeIntegersByTruncatingWithinTheLimits) {
  const auto as = [](double v, DType t) { return Scalar::of(v).cast(t).i; };
  EXPECT_EQ(as(2.9, DType::I32), 2);
  EXPECT_EQ(as(-2.9, DType::I32), -2);
  EXPECT_EQ(as(127.9, DType::I8), 127);
  EXPECT_EQ(as(128, DType::I8), 127);
  EXPECT_EQ(as(-128.9, DType::I8), -128);
  EXPECT_EQ(as(-1e30, DType::I8), -128);
  EXPECT_EQ(as(1e30, DType::I64), INT64_MAX);
  EXPECT_EQ(as(0x1p63, DType::I64), INT64_MAX);
  EXPECT_EQ(as(-0x1p63, DType::I64), INT64_MIN);
  EXPECT_EQ(as(-kInf, DType::I64), INT64_MIN);
  EXPECT_EQ(as(-1, DType::U8), 0);
  EXPECT_EQ(as(-0.5, DType::U64), 0);
  EXPECT_EQ(as(256, DType::U8), 255);
  EXPECT_EQ(as(4294967296.0, DType::U32), 4294967295);
  EXPECT_EQ(static_cast<uint64_t>(as(kInf, DType::U64)), UINT64_MAX);
  EXPECT_EQ(static_cast<uint64_t>(as(0x1p63, DType::U64)), uint64_t{1} << 63);
  for (DType t : {DType::I8, DType::I64, DType::U8, DType::U64}) EXPECT_EQ(as(kNan, t), 0);
}

TEST(Scalar, IntegersWrapAroundAndBecomeFloatsRoundedOnce) {
  EXPECT_EQ(Scalar::of(int64_t{300}).cast(DType::I8).i, 44);
  EXPECT_EQ(Scalar::of(int64_t{-1}).cast(DType::U16).i, 65535);
  EXPECT_EQ(Scalar::of(int64_t{200}).cast(DType::I8).i, -56);
  const Scalar top = Scalar::of(int64_t{-1}).cast(DType::U64);
  EXPECT_EQ(top.cast(DType::F64).re, 0x1p64);
  EXPECT_EQ(top.cast(DType::I8).i, -1);
  EXPECT_EQ(Scalar::of(int64_t{-1}).cast(DType::F64).re, -1);
  // Through double this would be a tie and go down.
  EXPECT_EQ(Scalar::of((int64_t{1} << 60) + (int64_t{1} << 36) + 1).cast(DType::F32).re, 0x1p60 + 0x1p37);
  EXPECT_EQ(Scalar::of((int64_t{1} << 53) + 1).cast(DType::F64).re, 0x1p53);
  EXPECT_EQ(Scalar::of((int64_t{1} << 53) + 3).cast(DType::F64).re, 0x1p53 + 4);
}

TEST(Scalar, ConvertsToAndFromBoolAndComplex) {
  EXPECT_EQ(Scalar::of(kNan).cast(DType::Bool).i, 1);
  EXPECT_EQ(Scalar::of(-0.0).cast(DType::Bool).i, 0);
  EXPECT_EQ(Scalar::of(0.25).cast(DType::Bool).i, 1);
  EXPECT_EQ(Scalar::of(int64_t{256}).cast(DType::Bool).i, 1);
  EXPECT_EQ(Scalar::of(std::complex<double>(0, 2)).cast(DType::Bool).i, 1);
  EXPECT_EQ(Scalar::of(true).cast(DType::C64).re, 1);
  const Scalar c = Scalar::of(std::complex<double>(0.1, 1e300)).cast(DType::C64);
  EXPECT_EQ(c.re, double{0.1f});
  EXPECT_EQ(c.im, kInf);
  EXPECT_EQ(Scalar::of(std::complex<double>(3.7, 5)).cast(DType::I16).i, 3);
  EXPECT_EQ(Scalar::of(std::complex<double>(3.7, 5)).cast(DType::F64).re, 3.7);
  EXPECT_EQ(Scalar::of(2.5).cast(DType::C128).im, 0);
}

TEST(Scalar, StoresWhatItLoads) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    for (double v : {0.0, 1.0, -0.0, 7.0, 100.0, -5.5}) {
      const Scalar s = Scalar::of(std::complex<double>(v, v / 2)).cast(t);
      std::byte bytes[17];
      std::memset(bytes, 0x5a, sizeof bytes);
      s.store(bytes);
      EXPECT_EQ(bytes[size_of(t)], std::byte{0x5a}) << name(t);
      EXPECT_TRUE(Scalar::load(t, bytes).same(s)) << name(t) << " " << v;
    }
  }
}

TEST(Scalar, SamenessLooksAtBits) {
  EXPECT_FALSE(Scalar::of(0.0).same(Scalar::of(-0.0)));
  EXPECT_TRUE(Scalar::of(kNan).same(Scalar::of(kNan)));
  EXPECT_FALSE(Scalar::of(kNan).same(Scalar::of(-kNan)));
  EXPECT_FALSE(Scalar::of(1.0).same(Scalar::of(1.0).cast(DType::F32)));
}

}  // namespace
}  // namespace weft
