// Every rule of simplify: what it makes of a graph, and that both compute the same bits, special values
// included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/analysis/special.h"
#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"

namespace weft {
namespace {

// The bits of two values, but for those of NaNs; `slack` of the value may differ.
bool same(const ir::HostTensor& a, const ir::HostTensor& b, double slack = 0) {
  if (a.type != b.type) return false;
  size_t size = size_of(a.type.dtype);
  for (size_t at = 0; at < a.data.size(); at += size) {
    Scalar x = Scalar::load(a.type.dtype, a.data.data() + at),
           y = Scalar::load(b.type.dtype, b.data.data() + at);
    auto equal = [&](double u, double v) {
      if (std::isnan(u) || std::isnan(v)) return std::isnan(u) && std::isnan(v);
      bool near = u == v || (std::isfinite(v) && std::abs(u - v) <= slack * std::abs(v));
      return near && std::signbit(u) == std::signbit(v);
    };
    if (x.i != y.i || !equal(x.re, y.re) || !equal(x.im, y.im)) return false;
  }
  return true;
}

void expect_same_values(const ir::Graph& before, const ir::Graph& after, double slack = 0) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto inputs = test::random_inputs(before, seed, {-3, 3}, 0.6);
    auto want = interpret(before, inputs), got = interpret(after, inputs);
    for (size_t k = 0; k < want.size(); ++k)
      ASSERT_TRUE(same(got[k], want[k], slack)) << "output " << k << ", seed " << seed << "\n"
                                                << print(before) << "became\n"
                                                << print(after);
  }
}

struct Rule {
  const char* name;
  const char* before;  // the lines of a graph that returns %r
  const char* after;   // the same, or null where nothing may change
  Numerics numerics = Numerics::Standard;
  double slack = 0;  // pow is not correctly rounded, sqrt is
};

ir::Graph graph(const std::string& lines) { return ir::parse("graph {\n" + lines + "\n return %r\n}"); }

const Rule kRules[] = {
    {"JoinConcatsOfOneAxis",
     "%x = input : f32[2, 3]\n %y = input \"y\" : f32[2, 3]\n %c = concat %x, %y, axis=0\n %d = concat %y, "
     "%c, %x, "
     "axis=0\n %r = concat %d, %y, axis=0",
     "%x = input : f32[2, 3]\n %y = input \"y\" : f32[2, 3]\n %r = concat %y, %x, %y, %x, %y, axis=0"},
    {"JoinNoConcatsThatAreReadTwiceOrOfAnotherAxis",
     "%x = input : f32[2, 3]\n %y = input \"y\" : f32[2, 3]\n %c = concat %x, %y, axis=0\n %d = concat %c, "
     "%c, "
     "axis=1\n %e = concat %d, %d, axis=1\n %r = concat %e, %d, axis=1",
     "%x = input : f32[2, 3]\n %y = input \"y\" : f32[2, 3]\n %c = concat %x, %y, axis=0\n %d = concat %c, "
     "%c, "
     "axis=1\n %r = concat %d, %d, %d, axis=1"},
    {"AddZeroToInteger", "%x = input : i32[40]\n %r = add %x, 0", "%r = input \"x\" : i32[40]"},
    {"AddIntegerToZero", "%x = input : i32[40]\n %r = add 0, %x", "%r = input \"x\" : i32[40]"},
    {"AddZeroToFloatStays", "%x = input : f32[40]\n %r = add %x, 0.0", nullptr},
    {"AddNegativeZero", "%x = input : f32[40]\n %r = add %x, -0.0", "%r = input \"x\" : f32[40]"},
    {"SubtractZero", "%x = input : f32[40]\n %r = subtract %x, 0.0", "%r = input \"x\" : f32[40]"},
    {"SubtractNegativeZeroStays", "%x = input : f32[40]\n %r = subtract %x, -0.0", nullptr},
    {"SubtractFromZeroStays", "%x = input : f32[40]\n %r = subtract 0.0, %x", nullptr},
    {"MultiplyByOne", "%x = input : f16[40]\n %r = multiply %x, 1.0", "%r = input \"x\" : f16[40]"},
    {"MultiplyOneBy", "%x = input : f32[40]\n %r = multiply 1.0, %x", "%r = input \"x\" : f32[40]"},
    {"MultiplyByMinusOne", "%x = input : f64[40]\n %r = multiply %x, -1.0",
     "%x = input : f64[40]\n %r = negative %x"},
    {"MultiplyMinusOneBy", "%x = input : i8[40]\n %r = multiply -1, %x",
     "%x = input : i8[40]\n %r = negative %x"},
    {"MultiplyIntegerByZero", "%x = input : i32[40]\n %r = multiply %x, 0", "%r = constant 0 : i32[40]"},
    {"MultiplyFloatByZeroStays", "%x = input : f32[40]\n %r = multiply %x, 0.0", nullptr},
    {"MultiplyComplexByOneStays", "%x = input : c64[40]\n %r = multiply %x, 1.0", nullptr},
    {"DivideByOne", "%x = input : f32[40]\n %r = divide %x, 1.0", "%r = input \"x\" : f32[40]"},
    {"DivideComplexByOneStays", "%x = input : c64[40]\n %r = divide %x, 1.0", nullptr},
    {"DivideByTwo", "%x = input : f32[40]\n %r = divide %x, 2.0",
     "%x = input : f32[40]\n %r = multiply %x, 0.5"},
    {"DivideByHalf", "%x = input : f64[40]\n %r = divide %x, 0.5",
     "%x = input : f64[40]\n %r = multiply %x, 2.0"},
    {"FloorDivideByEight", "%x = input : i32[40]\n %r = floor_divide %x, 8",
     "%x = input : i32[40]\n %r = bitwise_right_shift %x, 3"},
    {"RemainderByEight", "%x = input : i8[40]\n %r = remainder %x, 8",
     "%x = input : i8[40]\n %r = bitwise_and %x, 7"},
    {"FloorDivideByHighestBit", "%x = input : u64[40]\n %r = floor_divide %x, 9223372036854775808",
     "%x = input : u64[40]\n %r = bitwise_right_shift %x, 63"},
    {"RemainderByHighestBit", "%x = input : u64[40]\n %r = remainder %x, 9223372036854775808",
     "%x = input : u64[40]\n %r = bitwise_and %x, 9223372036854775807"},
    {"FloorDivideByOne", "%x = input : i64[40]\n %r = floor_divide %x, 1", "%r = input \"x\" : i64[40]"},
    {"RemainderByOne", "%x = input : u16[40]\n %r = remainder %x, 1", "%r = constant 0 : u16[40]"},
    {"FloorDivideByLowestStays", "%x = input : i8[40]\n %r = floor_divide %x, -128", nullptr},
    {"FloorDivideByZeroStays", "%x = input : i32[40]\n %r = floor_divide %x, 0", nullptr},
    {"RemainderByThreeStays", "%x = input : i32[40]\n %r = remainder %x, 3", nullptr},
    {"FloorDivideFloatByTwoStays", "%x = input : f32[40]\n %r = floor_divide %x, 2.0", nullptr},
    {"RemainderOfTwoByIntegerStays", "%x = input : i32[40]\n %r = remainder 2, %x", nullptr},
    {"PowZero", "%x = input : f32[40]\n %r = pow %x, 0.0", "%r = constant 1.0 : f32[40]"},
    {"PowOne", "%x = input : f32[40]\n %r = pow %x, 1.0", "%r = input \"x\" : f32[40]"},
    {"PowTwoOfInteger", "%x = input : i16[40]\n %r = pow %x, 2", "%x = input : i16[40]\n %r = square %x"},
    {"PowThreeOfInteger", "%x = input : i32[40]\n %r = pow %x, 3",
     "%x = input : i32[40]\n %s = square %x\n %r = multiply %s, %x"},
    {"PowMinusOne", "%x = input : f64[40]\n %r = pow %x, -1.0", "%x = input : f64[40]\n %r = reciprocal %x"},
    {"PowHalf", "%x = input : f64[40]\n %r = pow %x, 0.5",
     "%x = input : f64[40]\n %s = sqrt %x\n %l = equal %x, -inf\n %i = constant inf : f64[40]\n"
     " %z = constant 0.0 : f64[40]\n %p = add %s, %z\n %r = select %l, %i, %p",
     Numerics::Standard, 0x1p-52},
    {"NegativeOfNegative", "%x = input : f32[40]\n %y = negative %x\n %r = negative %y",
     "%r = input \"x\" : f32[40]"},
    {"NotOfNot", "%x = input : bool[40]\n %y = logical_not %x\n %r = logical_not %y",
     "%r = input \"x\" : bool[40]"},
    {"NotOfNotOfNumberStays", "%x = input : f32[40]\n %y = logical_not %x\n %r = logical_not %y", nullptr},
    {"InvertOfInvert", "%x = input : u8[40]\n %y = bitwise_invert %x\n %r = bitwise_invert %y",
     "%r = input \"x\" : u8[40]"},
    {"ConjOfConj", "%x = input : c64[40]\n %y = conj %x\n %r = conj %y", "%r = input \"x\" : c64[40]"},
    {"ConjOfReal", "%x = input : f32[40]\n %r = conj %x", "%r = input \"x\" : f32[40]"},
    {"RealOfReal", "%x = input : f32[40]\n %r = real %x", "%r = input \"x\" : f32[40]"},
    {"ImagOfReal", "%x = input : f32[40]\n %r = imag %x", "%r = constant 0.0 : f32[40]"},
    {"RealOfComplex", "%x = input : f16[40]\n %y = input : f16[40]\n %z = complex %x, %y\n %r = real %z",
     "%x = input : f16[40]\n %r = cast %x : f32[40]"},
    {"ImagOfComplex", "%x = input : f32[40]\n %y = input : f32[40]\n %z = complex %x, %y\n %r = imag %z",
     "%r = input \"y\" : f32[40]"},
    {"ComplexOfParts", "%z = input : c64[40]\n %x = real %z\n %y = imag %z\n %r = complex %x, %y",
     "%r = input \"z\" : c64[40]"},
    {"ComplexOfPartsTheOtherWayStays",
     "%z = input : c64[40]\n %x = imag %z\n %y = real %z\n %r = complex %x, %y", nullptr},
    {"Positive", "%x = input : f32[40]\n %r = positive %x", "%r = input \"x\" : f32[40]"},
    {"IsnanOfInteger", "%x = input : i32[40]\n %r = isnan %x", "%r = constant false : bool[40]"},
    {"IsinfOfInteger", "%x = input : i32[40]\n %r = isinf %x", "%r = constant false : bool[40]"},
    {"IsfiniteOfInteger", "%x = input : i32[40]\n %r = isfinite %x", "%r = constant true : bool[40]"},
    {"FloorOfInteger", "%x = input : i32[40]\n %r = floor %x", "%r = input \"x\" : i32[40]"},
    {"RoundOfInteger", "%x = input : u16[40]\n %r = round %x", "%r = input \"x\" : u16[40]"},
    {"CastThereAndBack", "%x = input : f16[40]\n %y = cast %x : f32[40]\n %r = cast %y : f16[40]",
     "%r = input \"x\" : f16[40]"},
    {"CastIntegerThroughDouble", "%x = input : i32[40]\n %y = cast %x : f64[40]\n %r = cast %y : i32[40]",
     "%r = input \"x\" : i32[40]"},
    {"CastThatRoundsStays", "%x = input : i64[40]\n %y = cast %x : f64[40]\n %r = cast %y : i64[40]",
     nullptr},
    {"CastThroughNarrowerStays", "%x = input : f32[40]\n %y = cast %x : f16[40]\n %r = cast %y : f32[40]",
     nullptr},
    {"SelectOfKnown",
     "%x = input \"x\" : f32[40]\n %y = input \"y\" : f32[40]\n %c = constant true : bool[40]\n"
     " %r = select %c, %x, %y",
     "%r = input \"x\" : f32[40]\n %y = input \"y\" : f32[40]"},
    {"SelectOfEqual", "%x = input \"x\" : f32[40]\n %c = input \"c\" : bool[40]\n %r = select %c, %x, %x",
     "%r = input \"x\" : f32[40]\n %c = input \"c\" : bool[40]"},
    {"ReductionOfOneElement", "%x = input : f32[40, 1]\n %r = sum %x, axes=[1]",
     "%x = input : f32[40, 1]\n %r = reshape %x : f32[40]"},
    {"ReductionOverSomeAxesOfOne", "%x = input : f32[4, 1, 5]\n %r = max %x, axes=[1, 2]",
     "%x = input : f32[4, 1, 5]\n %m = max %x, axes=[2]\n %r = reshape %m : f32[4]"},
    {"ArgmaxOfOneElement", "%x = input : f32[40, 1]\n %r = argmax %x, axes=[1]", "%r = constant 0 : i64[40]"},
    {"SumOfZeros", "%x = constant 0.0 : f32[4, 50]\n %r = sum %x, axes=[1]", "%r = constant 0.0 : f32[4]"},
    {"SumOfNegativeZeros", "%x = constant -0.0 : f32[50]\n %r = sum %x, axes=[0]",
     "%r = constant -0.0 : f32[]"},
    {"SumOfComplexZeros", "%x = constant 0.0 : c64[50]\n %r = sum %x, axes=[0]", "%r = constant 0.0 : c64[]"},
    {"SumOfOnes", "%x = constant 1.0 : f32[3, 50]\n %r = sum %x, axes=[0, 1]", "%r = constant 150.0 : f32[]"},
    {"SumOfHalfOnesBeyondTheirRange", "%x = constant -1.0 : f16[70000]\n %r = sum %x, axes=[0]",
     "%r = constant -inf : f16[]"},
    {"SumOfTenths", "%x = constant 0.1 : f32[50]\n %r = sum %x, axes=[0]", "%r = constant 5.0 : f32[]",
     Numerics::Standard, 0x1p-22},
    {"SumOfTenthsStaysWhereStrict", "%x = constant 0.1 : f32[50]\n %r = sum %x, axes=[0]", nullptr,
     Numerics::Strict},
    {"SumOfABroadcastHalf",
     "%x = input : f16[3, 1]\n %b = broadcast %x : f16[3, 4000]\n %r = sum %b, axes=[1]",
     "%x = input : f16[3, 1]\n %t = reshape %x : f16[3]\n %w = cast %t : f32[3]\n %s = multiply %w, 4000.0\n "
     "%r = cast %s : f16[3]",
     Numerics::Standard, 0x1p-9},
    {"SumOfIntegersWraps", "%x = constant 7 : i8[50]\n %r = sum %x, axes=[0]", "%r = constant 94 : i8[]"},
    {"SumOfAScalarInteger", "%x = scalar : i32[6, 50]\n %r = sum %x, axes=[1]",
     "%x = scalar : i32[6, 50]\n %s = slice %x, starts=[0, 0], steps=[1, 1] : i32[1, 1]\n %t = reshape %s : "
     "i32[]\n %b = broadcast %t : i32[6]\n %r = multiply %b, 50"},
    {"SumOfABroadcastInteger",
     "%x = input : u8[3, 1]\n %b = broadcast %x : u8[3, 40]\n %r = sum %b, axes=[1]",
     "%x = input : u8[3, 1]\n %t = reshape %x : u8[3]\n %r = multiply %t, 40"},
    {"SumOfABroadcastFloat",
     "%x = input : f32[3, 1]\n %b = broadcast %x : f32[3, 40]\n %r = sum %b, axes=[1]",
     "%x = input : f32[3, 1]\n %t = reshape %x : f32[3]\n %r = multiply %t, 40.0", Numerics::Standard,
     0x1p-22},
    {"SumOfABroadcastComplexStays",
     "%x = input : c64[3, 1]\n %b = broadcast %x : c64[3, 40]\n %r = sum %b, axes=[1]", nullptr},
    {"LargestOfABroadcast", "%x = input : f32[3, 1]\n %b = broadcast %x : f32[3, 40]\n %r = max %b, axes=[1]",
     "%x = input : f32[3, 1]\n %r = reshape %x : f32[3]"},
    {"LargestAcrossABroadcastStays",
     "%x = input : f32[3, 1]\n %b = broadcast %x : f32[3, 40]\n %r = max %b, axes=[0, 1]", nullptr},
    {"AnyOfOne", "%x = constant true : bool[50]\n %r = any %x, axes=[0]", "%r = constant true : bool[]"},
    {"ArgminOfAConstant", "%x = constant 3.5 : f32[4, 50]\n %r = argmin %x, axes=[1]",
     "%r = constant 0 : i64[4]"},
    {"ProductOfOnes", "%x = constant 1.0 : f64[50]\n %r = prod %x, axes=[0]", "%r = constant 1.0 : f64[]"},
    {"ProductOfZerosStays", "%x = constant -0.0 : f64[50]\n %r = prod %x, axes=[0]", nullptr},
    {"SumOfNothing", "%x = input : f32[3, 0]\n %r = sum %x, axes=[1]", "%r = constant 0.0 : f32[3]"},
    {"ProdOfNothing", "%x = input : i32[3, 0]\n %r = prod %x, axes=[1]", "%r = constant 1 : i32[3]"},
    {"AllOfNothing", "%x = input : bool[3, 0]\n %r = all %x, axes=[1]", "%r = constant true : bool[3]"},
    {"AnyOfNothing", "%x = input : bool[3, 0]\n %r = any %x, axes=[1]", "%r = constant false : bool[3]"},
    {"NoElements", "%x = input : f32[0, 3]\n %r = exp %x", "%r = constant 0.0 : f32[0, 3]"},
    {"ProductOverNothing", "%x = input \"x\" : f32[2, 0]\n %y = input \"y\" : f32[0, 3]\n %r = dot %x, %y",
     "%r = constant 0.0 : f32[2, 3]"},
    {"PadOfNothing",
     "%x = input : f32[0]\n %f = scalar \"f\" : f32[]\n %r = pad %x, %f, before=[2], after=[1]",
     "%x = input : f32[0]\n %f = scalar \"f\" : f32[]\n %r = broadcast %f : f32[3]"},
    {"ConcatOfOne", "%x = input \"x\" : f32[3]\n %y = input \"y\" : f32[0]\n %r = concat %y, %x, axis=0",
     "%r = input \"x\" : f32[3]\n %y = input \"y\" : f32[0]"},
    {"UpdateOfNothing",
     "%x = input \"x\" : f32[3]\n %y = input \"y\" : f32[0]\n %r = update %x, %y, starts=[1], steps=[1]",
     "%r = input \"x\" : f32[3]\n %y = input \"y\" : f32[0]"},
    {"UpdateOfAll",
     "%x = input \"x\" : f32[3]\n %y = input \"y\" : f32[3]\n %r = update %x, %y, starts=[0], steps=[1]",
     "%x = input \"x\" : f32[3]\n %r = input \"y\" : f32[3]"},
    {"UpdateOfAllReversed",
     "%x = input \"x\" : f32[3]\n %y = input \"y\" : f32[3]\n %r = update %x, %y, starts=[2], steps=[-1]",
     "%x = input \"x\" : f32[3]\n %y = input \"y\" : f32[3]\n %r = slice %y, starts=[2], steps=[-1] : "
     "f32[3]"},
    {"UpdateOfAllReversedAlongOneAxis",
     "%x = input \"x\" : f32[3, 1, 4]\n %y = input \"y\" : f32[3, 1, 4]\n %r = update %x, %y, starts=[0, 0, "
     "3], steps=[1, "
     "-1, -1]",
     "%x = input \"x\" : f32[3, 1, 4]\n %y = input \"y\" : f32[3, 1, 4]\n %r = slice %y, starts=[0, 0, 3], "
     "steps=[1, 1, -1] : "
     "f32[3, 1, 4]"},
    {"SliceOfWhatWasWritten",
     "%x = input \"x\" : f32[9]\n %y = input \"y\" : f32[3]\n %u = update %x, %y, starts=[2], steps=[2]\n"
     " %r = slice %u, starts=[2], steps=[2] : f32[3]",
     "%x = input \"x\" : f32[9]\n %r = input \"y\" : f32[3]"},
    {"SliceOfWhatWasComputedStays",
     "%x = input \"x\" : f32[9]\n %y = input \"y\" : f32[3]\n %v = exp %y\n %u = update %x, %v, starts=[2], "
     "steps=[2]\n"
     " %r = slice %u, starts=[2], steps=[2] : f32[3]",
     nullptr},
    {"SliceBesideWhatWasWritten",
     "%x = input \"x\" : f32[9]\n %y = input \"y\" : f32[3]\n %u = update %x, %y, starts=[2], steps=[2]\n"
     " %r = slice %u, starts=[1], steps=[2] : f32[4]",
     "%x = input \"x\" : f32[9]\n %y = input \"y\" : f32[3]\n %r = slice %x, starts=[1], steps=[2] : f32[4]"},
    {"SliceThatMeetsAnUpdateStays",
     "%x = input \"x\" : f32[9]\n %y = input \"y\" : f32[3]\n %u = update %x, %y, starts=[2], steps=[2]\n"
     " %r = slice %u, starts=[1] : f32[4]",
     nullptr},
    {"ReshapeThereAndBack",
     "%x = input : f32[2, 3]\n %a = exp %x\n %b = reshape %a : f32[6]\n %c = reshape %b : f32[2, 3]\n"
     " %r = negative %c",
     "%x = input : f32[2, 3]\n %a = exp %x\n %r = negative %a"},
    {"ReshapesBehindEachOther",
     "%x = input : f32[2, 3]\n %b = reshape %x : f32[6]\n %c = reshape %b : f32[1, 6]\n"
     " %r = reshape %c : f32[3, 2]",
     "%x = input : f32[2, 3]\n %r = reshape %x : f32[3, 2]"},
    {"FastAddZero", "%x = input : f32[40]\n %r = add %x, 0.0", "%r = input \"x\" : f32[40]", Numerics::Fast},
    {"FastMultiplyByZero", "%x = input : f32[40]\n %r = multiply 0.0, %x", "%r = constant 0.0 : f32[40]",
     Numerics::Fast},
    {"FastRsqrt", "%x = input : f32[40]\n %y = sqrt %x\n %r = reciprocal %y",
     "%x = input : f32[40]\n %r = rsqrt %x", Numerics::Fast},
    {"FastDivideByRoot", "%x = input : f32[40]\n %y = input : f32[40]\n %s = sqrt %y\n %r = divide %x, %s",
     "%x = input : f32[40]\n %y = input : f32[40]\n %s = rsqrt %y\n %r = multiply %x, %s", Numerics::Fast},
    {"FastDivideByNumber", "%x = input : f32[40]\n %r = divide %x, 8.0",
     "%x = input : f32[40]\n %r = multiply %x, 0.125", Numerics::Fast},
    {"FastDivideByScalar", "%x = input : f32[40]\n %c = scalar : f32[40]\n %r = divide %x, %c",
     "%x = input : f32[40]\n %c = scalar : f32[40]\n %d = reciprocal %c\n %r = multiply %x, %d",
     Numerics::Fast},
    {"FastDivideByWhatARowShares",
     "%x = input : f32[4, 8]\n %m = max %x, axes=[1]\n %k = reshape %m : f32[4, 1]\n %b = broadcast %k : "
     "f32[4, 8]\n"
     " %r = divide %x, %b",
     "%x = input : f32[4, 8]\n %m = max %x, axes=[1]\n %k = reshape %m : f32[4, 1]\n %d = reciprocal %k\n"
     " %b = broadcast %d : f32[4, 8]\n %r = multiply %x, %b",
     Numerics::Fast},
    {"FastKeepsQuotientsOfWholeArrays", "%x = input : f32[40]\n %y = input : f32[40]\n %r = divide %x, %y",
     nullptr, Numerics::Fast},
    {"QuotientsWaitForFast", "%x = input : f32[40]\n %r = divide %x, 3.0", nullptr},
    {"RsqrtWaitsForFast", "%x = input : f32[40]\n %y = sqrt %x\n %r = reciprocal %y", nullptr},
    {"FastPowHalf", "%x = input : f32[40]\n %r = pow %x, 0.5", "%x = input : f32[40]\n %r = sqrt %x",
     Numerics::Fast},
};

class Simplify : public testing::TestWithParam<Rule> {};

TEST_P(Simplify, Rule) {
  const Rule& rule = GetParam();
  ir::Graph before = graph(rule.before);
  Options options;
  options.numerics = rule.numerics;
  ir::Graph after = passes::simplify(before, options);
  if (rule.after) {
    // The rules leave the list of inputs alone.
    ir::Graph want = graph(rule.after);
    EXPECT_EQ(ir::print({{}, after.outputs}), ir::print({{}, want.outputs}));
  } else {
    EXPECT_EQ(ir::print(after), ir::print(before));
  }
  if (rule.numerics != Numerics::Fast) expect_same_values(before, after, rule.slack);
}

INSTANTIATE_TEST_SUITE_P(Rules, Simplify, testing::ValuesIn(kRules),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(Simplify, WideConcatsBecomeTrees) {
  std::string text, names;
  for (int k = 0; k < 100; ++k) {
    text += "%a" + std::to_string(k) + " = input \"a" + std::to_string(k) + "\" : f32[2]\n";
    names += (k ? ", %a" : "%a") + std::to_string(k);
  }
  ir::Graph before = graph(text + "%r = concat " + names + ", axis=0"),
            after = passes::simplify(before, Options());
  EXPECT_EQ(after.outputs[0]->inputs.size(), 4u);
  expect_same_values(before, after);
}

TEST(Simplify, CountsOnesAsFarAsTheirTotalsDo) {
  auto sum = [](const std::string& type, const std::string& count) {
    return passes::simplify(graph("%x = constant 1.0 : " + type + "[" + count + "]\n %r = sum %x, axes=[0]"),
                            Options())
        .outputs[0];
  };
  const ir::NodeRef ones = sum("f32", "2147483648");
  ASSERT_EQ(ones->op, ir::Op::constant);
  EXPECT_EQ(ones->as<ir::ConstantAttr>().value.re, 2147483648.0);
  EXPECT_EQ(sum("bf16", "16777216")->op, ir::Op::constant);
  EXPECT_EQ(sum("bf16", "16777217")->op, ir::Op::sum);
}

TEST(Simplify, ARewriteOpensTheNext) {
  ir::Graph after = passes::simplify(graph("%x = input : f32[4]\n %y = pow %x, 1.0\n %z = multiply %y, -1.0\n"
                                           " %r = negative %z"),
                                     Options());
  EXPECT_EQ(after.outputs[0]->op, ir::Op::input);
}

TEST(Simplify, RandomGraphsKeepTheirValues) {
  test::RandomGraphOptions options;
  options.exact = true;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ir::Graph before = random_graph(seed, options), after = passes::simplify(before, Options());
    auto inputs = test::random_inputs(before, seed, {-3, 3}, 0.3);
    auto want = interpret(before, inputs), got = interpret(after, inputs);
    for (size_t k = 0; k < want.size(); ++k)
      ASSERT_TRUE(same(got[k], want[k])) << seed << "\n" << print(before);
  }
}

TEST(Simplify, IsIdempotent) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    ir::Graph once = passes::simplify(test::random_graph(seed), Options());
    EXPECT_EQ(hash_graph(once), hash_graph(passes::simplify(once, Options()))) << seed;
  }
}

TEST(Passes, CanBeSwitchedOffByName) {
  ir::Graph g =
      graph("%x = input : f32[4]\n %y = exp %x\n %z = exp %x\n %w = multiply %z, 1.0\n %r = add %y, %w");
  auto ops = [&](std::vector<std::string> without) {
    Options options;
    options.without_passes = std::move(without);
    return topological_order(prepare(g, Target(), options).outputs).size();
  };
  EXPECT_EQ(ops({}), 3u) << "input, exp, add";
  EXPECT_EQ(ops({"share"}), 4u);
  EXPECT_EQ(ops({"simplify"}), 5u);
  EXPECT_EQ(ops({"simplify", "share"}), 6u);
  std::vector<std::string_view> names = optional_passes();
  for (auto name : {"simplify", "share"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(Passes, OnlyThoseThatNothingReliesOnMayBeLeftOut) {
  for (const char* name : {"widen_products", "as_updates", "no_such_pass"}) {
    Options options;
    options.without_passes = {name};
    EXPECT_THAT([&] { prepare(ir::parse("graph {\n%x = input : f32[4]\nreturn %x\n}"), Target(), options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr(
                    std::string("no pass that may be left out has the name '") + name + "'")));
  }
}

TEST(Share, EqualNodesBecomeOneWithTheLinesOfAll) {
  ir::Graph g = ir::parse(
      "graph {\n%x = input : f32[4]\n%a = exp %x\n%b = exp %x\n%c = add %a, %b\n%d = exp %x\n"
      "%e = multiply %c, %d\nreturn %e, %c\n}",
      "a.weft");
  ir::Graph s = passes::share(g, Options());
  EXPECT_EQ(ir::print(s),
            "graph {\n  %x = input \"x\" : f32[4]\n  %0 = exp %x : f32[4]\n  %1 = add %0, %0 : f32[4]\n"
            "  %2 = multiply %1, %0 : f32[4]\n  return %2, %1\n}\n");
  const ir::NodeRef &product = s.outputs[0], &sum = s.outputs[1];
  EXPECT_EQ(to_string(product->inputs[1]->lines), "a.weft:3, a.weft:4, a.weft:6");
  EXPECT_EQ(to_string(sum->lines), "a.weft:5");
  EXPECT_EQ(product->inputs[0], sum) << "nodes made again for their lines stay shared";
  EXPECT_EQ(hash_graph(s), hash_graph(passes::share(s, Options())));
}

TEST(Share, WhatHasNothingInCommonIsKept) {
  ir::Graph g = graph("%x = input : f32[4]\n %y = exp %x\n %r = log %y");
  EXPECT_EQ(passes::share(g, Options()).outputs[0], g.outputs[0]);
}

TEST(Share, InputsOfOneNameAreOneOnlyWhenTheyAreOne) {
  ir::Graph g = graph("%x = input : f32[4]\n %y = input : f32[4]\n %r = add %x, %y");
  ir::Graph s = passes::share(g, Options());
  EXPECT_NE(s.outputs[0]->inputs[0], s.outputs[0]->inputs[1]);
}

TEST(Share, CasesThatDifferInAttributesStay) {
  ir::Graph g = graph(
      "%x = input : f32[8]\n %y = slice %x, starts=[0] : f32[4]\n %z = slice %x, starts=[4] : f32[4]\n"
      " %r = add %y, %z");
  EXPECT_EQ(hash_graph(passes::share(g, Options())), hash_graph(g));
}

// A constant that is_special does not name reaches the passes as a scalar, and no rule would see its value.
TEST(Simplify, RulesLookAtSpecialConstantsOnly) {
  const double kNumbers[] = {0.0, -0.0, 1, -1, 2, -2, 3, 4, 0.5, -0.5, 10, HUGE_VAL, -HUGE_VAL, NAN};
  int rewritten = 0;
  for (int k = 0; k < ir::kOpCount; ++k) {
    const auto op = static_cast<ir::Op>(k);
    if (ir::kind(op) != ir::OpKind::Map || ir::info(op).arity != 2) continue;
    for (DType dtype : {DType::I32, DType::U8, DType::F32, DType::C64}) {
      if (!ir::accepts(op, dtype)) continue;
      for (size_t operand : {0, 1}) {
        for (Numerics numerics : {Numerics::Strict, Numerics::Standard, Numerics::Fast}) {
          Options options;
          options.numerics = numerics;
          const ir::NodeRef x = ir::input({dtype, {40}}, {nullptr, "x", {}, 0});
          const auto node = [&](const ir::NodeRef& number) {
            return operand == 0 ? ir::map(op, {number, x}) : ir::map(op, {x, number});
          };
          const auto changes = [&](const ir::NodeRef& number) {
            const ir::Graph before{{x}, {node(number)}};
            return hash_graph(passes::simplify(before, options)) != hash_graph(before);
          };
          if (changes(ir::scalar({dtype, {40}}, "s"))) continue;  // a rule for any number
          for (double value : kNumbers) {
            const Scalar number = Scalar::of(value).cast(dtype);
            const ir::NodeRef constant = ir::constant({dtype, {40}}, number);
            if (!changes(constant)) continue;
            ++rewritten;
            EXPECT_TRUE(ir::is_special(number, *node(constant), operand))
                << ir::name(op) << " of " << name(dtype) << ", operand " << operand << ": " << value;
          }
        }
      }
    }
  }
  EXPECT_GT(rewritten, 50);
}

// In functions of numbers, in their branches and loops too.
TEST(Simplify, DividesInFunctionsByShifts) {
  const auto halved = [](const char* quotient, const char* rest) {
    return ir::parse(
        std::string("function halve(%0 : i32) {\n"
                    "  %8 : i32 = while %1 = %0 {\n"
                    "    %2 = constant 5 : i32\n    %3 = greater %1, %2 : bool\n    test %3\n"
                    "    %4 = constant 2 : i32\n") +
        quotient + "    give %5\n  }\n" + rest +
        "  return %7\n}\n\n"
        "graph {\n  %x = input : i32[40]\n  %r = apply %x, function=halve : i32[40]\n  return %r\n}");
  };
  const ir::Graph before = halved("    %5 = floor_divide %1, %4 : i32\n",
                                  "  %6 = constant 4 : i32\n  %7 = remainder %8, %6 : i32\n"),
                  after = halved("    %9 = constant 1 : i32\n    %5 = bitwise_right_shift %1, %9 : i32\n",
                                 "  %6 = constant 4 : i32\n  %10 = constant 3 : i32\n"
                                 "  %7 = bitwise_and %8, %10 : i32\n"),
                  simple = passes::simplify(before, Options());
  EXPECT_EQ(hash_graph(simple), hash_graph(after)) << print(simple);
  expect_same_values(before, simple);
}

// Loops and calls give sums another number each time: 1 and -1 are no other program than 2.
TEST(Simplify, OneIsNoSpecialTerm) {
  const ir::NodeRef x = ir::input({DType::F64, {40}}, {nullptr, "x", {}, 0});
  for (const double value : {1.0, -1.0}) {
    const Scalar number = Scalar::of(value);
    const ir::NodeRef constant = ir::constant({DType::F64, {40}}, number);
    EXPECT_FALSE(ir::is_special(number, *ir::map(ir::Op::add, {x, constant}), 1));
    EXPECT_FALSE(ir::is_special(number, *ir::map(ir::Op::subtract, {constant, x}), 0));
    EXPECT_FALSE(ir::is_special(number, *ir::map(ir::Op::subtract, {x, constant}), 1));
    EXPECT_TRUE(ir::is_special(number, *ir::map(ir::Op::multiply, {x, constant}), 1));
  }
}

}  // namespace
}  // namespace weft
