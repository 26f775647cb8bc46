// Maps as the interpreter computes them: every row of the op table, on every dtype, against its own
// evaluation in higher precision, and the values for which NumPy or a standard has an answer of its own.
#include <random>

#include "tests/support/interpret_values.h"

namespace weft::ir {
namespace {

long double ulp_of(long double value, DType t) {
  if (t == DType::F32 || t == DType::C64) {
    const float v = std::abs(static_cast<float>(value));
    if (!std::isfinite(v)) return std::numeric_limits<float>::max() * 0x1p-24L;
    return static_cast<long double>(std::nextafter(v, std::numeric_limits<float>::infinity())) - v;
  }
  const double v = std::abs(static_cast<double>(value));
  if (!std::isfinite(v)) return std::numeric_limits<double>::max() * 0x1p-53L;
  return static_cast<long double>(std::nextafter(v, kInf)) - v;
}

class EveryMap : public testing::TestWithParam<int> {};

std::vector<HostTensor> random_inputs(const OpInfo& row, DType t, const Shape& shape, std::mt19937& random) {
  double low = row.domain.low, high = row.domain.high;
  if (kind(t) == DTypeKind::Unsigned) low = std::max(low, 0.0);
  std::uniform_real_distribution<double> draw(low, high);
  std::vector<HostTensor> result;
  for (int i = 0; i < row.arity; ++i) {
    std::vector<Z> values(static_cast<size_t>(element_count(shape)));
    for (Z& v : values) v = Z(draw(random), draw(random));
    result.push_back(tensor(t, shape, values));
  }
  return result;
}

TEST_P(EveryMap, FloatsAgreeWithTheHigherPrecisionWithinTheRowsBound) {
  const auto op = static_cast<Op>(GetParam());
  const OpInfo& row = info(op);
  std::mt19937 random(17);
  if (op == Op::nextafter) return;  // the neighbour depends on the format; tested below
  for (DType t : {DType::F32, DType::F64}) {
    if (!accepts(op, t)) continue;
    const std::vector<HostTensor> args = random_inputs(row, t, {7, 13}, random);
    const HostTensor got = map_of(op, args);
    const double bound = std::max(0.5, double{t == DType::F32 ? row.ulp.f32 : row.ulp.f64});
    for (size_t i = 0; i < 91; ++i) {
      long double x[kMostOperands] = {};
      for (size_t k = 0; k < args.size(); ++k) x[k] = element(args[k], i).re;
      if (row.result == Result::Bool) {
        EXPECT_EQ(element(got, i).i, row.eval.f80.predicate(x)) << row.name;
        continue;
      }
      if (row.result == Result::Complex) {
        const std::complex<long double> exact = row.eval.f80.join(x);
        EXPECT_TRUE(element(got, i).re == exact.real() && element(got, i).im == exact.imag()) << row.name;
        continue;
      }
      const long double exact = row.eval.f80.value(x);
      const long double value = element(got, i).re;
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(value)) << row.name;
      } else if (value != exact) {
        EXPECT_LE(std::abs(value - exact), bound * ulp_of(exact, t) * 1.0001L)
            << row.name << " of " << static_cast<double>(x[0]) << ", " << static_cast<double>(x[1]) << " in "
            << name(t);
      }
    }
  }
}

TEST_P(EveryMap, ComplexValuesAgreeWithTheHigherPrecisionWithinTheRowsBound) {
  const auto op = static_cast<Op>(GetParam());
  const OpInfo& row = info(op);
  std::mt19937 random(18);
  for (DType t : {DType::C64, DType::C128}) {
    if (!accepts(op, t)) continue;
    const std::vector<HostTensor> args = random_inputs(row, t, {7, 13}, random);
    const HostTensor got = map_of(op, args);
    for (size_t i = 0; i < 91; ++i) {
      std::complex<long double> x[kMostOperands] = {};
      for (size_t k = 0; k < args.size(); ++k) x[k] = {element(args[k], i).re, element(args[k], i).im};
      if (row.result == Result::Bool) {
        EXPECT_EQ(element(got, i).i, row.eval.c160.predicate(x)) << row.name;
        continue;
      }
      const std::complex<long double> exact = row.eval.c160.value(x);
      const std::complex<long double> value(element(got, i).re, element(got, i).im);
      if (!std::isfinite(exact.real()) || !std::isfinite(exact.imag())) continue;
      if (!std::isfinite(static_cast<float>(std::abs(exact))) && t == DType::C64) continue;
      EXPECT_LE(std::abs(value - exact), row.complex_ulp * ulp_of(std::abs(exact), t))
          << row.name << " of " << static_cast<double>(x[0].real()) << " + "
          << static_cast<double>(x[0].imag()) << "i in " << name(t);
    }
  }
}

TEST_P(EveryMap, TakesEveryAcceptedDTypeOnOddShapesAndRoundsToIt) {
  const auto op = static_cast<Op>(GetParam());
  const OpInfo& row = info(op);
  std::mt19937 random(19);
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto t = static_cast<DType>(d);
    if (!accepts(op, t)) continue;
    for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{3, 1, 5}, Shape{1, 1, 2, 1, 1, 7}}) {
      const std::vector<HostTensor> args = random_inputs(row, t, shape, random);
      const HostTensor got = map_of(op, args);
      ASSERT_EQ(got.type.shape, shape);
      // Each element alone, folded as constants, gives the same bits. What kernels round in their own way is not
      // folded.
      for (size_t i = 0; i < static_cast<size_t>(element_count(shape)); ++i) {
        std::vector<NodeRef> constants;
        for (const HostTensor& a : args) constants.push_back(constant({t, {}}, element(a, i)));
        const NodeRef one = map(op, constants);
        if (!rounds_once(op, t, got.type.dtype)) {
          EXPECT_EQ(one->op, op) << name(t);
          continue;
        }
        const Scalar folded = one->as<ConstantAttr>().value;
        const Scalar value = element(got, i);
        EXPECT_TRUE(value.same(folded) || (std::isnan(value.re) && std::isnan(folded.re)))
            << row.name << " " << name(t) << " " << value.re << " " << folded.re;
      }
    }
  }
}

std::vector<int> evaluated_maps() {
  std::vector<int> all;
  for (int i = 0; i < kOpCount; ++i) {
    const OpInfo& row = info(static_cast<Op>(i));
    if (row.kind == OpKind::Map && row.result != Result::Stated && static_cast<Op>(i) != Op::select)
      all.push_back(i);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Op, EveryMap, testing::ValuesIn(evaluated_maps()),
                         [](const auto& i) { return std::string(name(static_cast<Op>(i.param))); });

struct Expected {
  Op op;
  Numbers args;
  double result;
};

TEST(Maps, SpecialValuesAreNumPys) {
  const Expected table[] = {
      {Op::maximum, {-0.0, 0.0}, 0.0},
      {Op::maximum, {0.0, -0.0}, 0.0},
      {Op::minimum, {0.0, -0.0}, -0.0},
      {Op::minimum, {-0.0, 0.0}, -0.0},
      {Op::maximum, {kNan, 1}, kNan},
      {Op::maximum, {1, kNan}, kNan},
      {Op::minimum, {kInf, kNan}, kNan},
      {Op::relu, {-0.0}, 0.0},
      {Op::relu, {kNan}, kNan},
      {Op::sign, {-0.0}, 0.0},
      {Op::sign, {kNan}, kNan},
      {Op::sign, {-kInf}, -1},
      {Op::floor_divide, {7, 2}, 3},
      {Op::floor_divide, {-7, 2}, -4},
      {Op::floor_divide, {7, -2}, -4},
      {Op::floor_divide, {1, 0}, kInf},
      {Op::floor_divide, {-1, 0}, -kInf},
      {Op::floor_divide, {0, 0}, kNan},
      {Op::floor_divide, {1, kInf}, 0},
      {Op::floor_divide, {-1, kInf}, -0.0},
      {Op::floor_divide, {kInf, 2}, kInf},
      {Op::floor_divide, {-0.0, 3}, -0.0},
      {Op::floor_divide, {1, 0.1}, 9},
      {Op::remainder, {7, 3}, 1},
      {Op::remainder, {-7, 3}, 2},
      {Op::remainder, {7, -3}, -2},
      {Op::remainder, {6, -3}, -0.0},
      {Op::remainder, {-6, 3}, 0.0},
      {Op::remainder, {1, 0}, kNan},
      {Op::remainder, {kInf, 2}, kNan},
      {Op::remainder, {-1, kInf}, kInf},
      {Op::remainder, {1, kInf}, 1},
      {Op::round, {0.5}, 0},
      {Op::round, {1.5}, 2},
      {Op::round, {2.5}, 2},
      {Op::round, {-0.5}, -0.0},
      {Op::trunc, {-0.9}, -0.0},
      {Op::sigmoid, {-1000}, 0},
      {Op::sigmoid, {1000}, 1},
      {Op::sigmoid, {0}, 0.5},
      {Op::softplus, {1000}, 1000},
      {Op::softplus, {-1000}, 0},
      {Op::softplus, {kNan}, kNan},
      {Op::softplus, {-kInf}, 0},
      {Op::logaddexp, {-kInf, -kInf}, -kInf},
      {Op::logaddexp, {kInf, kInf}, kInf},
      {Op::logaddexp, {kInf, -kInf}, kInf},
      {Op::logaddexp, {1000, 0}, 1000},
      {Op::logaddexp, {kNan, kInf}, kNan},
      {Op::pow, {0, -1}, kInf},
      {Op::pow, {1, kNan}, 1},
      {Op::pow, {kNan, 0}, 1},
      {Op::sqrt, {-0.0}, -0.0},
      {Op::lgamma, {-3}, kInf},
      {Op::lgamma, {-kInf}, kInf},
      {Op::nextafter, {0, 1}, 5e-324},
      {Op::copysign, {3, -0.0}, -3},
      {Op::hypot, {1e300, 0}, 1e300},
      {Op::hypot, {kInf, kNan}, kInf},
      {Op::atan2, {-0.0, -1}, -M_PI},
      {Op::gelu, {kInf}, kInf},
      {Op::gelu, {-0.0}, -0.0},
      {Op::gelu_tanh, {kInf}, kInf},
  };
  for (const Expected& e : table) {
    EXPECT_TRUE(same_number(one(e.op, DType::F64, e.args).re, e.result)) << name(e.op) << " of " << e.args[0];
  }
}

TEST(Maps, IntegersWrapAndNeverTrap) {
  const double low = -128;
  const Expected table[] = {
      {Op::add, {127, 1}, -128},
      {Op::subtract, {low, 1}, 127},
      {Op::multiply, {64, 4}, 0},
      {Op::negative, {low}, low},
      {Op::abs, {low}, low},
      {Op::floor_divide, {low, -1}, low},
      {Op::floor_divide, {5, 0}, 0},
      {Op::floor_divide, {-7, 2}, -4},
      {Op::floor_divide, {7, -2}, -4},
      {Op::remainder, {low, -1}, 0},
      {Op::remainder, {5, 0}, 0},
      {Op::remainder, {-7, 3}, 2},
      {Op::remainder, {7, -3}, -2},
      {Op::pow, {3, 5}, -13},
      {Op::pow, {0, 0}, 1},
      {Op::pow, {2, -1}, 0},
      {Op::pow, {-1, -3}, -1},
      {Op::pow, {1, -3}, 1},
      {Op::pow, {0, -1}, 0},
      {Op::bitwise_left_shift, {1, 7}, -128},
      {Op::bitwise_left_shift, {1, 8}, 0},
      {Op::bitwise_left_shift, {1, -1}, 0},
      {Op::bitwise_left_shift, {1, 100}, 0},
      {Op::bitwise_right_shift, {-128, 3}, -16},
      {Op::bitwise_right_shift, {-1, 100}, -1},
      {Op::bitwise_right_shift, {-5, -1}, -1},
      {Op::bitwise_right_shift, {5, -1}, 0},
      {Op::bitwise_invert, {5}, -6},
      {Op::sign, {-9}, -1},
      {Op::square, {12}, -112},
      {Op::round, {7}, 7},
  };
  for (const Expected& e : table) {
    EXPECT_EQ(one(e.op, DType::I8, e.args).i, e.result) << name(e.op) << " of " << e.args[0];
  }
  const Scalar least{DType::I64, INT64_MIN, 0, 0}, minus_one{DType::I64, -1, 0, 0};
  const auto i64 = [](Op op, std::initializer_list<Scalar> args) {
    std::vector<NodeRef> constants;
    for (const Scalar& s : args) constants.push_back(constant({DType::I64, {}}, s));
    return map(op, constants)->as<ConstantAttr>().value.i;
  };
  EXPECT_EQ(i64(Op::floor_divide, {least, minus_one}), INT64_MIN);
  EXPECT_EQ(i64(Op::remainder, {least, minus_one}), 0);
  EXPECT_EQ(i64(Op::add, {least, minus_one}), INT64_MAX);
  EXPECT_EQ(i64(Op::multiply, {least, minus_one}), INT64_MIN);
  EXPECT_EQ(i64(Op::abs, {least}), INT64_MIN);
  EXPECT_EQ(one(Op::subtract, DType::U8, {3, 5}).i, 254);
  EXPECT_EQ(one(Op::negative, DType::U16, {1}).i, 65535);
  EXPECT_EQ(one(Op::bitwise_invert, DType::U8, {1}).i, 254);
  EXPECT_EQ(one(Op::bitwise_right_shift, DType::U8, {200, 3}).i, 25);
}

// The known answers of the authors' library, Random123 (its file kat_vectors).
TEST(Maps, ThreefryGivesThePublishedAnswers) {
  const uint64_t table[][3] = {
      {0, 0, 0x99ba4efe6b200159},
      {0xffffffffffffffff, 0xffffffffffffffff, 0xbb002be71cb996fc},
      {0x85a308d3243f6a88, 0x0370734413198a2e, 0x483df7a0c4923a9c},
  };
  for (const auto& [counter, key, bits] : table) {
    const auto word = [](uint64_t v) {
      return constant({DType::U64, {}}, Scalar{DType::U64, static_cast<int64_t>(v), 0, 0});
    };
    const NodeRef in[] = {word(counter), word(key)};
    EXPECT_EQ(static_cast<uint64_t>(map(Op::threefry, in)->as<ConstantAttr>().value.i), bits);
  }
}

TEST(Maps, BoolsAddAndMultiplyAsLogic) {
  EXPECT_EQ(one(Op::add, DType::Bool, {1, 1}).i, 1);
  EXPECT_EQ(one(Op::multiply, DType::Bool, {1, 0}).i, 0);
  EXPECT_EQ(one(Op::maximum, DType::Bool, {0, 1}).i, 1);
  EXPECT_EQ(one(Op::bitwise_xor, DType::Bool, {1, 1}).i, 0);
  EXPECT_EQ(one(Op::bitwise_invert, DType::Bool, {1}).i, 0);
  EXPECT_EQ(one(Op::less, DType::Bool, {0, 1}).i, 1);
}

TEST(Maps, FusedMultiplyAddOfHalvesRoundsOnce) {
  // 1 + 2^-11 + something too small for f32 lies above the middle of two halves.
  EXPECT_EQ(one(Op::fma, DType::F16, {1 + 0x1p-10, 0x1p-1, 0.5}).re, 1);
  EXPECT_EQ(one(Op::fma, DType::F16, {0x1p-12, 2 + 0x1p-9, 1}).re, 1 + 0x1p-10);
  EXPECT_EQ(one(Op::fma, DType::F16, {0x1p-12, 2, 1}).re, 1);
  EXPECT_EQ(one(Op::fma, DType::F16, {1.0009765625, 32, 0x1p-24}).re, 32.03125);
  EXPECT_EQ(one(Op::fma, DType::BF16, {1 + 3 * 0x1p-7, 1 + 4 * 0x1p-6, 0x1p-100}).re,
            one(Op::fma, DType::BF16, {1 + 3 * 0x1p-7, 1 + 4 * 0x1p-6, 0x1p-20}).re);
  EXPECT_TRUE(std::isnan(one(Op::fma, DType::BF16, {kInf, 0, 1}).re));
  EXPECT_EQ(one(Op::fma, DType::F16, {65504, 2, -kInf}).re, -kInf);
}

TEST(Maps, HalvesStepInTheirOwnFormat) {
  EXPECT_EQ(one(Op::nextafter, DType::F16, {1, 2}).re, 1 + 0x1p-10);
  EXPECT_EQ(one(Op::nextafter, DType::F16, {1, 0}).re, 1 - 0x1p-11);
  EXPECT_EQ(one(Op::nextafter, DType::BF16, {1, 2}).re, 1 + 0x1p-7);
  EXPECT_EQ(one(Op::nextafter, DType::BF16, {-1, -2}).re, -1 - 0x1p-7);
  EXPECT_EQ(one(Op::nextafter, DType::F16, {0, -1}).re, -0x1p-24);
  EXPECT_EQ(one(Op::nextafter, DType::F16, {-0.0, 1}).re, 0x1p-24);
  EXPECT_EQ(one(Op::nextafter, DType::F16, {65504, kInf}).re, kInf);
  EXPECT_EQ(one(Op::nextafter, DType::F16, {kInf, 0}).re, 65504);
  EXPECT_EQ(one(Op::nextafter, DType::F16, {0x1p-24, -1}).re, 0);
  EXPECT_TRUE(same_number(one(Op::nextafter, DType::F16, {0.0, -0.0}).re, -0.0));
  EXPECT_TRUE(std::isnan(one(Op::nextafter, DType::F16, {1, kNan}).re));
  EXPECT_TRUE(std::isnan(one(Op::nextafter, DType::BF16, {kNan, 1}).re));
}

Z complex_of(Op op, Z x) {
  const Scalar s = element(map_of(op, {tensor(DType::C128, {}, std::vector<Z>{x})}), 0);
  return {s.re, s.im};
}

TEST(Maps, ComplexSpecialValuesFollowAnnexG) {
  const struct {
    Op op;
    Z x, result;
  } table[] = {
      {Op::exp, {-kInf, 1}, {0, 0}},
      {Op::exp, {kInf, 0}, {kInf, 0}},
      {Op::exp, {kNan, 0}, {kNan, 0}},
      {Op::exp, {kInf, kInf}, {kInf, kNan}},
      {Op::log, {0, 0}, {-kInf, 0}},
      {Op::log, {-0.0, 0}, {-kInf, M_PI}},
      {Op::log, {-kInf, kInf}, {kInf, 3 * M_PI / 4}},
      {Op::log, {kNan, kInf}, {kInf, kNan}},
      {Op::log10, {0, 0}, {-kInf, 0}},
      {Op::log2, {8, 0}, {3, 0}},
      {Op::log1p, {-1, 0}, {-kInf, 0}},
      {Op::log1p, {kInf, kNan}, {kInf, kNan}},
      {Op::log1p, {1, kInf}, {kInf, M_PI / 2}},
      {Op::log1p, {kNan, 1}, {kNan, kNan}},
      {Op::expm1, {0, 0}, {0, 0}},
      {Op::expm1, {kInf, 0}, {kInf, 0}},
      {Op::expm1, {-kInf, 1}, {-1, 0}},
      {Op::expm1, {-kInf, kInf}, {-1, 0}},
      {Op::expm1, {kInf, kNan}, {kInf, kNan}},
      {Op::expm1, {1, kInf}, {kNan, kNan}},
      {Op::expm1, {-kInf, kNan}, {-1, 0}},
      {Op::expm1, {kNan, 0}, {kNan, 0}},
      {Op::sqrt, {-1, 0}, {0, 1}},
      {Op::sqrt, {-1, -0.0}, {0, -1}},
      {Op::tanh, {kInf, 1}, {1, 0}},
      {Op::sign, {3, 4}, {0.6, 0.8}},
      {Op::sign, {0, 0}, {0, 0}},
      {Op::sign, {1e308, 1e308}, {M_SQRT1_2, M_SQRT1_2}},
      {Op::sign, {5e-324, 0}, {1, 0}},
      {Op::square, {1, 2}, {-3, 4}},
      {Op::conj, {1, 2}, {1, -2}},
      {Op::round, {0.5, 1.5}, {0, 2}},
      {Op::positive, {1, -2}, {1, -2}},
      {Op::negative, {1, -2}, {-1, 2}},
  };
  const auto near = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 4e-16 * std::abs(b);
  };
  for (const auto& e : table) {
    const Z got = complex_of(e.op, e.x);
    EXPECT_TRUE(near(got.real(), e.result.real()) && near(got.imag(), e.result.imag()))
        << name(e.op) << " of " << e.x << " gave " << got << ", not " << e.result;
  }
}

TEST(Maps, ComplexNumbersAreJoinedOfTheirPartsAsTheyAre) {
  const double parts[] = {1.5, -0.0, 0.0, kInf, -kInf, kNan};
  for (DType t : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    for (double re : parts) {
      for (double im : parts) {
        const Scalar z = one(Op::complex, t, {re, im});
        EXPECT_EQ(z.dtype, weft::complex_of(t));
        EXPECT_TRUE(same_number(z.re, re) && same_number(z.im, im)) << z.re << " " << z.im;
      }
    }
  }
}

TEST(Maps, ComplexPowersAreExactForSmallIntegers) {
  const auto power = [](Z x, Z y) {
    const Scalar s = element(map_of(Op::pow, {tensor(DType::C128, {}, std::vector<Z>{x}),
                                              tensor(DType::C128, {}, std::vector<Z>{y})}),
                             0);
    return Z(s.re, s.im);
  };
  EXPECT_EQ(power({1, 2}, {2, 0}), Z(-3, 4));
  EXPECT_EQ(power({0, 1}, {4, 0}), Z(1, 0));
  EXPECT_EQ(power({0, 2}, {-1, 0}), Z(0, -0.5));
  EXPECT_EQ(power({0, 0}, {0, 0}), Z(1, 0));
  EXPECT_EQ(power({0, 0}, {2, 0}), Z(0, 0));
  EXPECT_TRUE(std::isnan(power({0, 0}, {-1, 0}).real()));
}

TEST(Maps, ExactNearZero) {
  const Z small(1e-10, 1e-10);
  EXPECT_NEAR(complex_of(Op::expm1, small).real(), 1e-10, 1e-25);
  EXPECT_NEAR(complex_of(Op::log1p, small).real(), 1e-10, 1e-25);
  EXPECT_NEAR(one(Op::gelu, DType::F64, {-10}).re, -7.619853024160583e-23, 1e-36);
}

TEST(Maps, SelectAndConversions) {
  const HostTensor c = tensor(DType::Bool, {3}, Numbers{1, 0, 1});
  const HostTensor a = tensor(DType::I16, {3}, Numbers{1, 2, 3}),
                   b = tensor(DType::I16, {3}, Numbers{-1, -2, -3});
  EXPECT_EQ(numbers(map_of(Op::select, {c, a, b})), (Numbers{1, -2, 3}));
  const HostTensor f = tensor(DType::F32, {2, 2}, Numbers{1.5, -300, kNan, kInf});
  EXPECT_EQ(numbers(run({f}, [](Refs x) { return cast(x[0], DType::I8); })), (Numbers{1, -128, 0, 127}));
  EXPECT_EQ(
      numbers(run({tensor(DType::I8, {2}, Numbers{-1, 3})}, [](Refs x) { return bitcast(x[0], DType::U8); })),
      (Numbers{255, 3}));
  EXPECT_EQ(
      numbers(run({tensor(DType::F32, {1}, Numbers{-2})}, [](Refs x) { return bitcast(x[0], DType::U32); })),
      (Numbers{0xc0000000}));
  EXPECT_EQ(numbers(run({tensor(DType::F64, {0}, Numbers{})}, [](Refs x) { return cast(x[0], DType::C64); })),
            Numbers{});
}

}  // namespace
}  // namespace weft::ir
