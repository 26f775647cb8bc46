// Slices that are moved through reductions and scans: what is computed then, and that values stay.
#include "compiler/passes/reductions/narrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/golden.h"
#include "tests/support/same_bits.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

// The interpreter reduces an element's row in the same order wherever it lies: every bit counts, NaNs and
// zeros of both signs included.
ir::Graph narrowed(const ir::Graph& before) {
  ir::Graph after = passes::narrow(before, {}, {});
  ir::verify(after, "narrow");
  expect_same_bits(before, after, ir::Domain{-3, 3});
  return after;
}

ir::Graph graph(const std::string& lines) { return ir::parse("graph {\n" + lines + "\n}"); }

int64_t walked(const std::string& lines) { return walked_elements(narrowed(graph(lines))); }

constexpr const char* kSum = "%x = input : f32[20, 7]\n%s = sum %x, axes=[1]\n";
std::string of_sum(const std::string& lines) { return kSum + lines; }

struct Text {
  const char* name;
  const char* lines;
};
const Text kTexts[] = {
    {"slice_of_a_sum",
     "%x = input : f32[1000, 400]\n%s = sum %x, axes=[1]\n%r = sqrt %s\n"
     "%t = slice %r, starts=[5] : f32[10]\nreturn %t"},
    {"row_of_a_softmax",
     "%x = input : f32[64, 32]\n%m = max %x, axes=[1]\n%n = reshape %m : f32[64, 1]\n"
     "%b = broadcast %n : f32[64, 32]\n%d = subtract %x, %b\n%e = exp %d\n%s = sum %e, axes=[1]\n"
     "%t = reshape %s : f32[64, 1]\n%u = broadcast %t : f32[64, 32]\n%y = divide %e, %u\n"
     "%r = slice %y, starts=[7, 0] : f32[1, 32]\nreturn %r"},
    {"ends_of_sums",
     "%x = input : f32[9, 4]\n%s = sum %x, axes=[1]\n%a = slice %s, starts=[8], steps=[-4] : f32[3]\n"
     "%b = slice %s, starts=[6] : f32[1]\nreturn %a, %b"},
};

TEST(Narrow, Texts) {
  for (const Text& t : kTexts) {
    const ir::Graph before = graph(t.lines);
    expect_golden("graph/narrow_" + std::string(t.name) + ".weft",
                  ir::print(before) + "\n" + ir::print(narrowed(before)));
  }
}

TEST(Narrow, OnlyRowsThatAreReadAreReduced) {
  EXPECT_EQ(walked(of_sum("%r = slice %s, starts=[3] : f32[5]\nreturn %r")), 35);
  EXPECT_EQ(walked(of_sum("%r = slice %s, starts=[19], steps=[-3] : f32[7]\nreturn %r")), 49);
  EXPECT_EQ(walked(of_sum("%r = slice %s, starts=[19] : f32[1]\n%q = reshape %r : f32[]\nreturn %q")), 7);
}

TEST(Narrow, AllThatIsReadIsOneRange) {
  EXPECT_EQ(walked(of_sum("%a = slice %s, starts=[3] : f32[5]\n%b = slice %s, starts=[5] : f32[5]\n"
                          "%r = subtract %a, %b\nreturn %r")),
            49);
  EXPECT_EQ(walked(of_sum("%a = slice %s, starts=[2], steps=[4] : f32[3]\n%b = slice %s, starts=[4], "
                          "steps=[6] : f32[2]\nreturn %a, %b")),
            35)
      << "2, 4, 6, 8, 10";
  EXPECT_EQ(walked(of_sum("%a = slice %s, starts=[0] : f32[19]\n%b = slice %s, starts=[1] : f32[19]\n"
                          "%r = subtract %a, %b\nreturn %r")),
            140);
  EXPECT_EQ(walked(of_sum("%r = slice %s, starts=[3] : f32[5]\nreturn %r, %s")), 140) << "an output";
  EXPECT_EQ(walked(of_sum("%z = constant 0.0 : f32[]\n%p = pad %s, %z, before=[1], after=[0]\n"
                          "%r = slice %p, starts=[0] : f32[5]\nreturn %r")),
            140)
      << "pads ask for all";
  EXPECT_EQ(walked(of_sum("%a = slice %s, starts=[1], steps=[3] : f32[5]\n%z = constant 0.0 : f32[]\n"
                          "%p = pad %a, %z, before=[0], after=[3]\n%r = slice %p, starts=[6], steps=[-1] : "
                          "f32[6]\nreturn %r")),
            35)
      << "of a part, which is all of the pad";
}

TEST(Narrow, ThroughMapsAndViews) {
  EXPECT_EQ(walked(of_sum("%e = exp %s\n%k = reshape %e : f32[20, 1]\n%b = broadcast %k : f32[20, 7]\n"
                          "%c = multiply %b, %x\n%p = permute %c, axes=[1, 0]\n"
                          "%r = slice %p, starts=[2, 4] : f32[3, 6]\nreturn %r")),
            42);
  EXPECT_EQ(
      walked(of_sum("%k = reshape %s : f32[4, 5]\n%r = slice %k, starts=[1, 0] : f32[2, 5]\nreturn %r")), 70)
      << "several axes of one";
  EXPECT_EQ(walked(of_sum("%k = reshape %s : f32[4, 1, 5]\n%m = max %k, axes=[2]\n"
                          "%r = slice %m, starts=[1, 0] : f32[2, 1]\nreturn %r")),
            80)
      << "maxima of two, and sums of theirs";
  EXPECT_EQ(walked("%x = input : i32[6, 5]\n%i = iota axis=0 : i32[6, 5]\n%y = add %x, %i\n"
                   "%s = max %y, axes=[1]\n%r = slice %s, starts=[2] : i32[2]\nreturn %r"),
            10);
  EXPECT_EQ(walked("%x = input : i32[6, 5]\n%i = constant 7 : i32[6, 5]\n%y = multiply %x, %i\n"
                   "%s = argmax %y, axes=[1]\n%r = slice %s, starts=[2] : i64[2]\nreturn %r"),
            10);
}

TEST(Narrow, ScansKeepTheirAxis) {
  EXPECT_EQ(walked("%x = input : f32[6, 5]\n%c = cumulative_sum %x, axis=1\n"
                   "%r = slice %c, starts=[1, 4] : f32[2, 1]\nreturn %r"),
            10);
  EXPECT_EQ(walked("%x = input : f32[6, 5]\n%c = cumulative_sum %x, axis=0\n"
                   "%r = slice %c, starts=[5, 1], steps=[-1, 2] : f32[6, 2]\nreturn %r"),
            12);
}

TEST(Narrow, ASliceOfASumIsOneKernel) {
  for (const Target& target : {cpu(), h200()}) {
    EXPECT_EQ(compile(graph(kTexts[0].lines), target).steps.size(), 1u);
    EXPECT_EQ(compile(graph(kTexts[1].lines), target).steps.size(), 1u);
  }
}

TEST(Narrow, RandomGraphsKeepTheirValues) {
  RandomGraphOptions options;
  options.exact = true;
  options.dots = false;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    options.rewritten = seed % 2 ? 0.4 : 0;
    narrowed(random_graph(seed, options));
  }
}

}  // namespace
}  // namespace weft::test
