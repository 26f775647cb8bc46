// Reductions of reductions: which become one, and that values stay.
#include "compiler/passes/reductions/merge_reductions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/golden.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

ir::Graph graph(const std::string& lines) { return ir::parse("graph {\n" + lines + "\n}"); }

ir::Graph merged(const ir::Graph& before, Numerics numerics) {
  Options options;
  options.numerics = numerics;
  ir::Graph after = passes::merge_reductions(before, {}, options);
  ir::verify(after, "merge_reductions");
  return after;
}

// The axes of each reduction, in order, where nothing may round; values are compared bit by bit, edge values
// of the dtype included.
std::string axes_of(const std::string& lines, Numerics numerics = Numerics::Strict) {
  const ir::Graph before = graph(lines), after = merged(before, numerics);
  for (uint64_t seed = 0; seed < 5 && numerics == Numerics::Strict; ++seed) {
    const std::vector<ir::HostTensor> inputs = random_inputs(before, seed, {-100, 100}, 0.5);
    const auto want = ir::interpret(before, inputs), got = ir::interpret(after, inputs);
    for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(got[k].data, want[k].data) << ir::print(after);
  }
  std::string out;
  for (const ir::Node* n : topological_order(after.outputs))
    if (kind(n->op) == ir::OpKind::Reduce)
      out +=
          fmt::format("{}{}{}", out.empty() ? "" : " ", name(n->op), to_string(n->as<ir::AxesAttr>().axes));
  return out;
}

std::string twice(const std::string& op, const std::string& dtype) {
  return "%x = input : " + dtype + "[3, 4, 5]\n%s = " + op + " %x, axes=[2]\n%t = " + op +
         " %s, axes=[1]\nreturn %t";
}

TEST(MergeReductions, Text) {
  const ir::Graph before = graph(
      "%x = input : i32[8, 4, 6]\n%s = sum %x, axes=[1]\n%k = reshape %s : i32[8, 1, 6]\n"
      "%t = sum %k, axes=[2]\nreturn %t");
  expect_golden("graph/merge_reductions.weft",
                ir::print(before) + "\n" + ir::print(merged(before, Numerics::Strict)));
}

TEST(MergeReductions, WhatIsExact) {
  for (const char* dtype : {"i8", "u8", "i32", "u64"}) {
    EXPECT_EQ(axes_of(twice("sum", dtype)), "sum(1, 2)") << dtype << " wraps";
    EXPECT_EQ(axes_of(twice("prod", dtype)), "prod(1, 2)") << dtype << " wraps";
    EXPECT_EQ(axes_of(twice("max", dtype)), "max(1, 2)") << dtype;
  }
  EXPECT_EQ(axes_of(twice("min", "f32")), "min(1, 2)");
  EXPECT_EQ(axes_of(twice("max", "f16")), "max(1, 2)");
  EXPECT_EQ(axes_of(twice("any", "bool")), "any(1, 2)");
  EXPECT_EQ(axes_of(twice("all", "bool")), "all(1, 2)");
}

TEST(MergeReductions, RoundedSums) {
  for (const char* dtype : {"f32", "f64", "c64"}) {
    EXPECT_EQ(axes_of(twice("sum", dtype)), "sum(2,) sum(1,)") << dtype;
    EXPECT_EQ(axes_of(twice("sum", dtype), Numerics::Standard), "sum(1, 2)") << dtype;
    EXPECT_EQ(axes_of(twice("prod", dtype), Numerics::Standard), "prod(1, 2)") << dtype;
  }
  for (const char* dtype : {"f16", "bf16"}) {
    EXPECT_EQ(axes_of(twice("sum", dtype), Numerics::Standard), "sum(2,) sum(1,)") << dtype;
    EXPECT_EQ(axes_of(twice("sum", dtype), Numerics::Fast), "sum(1, 2)") << dtype;
  }
}

TEST(MergeReductions, ThreeOfThemAndAxesOfOneElement) {
  EXPECT_EQ(axes_of("%x = input : i32[3, 4, 5]\n%a = sum %x, axes=[2]\n%b = reshape %a : i32[3, 4, 1]\n"
                    "%c = sum %b, axes=[1]\n%d = reshape %c : i32[1, 3, 1]\n%e = sum %d, axes=[1]\n"
                    "return %e"),
            "sum(0, 1, 2)");
  EXPECT_EQ(axes_of("%x = input : i32[3, 4, 5]\n%a = sum %x, axes=[1]\n%b = reshape %a : i32[15]\n"
                    "%c = sum %b, axes=[0]\nreturn %c"),
            "sum(1,) sum(0,)")
      << "axes that are joined";
  EXPECT_EQ(axes_of("%x = input : i32[3, 4, 5]\n%a = sum %x, axes=[0]\n%b = sum %a, axes=[1]\nreturn %b"),
            "sum(0,) sum(1,)")
      << "rows of several pieces";
  EXPECT_EQ(axes_of("%y = input : i32[5, 4, 3]\n%x = permute %y, axes=[2, 1, 0]\n%a = sum %x, axes=[2]\n"
                    "%b = sum %a, axes=[1]\nreturn %b"),
            "sum(2,) sum(1,)")
      << "rows that lie apart";
}

TEST(MergeReductions, WhatStays) {
  EXPECT_EQ(axes_of("%x = input : i32[3, 4]\n%a = sum %x, axes=[1]\n%b = max %a, axes=[0]\nreturn %b"),
            "sum(1,) max(0,)");
  EXPECT_EQ(axes_of("%x = input : i32[3, 4]\n%a = sum %x, axes=[1]\n%b = sum %a, axes=[0]\nreturn %b, %a"),
            "sum(1,) sum(0,)")
      << "an output";
  EXPECT_EQ(axes_of("%x = input : i8[3, 4]\n%a = sum %x, axes=[1]\n%w = cast %a : i64[3]\n"
                    "%b = sum %w, axes=[0]\nreturn %b"),
            "sum(1,) sum(0,)")
      << "it wraps before it is widened";
  EXPECT_EQ(axes_of("%x = input : i32[3, 4]\n%a = argmax %x, axes=[1]\n%b = argmax %a, axes=[0]\nreturn %b"),
            "argmax(1,) argmax(0,)");
}

TEST(MergeReductions, AFactorBetweenWaitsForFast) {
  const std::string x = "%x = input : f32[3, 4, 5]\n%a = sum %x, axes=[2]\n",
                    t = "%t = sum %m, axes=[1]\nreturn %t";
  const auto both = [&](const std::string& between) {
    EXPECT_EQ(axes_of(x + between + t, Numerics::Standard), "sum(2,) sum(1,)") << between;
    return axes_of(x + between + t, Numerics::Fast);
  };
  EXPECT_EQ(both("%m = divide %a, 5.0\n"), "sum(1, 2)");
  EXPECT_EQ(both("%m = multiply 0.2, %a\n"), "sum(1, 2)");
  EXPECT_EQ(both("%s = scalar : f32[3, 4]\n%m = divide %a, %s\n"), "sum(1, 2)");
  EXPECT_EQ(both("%s = input : f32[1, 1]\n%b = broadcast %s : f32[3, 4]\n%d = multiply %a, %b\n"
                 "%r = reshape %d : f32[3, 4, 1]\n%k = divide %r, 3.0\n%m = reshape %k : f32[3, 4]\n"),
            "sum(1, 2)");
  EXPECT_EQ(both("%m = divide 5.0, %a\n"), "sum(2,) sum(1,)");
  EXPECT_EQ(both("%m = add %a, 5.0\n"), "sum(2,) sum(1,)");
  EXPECT_EQ(both("%s = input : f32[4]\n%b = broadcast %s : f32[3, 4]\n%m = multiply %a, %b\n"),
            "sum(2,) sum(1,)")
      << "a weight for each row";
}

TEST(MergeReductions, AFactorBetweenIsOneBehind) {
  const ir::Graph before = graph(
      "%x = input : f64[3, 4, 5]\n%s = scalar : f64[3, 4]\n%a = sum %x, axes=[2]\n%m = multiply %s, %a\n"
      "%n = divide %m, 5.0\n%t = sum %n, axes=[1]\nreturn %t");
  const ir::Graph after = merged(before, Numerics::Fast);
  const std::vector<ir::HostTensor> inputs = random_inputs(before, 1, {1, 2}, 0);
  const auto want = ir::interpret(before, inputs), got = ir::interpret(after, inputs);
  for (size_t k = 0; k < 3; ++k) {
    const double w = Scalar::load(DType::F64, want[0].data.data() + 8 * k).re;
    EXPECT_NEAR(Scalar::load(DType::F64, got[0].data.data() + 8 * k).re, w, 1e-12 * w);
  }
}

// One that shares its loops with others would read everything a second time.
TEST(MergeReductions, WhatIsReducedWithOthersStays) {
  EXPECT_EQ(axes_of("%x = input : i32[3, 4]\n%a = sum %x, axes=[1]\n%m = max %x, axes=[1]\n"
                    "%b = sum %a, axes=[0]\nreturn %b, %m"),
            "sum(1,) sum(0,) max(1,)");
  EXPECT_EQ(axes_of("%x = input : i32[3, 4]\n%m = max %x, axes=[1]\n%r = reshape %m : i32[3, 1]\n"
                    "%c = broadcast %r : i32[3, 4]\n%d = subtract %x, %c\n%a = min %d, axes=[1]\n"
                    "%b = min %a, axes=[0]\nreturn %b"),
            "max(1,) min(1,) min(0,)");
}

TEST(MergeReductions, ASumOfSumsIsOneKernel) {
  for (const Target& target : {cpu(), h200()})
    EXPECT_EQ(compile(graph("%x = input : f32[64, 32, 16]\n%s = sum %x, axes=[2]\n%t = sum %s, axes=[1]\n"
                            "return %t"),
                      target)
                  .steps.size(),
              1u);
}

}  // namespace
}  // namespace weft::test
