// What fusion makes one kernel of, and that what it makes can run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/across_graphs.h"
#include "tests/support/fused.h"

namespace weft {
namespace {

using namespace test;
using ir::Partition;
using testing::HasSubstr;

TEST(Fuse, ElementwiseChainsWithSeveralOutputs) {
  Fused f = fuse(R"(%x = input : f32[100, 7]
    %y = exp %x
    %z = add %y, 1.5
    %w = multiply %z, %x
    return %w, %y)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, Softmax) {
  Fused f = fuse(R"(%x = input : f32[64, 1000]
    %m = max %x, axes=[1]
    %n = reshape %m : f32[64, 1]
    %d = subtract %x, %n
    %e = exp %d
    %s = sum %e, axes=[1]
    %t = reshape %s : f32[64, 1]
    %y = divide %e, %t
    return %y)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
  EXPECT_EQ(f.partition.steps[0].group.outer, (Shape{64}));
  EXPECT_EQ(f.partition.steps[0].group.row, (Shape{1000}));
}

// Each reduction reads an array of its own; a map reads what both give.
TEST(Fuse, ReductionsOfTwoArraysThatAMapJoins) {
  const std::string arrays = "%x = input \"x\" : f32[64, 100]\n%y = input \"y\" : f32[64, 100]\n";
  const std::string sums = arrays + "%a = sum %x, axes=[1]\n%b = max %y, axes=[1]\n%c = sqrt %a\n";
  Fused f = fuse(sums + "%r = add %c, %b\nreturn %r");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
  expect_runnable(f.partition);
  EXPECT_EQ(fuse(sums + "%d = reshape %b : f32[64, 1]\n%e = subtract %x, %d\n%s = sum %e, axes=[1]\n"
                        "%r = add %c, %s\nreturn %r")
                .kernels(),
            1u);
  EXPECT_EQ(fuse(sums + "return %c, %b").kernels(), 2u) << "nothing joins them";
  EXPECT_EQ(fuse(arrays + "%a = sum %x, axes=[0, 1]\n%b = sum %y, axes=[0, 1]\n%r = add %a, %b\nreturn %r")
                .kernels(),
            1u);
  EXPECT_EQ(fuse("%x = input : f32[64, 100]\n%y = input : f32[64, 50]\n%a = sum %x, axes=[1]\n"
                 "%b = sum %y, axes=[1]\n%r = add %a, %b\nreturn %r")
                .kernels(),
            2u)
      << "rows of two lengths";
}

// Windows along two axes are an index map, what they are of is computed once.
TEST(Fuse, WindowsAreNotWritten) {
  const std::string windows =
      "%r = reshape %y : f32[40, 1, 30]\n%a = iota axis=0 : i64[38, 3, 1]\n%b = iota axis=1 : i64[38, 3, 1]\n"
      "%i = add %a, %b\n%v = gather %r, %i, axis=0\n%q = reshape %v : f32[38, 3, 30, 1]\n"
      "%c = iota axis=2 : i64[1, 1, 26, 5]\n%d = iota axis=3 : i64[1, 1, 26, 5]\n%j = add %c, %d\n"
      "%w = gather %q, %j, axis=2\n%s = sum %w, axes=[1, 3]\nreturn %s";
  EXPECT_EQ(fuse("%y = input : f32[40, 30]\n" + windows).kernels(), 1u);
  EXPECT_EQ(fuse("%x = input : f32[40, 30]\n%y = exp %x\n" + windows).kernels(), 2u);
}

const char* kLayerNorm = R"(%x = input "x" : f32[64, 1000]
    %g = input "g" : f32[1000]
    %b = input "b" : f32[1000]
    %s = sum %x, axes=[1]
    %m = divide %s, 1000.0
    %mm = reshape %m : f32[64, 1]
    %c = subtract %x, %mm
    %q = square %c
    %v = sum %q, axes=[1]
    %w = divide %v, 1000.0
    %e = add %w, 1e-5
    %r = rsqrt %e
    %rr = reshape %r : f32[64, 1]
    %n = multiply %c, %rr
    %h = multiply %n, %g
    %y = add %h, %b
    )";

TEST(Fuse, LayerNorm) {
  Fused f = fuse(std::string(kLayerNorm) + "return %y");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, LayerNormThatAlsoReturnsItsMeanAndScale) {
  Fused f = fuse(std::string(kLayerNorm) + "return %y, %m, %r");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, LogSumExp) {
  Fused f = fuse(R"(%x = input : f32[64, 1000]
    %m = max %x, axes=[1]
    %n = reshape %m : f32[64, 1]
    %d = subtract %x, %n
    %e = exp %d
    %s = sum %e, axes=[1]
    %l = log %s
    %y = add %l, %m
    return %y)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, CenteringOverTheLeadingAxis) {
  Fused f = fuse(R"(%x = input : f32[500, 64]
    %s = sum %x, axes=[0]
    %m = divide %s, 500.0
    %y = subtract %x, %m
    return %y)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, ThreeSumsOverPairs) {
  std::string text =
      "%x = input \"x\" : f32[300]\n%y = input \"y\" : f32[300]\n%m = input \"m\" : f32[300]\n";
  text += R"(%xi = reshape %x : f32[300, 1]
    %yi = reshape %y : f32[300, 1]
    %dx = subtract %x, %xi
    %dy = subtract %y, %yi
    %qx = square %dx
    %qy = square %dy
    %r = add %qx, %qy
    %s = add %r, 0.01
    %i = rsqrt %s
    %w = multiply %i, %m
    %fx = multiply %dx, %w
    %fy = multiply %dy, %w
    %ax = sum %fx, axes=[1]
    %ay = sum %fy, axes=[1]
    %p = sum %w, axes=[1]
    return %ax, %ay, %p)";
  Fused f = fuse(text);
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, SiblingsThatReadTheSame) {
  Fused f = fuse(R"(%x = input : f32[100]
    %y = exp %x
    %z = log %x
    %s = sum %x
    return %y, %z, %s)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, SiblingsWithNothingInCommonStayApart) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %y = input "y" : f32[100]
    %u = exp %x
    %v = exp %y
    return %u, %v)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
}

TEST(Fuse, ViewsOfACheapValueAreComputedAgain) {
  Fused f = fuse(R"(%x = input : f32[1000]
    %y = multiply %x, 2.0
    %a = slice %y, starts=[0] : f32[998]
    %b = slice %y, starts=[1] : f32[998]
    %c = slice %y, starts=[2] : f32[998]
    %d = add %a, %b
    %e = add %d, %c
    return %e)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

// The largest element and the sum relative to it are found in one reading; what is relative to neither waits.
TEST(Fuse, FindsTheLargestAndASumRelativeToItTogether) {
  ir::Graph g = ir::parse(R"(graph {
    %x = input : f32[8, 4000000]
    %m = max %x, axes=[1]
    %n = reshape %m : f32[8, 1]
    %d = subtract %x, %n
    %e = exp %d
    %s = sum %e, axes=[1]
    %t = reshape %s : f32[8, 1]
    %y = divide %e, %t
    %q = square %d
    %v = sum %q, axes=[1]
    return %y, %v })");
  auto roots_of = [&](const Target& target, Numerics numerics) {
    Options options;
    options.numerics = numerics;
    std::vector<std::string> groups;
    for (auto& step : fusion::fuse(g, target, options).steps) {
      std::string ops;
      for (auto& root : step.group.roots)
        ops += std::string(ops.empty() ? "" : " ") + std::string(name(root.node->op));
      groups.push_back(ops);
    }
    return groups;
  };
  EXPECT_EQ(roots_of(h200(), Numerics::Standard), (std::vector<std::string>{"max sum", "divide sum"}));
  EXPECT_EQ(roots_of(h200(), Numerics::Strict), (std::vector<std::string>{"max", "sum", "divide sum"}));
}

// Two assigns into an input that is given away.
Fused two_assigns(const std::string& second, const std::string& starts) {
  Options options;
  options.donated = {0};
  return fuse(fmt::format(R"(%a = input "a" : f32[64, 4]
    %x = input "x" : f32[32, 1]
    %e = exp %x
    %u = update %a, %e, starts=[0, 0]
    {}
    %w = update %u, %s, starts=[{}]
    return %w)",
                          second, starts),
              options);
}

TEST(Fuse, AssignsOfOtherElementsOfOneMemoryShareAKernel) {
  Fused f = two_assigns("%s = square %x", "0, 2");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
  EXPECT_EQ(f.partition.steps[0].group.roots.size(), 2u);
  for (auto& root : f.partition.steps[0].group.roots) EXPECT_TRUE(root.stored);
}

TEST(Fuse, AssignsOfTheSameElementsKeepTheirOrder) {
  Fused f = two_assigns("%s = square %x", "16, 0");
  EXPECT_EQ(f.kernels(), 2u);
  EXPECT_THAT(f.why, HasSubstr("the same elements may be replaced again"));
}

TEST(Fuse, AnAssignWaitsForWhatItReadsOfTheMemory) {
  Fused f =
      two_assigns("%p = slice %u, starts=[8, 0] : f32[32, 1]\n %q = square %p\n %s = add %q, %x", "32, 1");
  EXPECT_EQ(f.kernels(), 2u);
  EXPECT_THAT(f.why, HasSubstr("it is written in place"));
  expect_runnable(f.partition);
}

TEST(Fuse, AnAssignWaitsForThoseThatReadWhatItReplacesAtOtherPoints) {
  const auto shifted = [](const std::string& replaced) {
    Options options;
    options.donated = {0};
    return fuse(fmt::format(R"(%a = input "a" : f32[64, 4]
      %x = input "x" : f32[32, 1]
      %p = slice %a, starts=[0, 2] : f32[32, 1]
      %e = exp %p
      %u = update %a, %e, starts=[1, 0]
      %s = square %x
      %w = update %u, %s, starts=[{}]
      return %w)",
                            replaced),
                options);
  };
  Fused f = shifted("1, 2");
  EXPECT_EQ(f.kernels(), 2u);
  EXPECT_THAT(f.why, HasSubstr("read at other points"));
  expect_runnable(f.partition);
  EXPECT_EQ(shifted("1, 3").kernels(), 1u);
}

// ---- no cycles

TEST(Fuse, DiamondWithALibraryInOneArm) {
  // relu(d) needs the product of e; joining e's kernel would have that wait for itself.
  Fused f = fuse(R"(%a = input "a" : f32[20, 20]
    %e = exp %a
    %d = dot %e, %a
    %y = add %e, %d
    return %y, %e)");
  EXPECT_THAT(f.why, HasSubstr("another kernel has to run between them"));
  EXPECT_EQ(f.kernels(), 3u) << f.why;
  expect_runnable(f.partition);
}

TEST(Fuse, LongDetourBackToTheSameLoops) {
  Fused f = fuse(R"(%x = input : f32[200, 200]
    %u = exp %x
    %c = sum %u, axes=[0]
    %t = log %c
    %v = reshape %t : f32[200, 1]
    %w = multiply %v, 2.0
    %y = add %u, %w
    return %y, %u)");
  expect_runnable(f.partition);
  EXPECT_GE(f.kernels(), 2u);
}

TEST(Fuse, SiblingsDoNotCloseACycle) {
  // z reads x, as y does, but waits for the product that y feeds.
  Fused f = fuse(R"(%x = input : f32[20, 20]
    %y = exp %x
    %d = dot %y, %y
    %e = exp %d
    %g = dot %e, %x
    %z = add %x, %g
    return %y, %z)");
  expect_runnable(f.partition);
}

TEST(Fuse, RandomGraphsRunInOrder) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraphOptions random;
    random.ops = 40;
    ir::Graph g = prepare(random_graph(seed, random), cpu());
    Partition p = fusion::fuse(g, cpu(), Options());
    expect_runnable(p);
    EXPECT_EQ(to_string(explain(p)), to_string(explain(fusion::fuse(g, cpu(), Options()))));
  }
}

TEST(Fuse, TheSameTextGivesTheSameExplanation) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    // Graphs made one after another lie at other addresses.
    ir::Graph a = prepare(random_graph(seed), cpu()), b = prepare(random_graph(seed), cpu());
    EXPECT_EQ(to_string(explain(fusion::fuse(a, cpu(), Options()))),
              to_string(explain(fusion::fuse(b, cpu(), Options()))))
        << seed;
  }
}

}  // namespace
}  // namespace weft
