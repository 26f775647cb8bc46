#include "compiler/ir/interpret.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"

namespace weft::ir {
namespace {

using Numbers = std::vector<double>;
using Z = std::complex<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

HostTensor tensor(DType t, Shape shape, const Numbers& values) {
  HostTensor result{{t, std::move(shape)}, {}};
  result.data.resize(values.size() * size_of(t));
  for (size_t i = 0; i < values.size(); ++i)
    Scalar::of(values[i]).cast(t).store(result.data.data() + i * size_of(t));
  return result;
}

HostTensor tensor(DType t, Shape shape, const std::vector<Z>& values) {
  HostTensor result{{t, std::move(shape)}, {}};
  result.data.resize(values.size() * size_of(t));
  for (size_t i = 0; i < values.size(); ++i)
    Scalar::of(values[i]).cast(t).store(result.data.data() + i * size_of(t));
  return result;
}

Scalar element(const HostTensor& x, size_t i) {
  return Scalar::load(x.type.dtype, x.data.data() + i * size_of(x.type.dtype));
}

Numbers numbers(const HostTensor& x) {
  Numbers result;
  for (size_t i = 0; i < x.data.size() / size_of(x.type.dtype); ++i) {
    result.push_back(element(x, i).cast(DType::F64).re);
  }
  return result;
}

NodeRef in(const HostTensor& like) { return input(like.type, {nullptr, "x", {}, 0}); }

// Applies what `make_node` builds from inputs of the tensors' types.
template <class F>
HostTensor run(const std::vector<HostTensor>& tensors, F&& make_node) {
  Graph graph;
  for (const HostTensor& t : tensors) graph.inputs.push_back(in(t));
  graph.outputs = {make_node(graph.inputs)};
  std::vector<HostTensor> results = interpret(graph, tensors);
  EXPECT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].type, graph.outputs[0]->type);
  EXPECT_EQ(results[0].data.size(),
            static_cast<size_t>(element_count(results[0].type.shape)) * size_of(results[0].type.dtype));
  return results[0];
}

using Refs = const std::vector<NodeRef>&;

HostTensor map_of(Op op, const std::vector<HostTensor>& tensors) {
  return run(tensors, [op](Refs x) { return map(op, x); });
}

// One op on single values of a dtype.
Scalar one(Op op, DType t, const Numbers& args) {
  std::vector<HostTensor> tensors;
  for (double a : args) tensors.push_back(tensor(t, {}, Numbers{a}));
  return element(map_of(op, tensors), 0);
}

// NaN equals NaN, and zeros differ by sign.
testing::AssertionResult same_number(double a, double b) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b))) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << a << " is not " << b;
}

Numbers counting(size_t n) {
  Numbers v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<double>(i);
  return v;
}

// ---- every map row, on every dtype, against its own evaluation in higher precision

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
      long double x[3] = {};
      for (size_t k = 0; k < args.size(); ++k) x[k] = element(args[k], i).re;
      if (row.result == Result::Bool) {
        EXPECT_EQ(element(got, i).i, row.eval.f80.predicate(x)) << row.name;
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
      std::complex<long double> x[3] = {};
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
      // Each element alone, folded as constants, gives the same bits.
      for (size_t i = 0; i < static_cast<size_t>(element_count(shape)); ++i) {
        std::vector<NodeRef> constants;
        for (const HostTensor& a : args) constants.push_back(constant({t, {}}, element(a, i)));
        const Scalar folded = map(op, constants)->as<ConstantAttr>().value;
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

// ---- special values

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

// ---- choice and conversion

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

// ---- sources

TEST(Sources, IotaCountsAlongItsAxis) {
  const auto iota_of = [](DType t, Shape shape, int64_t axis) {
    return numbers(interpret({{}, {iota({t, std::move(shape)}, axis)}}, {})[0]);
  };
  EXPECT_EQ(iota_of(DType::I64, {2, 3}, 0), (Numbers{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(iota_of(DType::F16, {2, 3}, 1), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(iota_of(DType::I8, {0}, 0), Numbers{});
  EXPECT_EQ(iota_of(DType::U8, {300}, 0)[299], 43);
}

TEST(Sources, ConstantsAndScalarsFillTheirShape) {
  const NodeRef s = scalar({DType::F32, {2, 2}}, "s");
  const NodeRef k = constant({DType::F32, {2, 2}}, Scalar::of(2.0));
  const HostTensor three = tensor(DType::F32, {}, Numbers{3});
  const auto results = interpret({{s}, {s, k, map(Op::multiply, {s, k})}}, {&three, 1});
  EXPECT_EQ(numbers(results[0]), (Numbers{3, 3, 3, 3}));
  EXPECT_EQ(numbers(results[1]), (Numbers{2, 2, 2, 2}));
  EXPECT_EQ(numbers(results[2]), (Numbers{6, 6, 6, 6}));
}

TEST(Sources, ArgumentsAreChecked) {
  const NodeRef x = input({DType::F32, {2}}, {nullptr, "x", {}, 0});
  const Graph graph{{x}, {map(Op::negative, {x})}};
  const auto message = [&](std::vector<HostTensor> args) -> std::string {
    try {
      interpret(graph, args);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({}), "interpret: the graph takes 1 arguments: got 0");
  EXPECT_EQ(message({tensor(DType::F64, {2}, Numbers{1, 2})}),
            "interpret: an argument must be f32(2,): got f64(2,) of 16 bytes");
  EXPECT_EQ(message({tensor(DType::F32, {2}, Numbers{1})}),
            "interpret: an argument must be f32(2,): got f32(2,) of 4 bytes");
  EXPECT_THROW(interpret({{}, {x}}, {}), InternalError);
}

// ---- views

TEST(Views, MoveElements) {
  const HostTensor x = tensor(DType::I32, {2, 3}, counting(6));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return permute(v[0], {1, 0}); })), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return reshape(v[0], {3, 1, 2}); })), counting(6));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return slice(v[0], {1, 2}, {2, 2}, {-1, -2}); })),
            (Numbers{5, 3, 2, 0}));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return slice(v[0], {0, 0}, {0, 3}, {1, 1}); })), Numbers{});
  EXPECT_EQ(numbers(run({tensor(DType::U8, {2, 1}, Numbers{7, 9})},
                        [](Refs v) { return broadcast(v[0], {2, 2, 3}); })),
            (Numbers{7, 7, 7, 9, 9, 9, 7, 7, 7, 9, 9, 9}));
  EXPECT_EQ(numbers(run({tensor(DType::C128, {}, Numbers{4})}, [](Refs v) { return broadcast(v[0], {3}); })),
            (Numbers{4, 4, 4}));
  EXPECT_EQ(
      numbers(run({tensor(DType::F16, {1, 0}, Numbers{})}, [](Refs v) { return broadcast(v[0], {2, 0}); })),
      Numbers{});
  const HostTensor deep = tensor(DType::F64, {2, 1, 2, 1, 3}, counting(12));
  EXPECT_EQ(numbers(run({deep}, [](Refs v) { return permute(v[0], {4, 2, 0, 1, 3}); })),
            (Numbers{0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11}));
}

TEST(Views, PadAndConcat) {
  const HostTensor x = tensor(DType::F32, {2, 2}, Numbers{1, 2, 3, 4}),
                   fill = tensor(DType::F32, {}, Numbers{9});
  const auto padded = [](Refs v) { return pad(v[0], v[1], {1, 0}, {0, 2}); };
  EXPECT_EQ(numbers(run({x, fill}, padded)), (Numbers{9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9}));
  EXPECT_EQ(numbers(run({tensor(DType::F32, {0, 1}, Numbers{}), fill}, padded)), (Numbers{9, 9, 9}));
  const HostTensor y = tensor(DType::F32, {2, 1}, Numbers{5, 6});
  EXPECT_EQ(numbers(run({x, y, tensor(DType::F32, {2, 0}, Numbers{})}, [](Refs v) { return concat(v, 1); })),
            (Numbers{1, 2, 5, 3, 4, 6}));
  EXPECT_EQ(numbers(run({x, x}, [](Refs v) { return concat(v, 0); })), (Numbers{1, 2, 3, 4, 1, 2, 3, 4}));
  // Inputs that are one value everywhere.
  EXPECT_EQ(numbers(run({y},
                        [](Refs v) {
                          const NodeRef parts[] = {v[0], constant({DType::F32, {2, 2}}, Scalar::of(0.5))};
                          return concat(parts, 1);
                        })),
            (Numbers{5, 0.5, 0.5, 6, 0.5, 0.5}));
}

// ---- reductions

Numbers reduced(Op op, const HostTensor& x, const Dims& axes) {
  return numbers(run({x}, [&](Refs v) { return reduce(op, v[0], axes); }));
}

TEST(Reductions, OverAnySetOfAxes) {
  const HostTensor x = tensor(DType::F32, {2, 3, 2}, counting(12));
  EXPECT_EQ(reduced(Op::sum, x, {0}), (Numbers{6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(reduced(Op::sum, x, {1}), (Numbers{6, 9, 24, 27}));
  EXPECT_EQ(reduced(Op::sum, x, {0, 2}), (Numbers{14, 22, 30}));
  EXPECT_EQ(reduced(Op::sum, x, {0, 1, 2}), (Numbers{66}));
  EXPECT_EQ(reduced(Op::max, x, {0, 2}), (Numbers{7, 9, 11}));
  EXPECT_EQ(reduced(Op::min, x, {1}), (Numbers{0, 1, 6, 7}));
  EXPECT_EQ(reduced(Op::prod, tensor(DType::I8, {3}, Numbers{100, 3, -1}), {0}), (Numbers{-44}));
  EXPECT_EQ(reduced(Op::argmax, x, {0, 2}), (Numbers{3, 3, 3}));
  EXPECT_EQ(reduced(Op::argmin, x, {1}), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F32, {3, 0}, Numbers{}), {0}), Numbers{});
  EXPECT_EQ(reduced(Op::max, tensor(DType::F32, {3, 0}, Numbers{}), {0}), Numbers{});
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F32, {2, 0}, Numbers{}), {1}), (Numbers{0, 0}));
  EXPECT_EQ(reduced(Op::prod, tensor(DType::F16, {0}, Numbers{}), {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::argmax, tensor(DType::F32, {2}, Numbers{5, 6}), {}), (Numbers{0, 0}));
}

TEST(Reductions, SumsRoundOnce) {
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F32, {3}, Numbers{0x1p24, 1, 1}), {0}), (Numbers{0x1p24 + 2}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F16, {3}, Numbers{2048, 1, 1}), {0}), (Numbers{2050}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F64, {3}, Numbers{1, 1e-30, -1}), {0})[0],
            0);  // below long double's reach
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F64, {3}, Numbers{0x1p53, 1, 1}), {0}), (Numbers{0x1p53 + 2}));
  // 1 + 2^-11 is a tie of f16; what decides it lies beyond a double's 53 bits but within a long double's 64.
  EXPECT_EQ(reduced(Op::prod, tensor(DType::F16, {2}, Numbers{1, 1}), {0}), (Numbers{1}));
  const Numbers tie{1, 0x1p-11, 0x1p-24};
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F16, {3}, tie), {0}), (Numbers{1 + 0x1p-10}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::BF16, {3}, Numbers{1, 0x1p-8, 0x1p-60}), {0}),
            (Numbers{1 + 0x1p-7}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::BF16, {3}, Numbers{1, 0x1p-8, -0x1p-60}), {0}), (Numbers{1}));
  EXPECT_TRUE(same_number(reduced(Op::sum, tensor(DType::F32, {2}, Numbers{-0.0, -0.0}), {0})[0], -0.0));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::I8, {3}, Numbers{100, 100, 100}), {0}), (Numbers{44}));
  EXPECT_TRUE(std::isnan(reduced(Op::sum, tensor(DType::F32, {2}, Numbers{kInf, -kInf}), {0})[0]));
}

TEST(Reductions, OfComplexValues) {
  const HostTensor z = tensor(DType::C64, {2}, std::vector<Z>{{1, 2}, {3, -1}});
  const auto reduce_to = [&](Op op) {
    const Scalar s = element(run({z}, [op](Refs v) { return reduce(op, v[0], {0}); }), 0);
    return Z(s.re, s.im);
  };
  EXPECT_EQ(reduce_to(Op::sum), Z(4, 1));
  EXPECT_EQ(reduce_to(Op::prod), Z(5, 5));
}

TEST(Reductions, NaNWinsAndTheFirstPositionCounts) {
  const HostTensor x = tensor(DType::F16, {5}, Numbers{1, kNan, 7, kNan, -2});
  EXPECT_TRUE(std::isnan(reduced(Op::max, x, {0})[0]));
  EXPECT_TRUE(std::isnan(reduced(Op::min, x, {0})[0]));
  EXPECT_EQ(reduced(Op::argmax, x, {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::argmin, x, {0}), (Numbers{1}));
  const HostTensor y = tensor(DType::I32, {5}, Numbers{3, 7, 1, 7, 1});
  EXPECT_EQ(reduced(Op::argmax, y, {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::argmin, y, {0}), (Numbers{2}));
  EXPECT_EQ(reduced(Op::argmax, tensor(DType::F32, {2}, Numbers{-0.0, 0.0}), {0}), (Numbers{0}));
  EXPECT_TRUE(same_number(reduced(Op::max, tensor(DType::F32, {2}, Numbers{-0.0, 0.0}), {0})[0], 0.0));
  EXPECT_EQ(reduced(Op::argmax, tensor(DType::Bool, {3}, Numbers{0, 1, 1}), {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::max, tensor(DType::U64, {2}, Numbers{0x1p63, 1}), {0}), (Numbers{0x1p63}));
}

TEST(Reductions, Logic) {
  const HostTensor x = tensor(DType::Bool, {2, 2}, Numbers{0, 1, 1, 1});
  EXPECT_EQ(reduced(Op::any, x, {1}), (Numbers{1, 1}));
  EXPECT_EQ(reduced(Op::all, x, {1}), (Numbers{0, 1}));
  EXPECT_EQ(reduced(Op::all, x, {0, 1}), (Numbers{0}));
}

TEST(Reductions, OfOneValueEverywhere) {
  const NodeRef k = constant({DType::F32, {3, 4}}, Scalar::of(1.5));
  EXPECT_EQ(numbers(interpret({{}, {reduce(Op::sum, k, {1})}}, {})[0]), (Numbers{6, 6, 6}));
}

// ---- indexed access, updates and products

TEST(Indexed, GatherCountsFromTheEndAndClamps) {
  const HostTensor x = tensor(DType::F32, {2, 3}, counting(6));
  const HostTensor index = tensor(DType::I64, {2, 4}, Numbers{0, -1, 7, -9, 2, 1, -3, -2});
  EXPECT_EQ(numbers(run({x, index}, [](Refs v) { return gather(v[0], v[1], 1); })),
            (Numbers{0, 2, 2, 0, 5, 4, 3, 4}));
  EXPECT_EQ(numbers(run({x, tensor(DType::I64, {1, 3}, Numbers{1, 0, 1})},
                        [](Refs v) { return gather(v[0], v[1], 0); })),
            (Numbers{3, 1, 5}));
  EXPECT_EQ(numbers(run({tensor(DType::F32, {1, 3}, counting(3)), tensor(DType::I64, {2, 1}, Numbers{2, 0})},
                        [](Refs v) { return gather(v[0], v[1], 1); })),
            (Numbers{2, 0}));
  EXPECT_EQ(
      numbers(run({x, tensor(DType::I64, {2, 0}, Numbers{})}, [](Refs v) { return gather(v[0], v[1], 1); })),
      Numbers{});
}

TEST(Indexed, ScatterKeepsTheLastAndScatterAddAddsAll) {
  const HostTensor x = tensor(DType::F32, {2, 3}, counting(6));
  const HostTensor index = tensor(DType::I64, {2, 3}, Numbers{0, 0, -1, 1, 9, 1});
  const HostTensor values = tensor(DType::F32, {2, 3}, Numbers{10, 20, 30, 40, 50, 60});
  const auto scattered = [](Op op) { return [op](Refs v) { return scatter(op, v[0], v[1], v[2], 1); }; };
  EXPECT_EQ(numbers(run({x, index, values}, scattered(Op::scatter))), (Numbers{20, 1, 30, 3, 60, 50}));
  EXPECT_EQ(numbers(run({x, index, values}, scattered(Op::scatter_add))), (Numbers{30, 1, 32, 3, 104, 55}));
  // The index broadcasts off the axis, and so do the values that scatter() is given.
  EXPECT_EQ(numbers(run({x, tensor(DType::I64, {1, 2}, Numbers{2, 0}), tensor(DType::F32, {}, Numbers{9})},
                        scattered(Op::scatter))),
            (Numbers{9, 1, 9, 9, 4, 9}));
  EXPECT_EQ(numbers(run({tensor(DType::I8, {1}, Numbers{100}), tensor(DType::I64, {2}, Numbers{0, 0}),
                         tensor(DType::I8, {2}, Numbers{20, 20})},
                        [](Refs v) { return scatter(Op::scatter_add, v[0], v[1], v[2], 0); })),
            (Numbers{-116}));
}

TEST(Indexed, UpdateReplacesAStridedRange) {
  const HostTensor x = tensor(DType::I16, {3, 4}, counting(12)),
                   v = tensor(DType::I16, {2, 2}, Numbers{-1, -2, -3, -4});
  EXPECT_EQ(numbers(run({x, v}, [](Refs n) { return update(n[0], n[1], {0, 3}, {2, -2}); })),
            (Numbers{0, -2, 2, -1, 4, 5, 6, 7, 8, -4, 10, -3}));
  EXPECT_EQ(numbers(run({tensor(DType::I16, {}, Numbers{1}), tensor(DType::I16, {}, Numbers{2})},
                        [](Refs n) { return make(Op::update, n, SliceAttr{}, {}); })),
            (Numbers{2}));
}

TEST(Indexed, Dot) {
  const HostTensor a = tensor(DType::F32, {2, 3}, counting(6)), b = tensor(DType::F32, {3, 2}, counting(6));
  const auto product = [](Refs v) { return dot(v[0], v[1]); };
  EXPECT_EQ(numbers(run({a, b}, product)), (Numbers{10, 13, 28, 40}));
  const HostTensor batched = tensor(DType::F32, {2, 1, 3}, counting(6));
  EXPECT_EQ(numbers(run({batched, b}, product)), (Numbers{10, 13, 28, 40}));
  EXPECT_EQ(
      numbers(run({tensor(DType::F16, {2, 0}, Numbers{}), tensor(DType::F16, {0, 1}, Numbers{})}, product)),
      (Numbers{0, 0}));
  const HostTensor z = tensor(DType::C64, {1, 1}, std::vector<Z>{{1, 2}});
  const Scalar square = element(run({z, z}, product), 0);
  EXPECT_EQ(Z(square.re, square.im), Z(-3, 4));
  EXPECT_EQ(numbers(run({tensor(DType::F16, {1, 3}, Numbers{2048, 1, 1}),
                         tensor(DType::F16, {3, 1}, Numbers{1, 1, 1})},
                        product)),
            (Numbers{2050}));
}

// ---- whole graphs

TEST(Graphs, EveryOutputComesWithSharedAndReshapedValuesIntact) {
  const HostTensor x = tensor(DType::F32, {2, 2}, Numbers{1, 2, 3, 4});
  const NodeRef n = in(x);
  const NodeRef flat = reshape(n, {4}), doubled = map(Op::add, {n, n});
  const NodeRef again = reshape(doubled, {4});
  const auto results =
      interpret({{n}, {n, flat, again, map(Op::add, {again, flat}), doubled, doubled}}, {&x, 1});
  EXPECT_EQ(numbers(results[0]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(results[1]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(results[2]), (Numbers{2, 4, 6, 8}));
  EXPECT_EQ(numbers(results[3]), (Numbers{3, 6, 9, 12}));
  EXPECT_EQ(numbers(results[4]), (Numbers{2, 4, 6, 8}));
  EXPECT_EQ(numbers(results[5]), (Numbers{2, 4, 6, 8}));
}

TEST(Graphs, ALongChainIsEvaluated) {
  const HostTensor x = tensor(DType::I32, {2}, Numbers{1, 2});
  const NodeRef n = in(x);
  NodeRef y = n;
  for (int i = 0; i < 100'000; ++i) y = map(Op::add, {y, n});
  EXPECT_EQ(numbers(interpret({{n}, {y}}, {&x, 1})[0]), (Numbers{100001, 200002}));
}

TEST(Graphs, UnusedArgumentsAreAllowed) {
  const HostTensor args[] = {tensor(DType::F32, {1}, Numbers{1}), tensor(DType::F32, {1}, Numbers{2})};
  const NodeRef a = in(args[0]), b = in(args[1]);
  EXPECT_EQ(numbers(interpret({{a, b}, {map(Op::negative, {b})}}, args)[0]), (Numbers{-2}));
}

}  // namespace
}  // namespace weft::ir
