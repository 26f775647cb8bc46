// Integer and bool functions against plain arithmetic in 128 bits.
#include <functional>
#include <random>

#include "tests/unit/prelude/prelude_calls.h"

namespace weft::prelude_test {
namespace {

__extension__ typedef __int128 Wide;

Wide value(const Scalar& s) {
  return kind(s.dtype) == DTypeKind::Unsigned ? static_cast<Wide>(static_cast<uint64_t>(s.i))
                                              : static_cast<Wide>(s.i);
}
Scalar wrapped(Wide v, DType t) { return Scalar::of(static_cast<int64_t>(v)).cast(t); }

Wide floor_divide(Wide a, Wide b) {
  if (b == 0) return 0;
  Wide q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

Wide pow_wrapped(Wide a, Wide b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  uint64_t r = 1, p = static_cast<uint64_t>(a);
  for (; b; b /= 2, p *= p)
    if (b % 2) r *= p;
  return static_cast<Wide>(static_cast<int64_t>(r));
}

// Every pair of edge values, or every `step`-th.
std::vector<Column> pairs(DType t, size_t step) {
  Column one = edges(t);
  std::vector<Column> out(2);
  for (size_t i = 0; i < one.size() * one.size(); i += step)
    out[0].push_back(one[i / one.size()]), out[1].push_back(one[i % one.size()]);
  return out;
}

void check2(const std::string& op, bool to_bool, const std::function<Wide(Wide, Wide, int bits)>& want,
            bool (*dtypes)(DType)) {
  for (int lanes : kLanes)
    for (DType t : dtypes_where(dtypes)) {
      std::vector<Column> in = pairs(t, lanes == 16 ? 1 : 13);
      std::string function = "weft_" + op + suffix(t);
      DType result = to_bool ? DType::Bool : t;
      Column got = map(lanes, function, result, in);
      for (size_t i = 0; i < got.size() && !testing::Test::HasFailure(); ++i)
        expect_same(got[i],
                    wrapped(want(value(in[0][i]), value(in[1][i]), static_cast<int>(size_of(t)) * 8), result),
                    function, {in[0][i], in[1][i]});
    }
}

bool is_bits(DType t) { return kind(t) <= DTypeKind::Unsigned; }

TEST(PreludeIntegers, FloorDivideRoundsDownAndNeverTraps) {
  check2("floor_divide", false, [](Wide a, Wide b, int) { return floor_divide(a, b); }, is_integer);
}
// Multiples of divisors of every magnitude, and their neighbours: where a quotient by a reciprocal errs
// first.
TEST(PreludeIntegers, FloorDivideIsExactBesideMultiples) {
  std::mt19937_64 draw(1);
  for (DType t : dtypes_where(is_integer)) {
    std::vector<Column> in(2);
    for (int i = 0; i < 20000; ++i) {
      const auto any = [&] { return value(wrapped(static_cast<Wide>(draw() >> draw() % 64), t)); };
      const Wide by = any(), times = any();
      in[0].push_back(wrapped(by * times + static_cast<Wide>(draw() % 3) - 1, t));
      in[1].push_back(wrapped(by, t));
    }
    const std::string function = "weft_floor_divide" + suffix(t);
    const Column got = map(16, function, t, in);
    for (size_t i = 0; i < got.size() && !testing::Test::HasFailure(); ++i)
      expect_same(got[i], wrapped(floor_divide(value(in[0][i]), value(in[1][i])), t), function,
                  {in[0][i], in[1][i]});
  }
}
TEST(PreludeIntegers, RemainderTakesTheSignOfTheDivisor) {
  check2(
      "remainder", false, [](Wide a, Wide b, int) { return b == 0 ? Wide(0) : a - floor_divide(a, b) * b; },
      is_integer);
}
TEST(PreludeIntegers, PowWrapsAndNegativeExponentsGiveZero) {
  check2("pow", false, [](Wide a, Wide b, int) { return pow_wrapped(a, b); }, is_integer);
}
TEST(PreludeIntegers, ShiftsByTooMuchGiveZeroOrTheSign) {
  check2(
      "bitwise_left_shift", false,
      [](Wide a, Wide b, int bits) { return b < 0 || b >= bits ? Wide(0) : a << b; }, is_integer);
  check2(
      "bitwise_right_shift", false,
      [](Wide a, Wide b, int bits) { return b < 0 || b >= bits ? (a < 0 ? Wide(-1) : Wide(0)) : a >> b; },
      is_integer);
}
TEST(PreludeIntegers, MaximumAndMinimum) {
  check2("maximum", false, [](Wide a, Wide b, int) { return std::max(a, b); }, is_bits);
  check2("minimum", false, [](Wide a, Wide b, int) { return std::min(a, b); }, is_bits);
}
TEST(PreludeIntegers, Comparisons) {
  check2("equal", true, [](Wide a, Wide b, int) { return Wide(a == b); }, is_bits);
  check2("not_equal", true, [](Wide a, Wide b, int) { return Wide(a != b); }, is_bits);
  check2("less", true, [](Wide a, Wide b, int) { return Wide(a < b); }, is_bits);
  check2("less_equal", true, [](Wide a, Wide b, int) { return Wide(a <= b); }, is_bits);
  check2("greater", true, [](Wide a, Wide b, int) { return Wide(a > b); }, is_bits);
  check2("greater_equal", true, [](Wide a, Wide b, int) { return Wide(a >= b); }, is_bits);
}
TEST(PreludeIntegers, LogicAndBits) {
  check2("logical_and", true, [](Wide a, Wide b, int) { return Wide(a && b); }, is_bits);
  check2("logical_or", true, [](Wide a, Wide b, int) { return Wide(a || b); }, is_bits);
  check2("logical_xor", true, [](Wide a, Wide b, int) { return Wide(!a != !b); }, is_bits);
  check2("bitwise_and", false, [](Wide a, Wide b, int) { return a & b; }, is_bits);
  check2("bitwise_or", false, [](Wide a, Wide b, int) { return a | b; }, is_bits);
  check2("bitwise_xor", false, [](Wide a, Wide b, int) { return a ^ b; }, is_bits);
}

TEST(PreludeIntegers, OneArgument) {
  struct Case {
    const char* op;
    Wide (*want)(Wide);
  };
  for (int lanes : kLanes)
    for (DType t : dtypes_where(is_integer))
      for (const Case& c : {Case{"abs", [](Wide a) { return a < 0 ? -a : a; }},
                            {"negative", [](Wide a) { return -a; }},
                            {"sign", [](Wide a) { return Wide(a > 0) - Wide(a < 0); }},
                            {"square", [](Wide a) { return pow_wrapped(a, 2); }},
                            {"bitwise_invert", [](Wide a) { return ~a; }},
                            {"positive", [](Wide a) { return a; }},
                            {"floor", [](Wide a) { return a; }},
                            {"relu", [](Wide a) { return a < 0 ? Wide(0) : a; }},
                            {"imag", [](Wide) { return Wide(0); }}}) {
        std::string function = std::string("weft_") + c.op + suffix(t);
        Column in = edges(t), got = map(lanes, function, t, {in});
        for (size_t i = 0; i < in.size(); ++i)
          expect_same(got[i], wrapped(c.want(value(in[i])), t), function, {in[i]});
      }
}

TEST(PreludeIntegers, LogicalNotAndBoolInvert) {
  Column in = {Scalar::of(true), Scalar::of(false), Scalar::of(true)};
  for (const char* function : {"weft_logical_not_bool", "weft_bitwise_invert_bool"}) {
    Column got = map(4, function, DType::Bool, {in});
    for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(got[i].i, !in[i].i) << function;
  }
}

}  // namespace
}  // namespace weft::prelude_test
