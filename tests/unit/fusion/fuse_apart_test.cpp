// What fusion keeps apart, and the reason that it gives.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/compile.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/across_graphs.h"
#include "tests/support/fused.h"

namespace weft {
namespace {

using namespace test;
using testing::HasSubstr;

std::string stencil(const std::string& cell) {
  return "%x = input : f32[102, 102]\n" + cell + R"(
    %n = slice %y, starts=[0, 1] : f32[100, 100]
    %s = slice %y, starts=[2, 1] : f32[100, 100]
    %w = slice %y, starts=[1, 0] : f32[100, 100]
    %e = slice %y, starts=[1, 2] : f32[100, 100]
    %c = slice %y, starts=[1, 1] : f32[100, 100]
    %p = add %n, %s
    %q = add %w, %e
    %r = add %p, %q
    %t = subtract %r, %c
    return %t)";
}

TEST(Fuse, StencilOfACheapExpressionComputesItAgain) {
  Fused f = fuse(stencil("%y = square %x"));
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, ACostlyTableThatIsRepeatedAlongTheRowIsStored) {
  const std::string table = "%x = input : c64[64, 1]\n%w = input : c64[64, 50]\n%t = exp %x\n%u = sin %t\n";
  const std::string along = table + "%v = broadcast %u : c64[64, 50]\n";
  EXPECT_EQ(fuse(along + "%z = multiply %w, %v\nreturn %z").kernels(), 1u) << "once a row anyway";
  const std::string flat =
      "%f = reshape %v : c64[3200]\n%g = reshape %w : c64[3200]\n%z = multiply %g, %f\nreturn %z";
  const Fused both = fuse(along +
                          "%p = permute %v, axes=[1, 0]\n%q = permute %w, axes=[1, 0]\n"
                          "%z = multiply %p, %q\nreturn %z");
  EXPECT_EQ(both.kernels(), 2u);
  EXPECT_THAT(both.why, HasSubstr("repeated"));
  expect_runnable(both.partition);
  EXPECT_EQ(fuse(along + flat).kernels(), 2u);
  const std::string cheap =
      "%x = input : f32[64, 1]\n%w = input : f32[64, 50]\n%t = exp %x\n%v = broadcast %t : f32[64, 50]\n";
  EXPECT_EQ(fuse(cheap +
                 "%f = reshape %v : f32[3200]\n%g = reshape %w : f32[3200]\n%z = multiply %g, %f\nreturn %z")
                .kernels(),
            1u);
}

// A window that each of many rows is multiplied by. Of few rows, a kernel more would cost what it spares.
TEST(Fuse, ACostlyFactorAlongManyRowsIsComputedOnce) {
  const auto windowed = [](const char* rows, const char* window) {
    return fmt::format(
        "%x = input \"x\" : f64[{0}, 512]\n%k = input \"k\" : f64[512]\n%w = {1} %k\n%y = multiply %x, %w\n"
        "return %y",
        rows, window);
  };
  EXPECT_EQ(fuse(windowed("1024", "cos")).kernels(), 2u);
  EXPECT_EQ(fuse(windowed("64", "cos")).kernels(), 1u);
  EXPECT_EQ(fuse(windowed("1024", "sqrt")).kernels(), 2u);
  EXPECT_EQ(fuse(windowed("64", "sqrt")).kernels(), 1u);
  EXPECT_EQ(fuse(windowed("1024", "square")).kernels(), 1u);
}

// Where another kernel gives what the factor is computed from, it takes none of its own.
TEST(Fuse, TheScaleOfColumnsIsComputedWithTheirSums) {
  const Fused f = fuse(
      "%x = input : f64[4096, 64]\n%s = sum %x, axes=[0]\n%t = sqrt %s\n%b = broadcast %t : f64[4096, 64]\n"
      "%y = divide %x, %b\nreturn %y");
  ASSERT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_EQ(f.partition.steps[1].group.roots.size(), 1u);
  EXPECT_EQ(f.partition.steps[0].group.roots.back().node->op, ir::Op::sqrt);
}

// As the slices of an array that is padded with its edge do.
TEST(Fuse, AGatherThatIsReadAtManyPositionsIsStored) {
  const auto slices = [](int count, const char* indices) {
    std::string lines = fmt::format(
        "%x = input \"x\" : f32[100, 100]\n%i = input \"i\" : i64{}\n%y = gather %x, %i, axis={}\n", indices,
        std::string_view(indices) == "[1, 110]" ? 1 : 0);
    std::string sum;
    for (int k = 0; k < count; ++k) {
      lines += fmt::format("%s{0} = slice %y, starts=[{0}, 0] : f32[50, 100]\n", k);
      if (k > 0) lines += fmt::format("%a{} = add {}, %s{}\n", k, sum, k);
      sum = k > 0 ? fmt::format("%a{}", k) : "%s0";
    }
    return lines + "return " + sum;
  };
  EXPECT_EQ(fuse(slices(9, "[1, 110]")).kernels(), 2u);
  EXPECT_EQ(fuse(slices(2, "[1, 110]")).kernels(), 1u);
  EXPECT_EQ(fuse(slices(9, "[110, 1]")).kernels(), 1u) << "whole rows cost no more than those of an array";
}

TEST(Fuse, StencilOfACostlyExpressionStoresIt) {
  Fused f = fuse(stencil("%u = exp %x\n%y = tanh %u"));
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("it is read at many positions: computed at each"));
}

TEST(Fuse, StencilOfAViewOfACostlyExpressionStoresIt) {
  Fused f = fuse(stencil("%u = exp %x\n%v = tanh %u\n%y = permute %v, axes=[1, 0]"));
  EXPECT_EQ(f.kernels(), 2u) << f.why;
}

TEST(Fuse, ALongChainOfStencilsInThreeAxesIsStoredStepByStep) {
  const int64_t extent = 100;
  std::string lines = "%x0 = input : f32[100, 100, 100]\n";
  for (int k = 0; k < 40; ++k) {
    const int64_t inner = extent - 2 * (k + 1);
    const std::string shape = fmt::format("f32[{0}, {0}, {0}]", inner);
    std::string sum;
    for (const char* at : {"1, 1, 1", "0, 1, 1", "2, 1, 1", "1, 0, 1", "1, 2, 1", "1, 1, 0", "1, 1, 2"}) {
      const std::string part = fmt::format("%s{}_{}", k, lines.size());
      lines += fmt::format("{} = slice %x{}, starts=[{}] : {}\n", part, k, at, shape);
      if (sum.empty()) {
        sum = part;
        continue;
      }
      const std::string next = fmt::format("%a{}_{}", k, lines.size());
      lines += fmt::format("{} = add {}, {}\n", next, sum, part);
      sum = next;
    }
    lines += fmt::format("%x{} = multiply {}, 0.3\n", k + 1, sum);
  }
  Fused f = fuse(lines + "return %x40");
  EXPECT_GE(f.kernels(), 20u);
  EXPECT_LE(f.kernels(), 40u);
}

TEST(Fuse, ALongExpressionWithoutRepetitionIsOneKernelThatReadsAllItsInputs) {
  std::string lines =
      "%x0 = input : f32[1000]\n%late = input : f32[1000]\n%r = square %late\n%s = sum %late, axes=[0]\n"
      "%t = add %r, %s\n%y0 = add %x0, %t\n";
  for (int k = 0; k < 6000; ++k) lines += fmt::format("%y{} = add %y{}, %x0\n", k + 1, k);
  Options options;
  options.max_kernel_cost = 1 << 20;
  Fused f = fuse(lines + "return %y6000", options);
  EXPECT_EQ(f.kernels(), 1u);
  EXPECT_THAT(f.why, HasSubstr("fused: sum"));
}

TEST(Fuse, StencilOfAPadReadsItWithGuards) {
  Fused f =
      fuse(stencil("%u = slice %x : f32[100, 100]\n"
                   "%y = pad %u, 0.0, before=[1, 1], after=[1, 1] : f32[102, 102]"));
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, StencilOfAConcatOfManyPartsStoresIt) {
  Fused f =
      fuse(stencil("%u = concat %x, %x, %x, %x, %x, axis=0 : f32[510, 102]\n"
                   "%y = slice %u, starts=[50, 0] : f32[102, 102]"));
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("it is read at many positions: computed at each"));
}

TEST(Fuse, NormalizingAWholeArrayNeedsItsSumsFirst) {
  Fused f = fuse(R"(%x = input : f32[3000000]
    %s = sum %x
    %q = square %x
    %t = sum %q
    %y = divide %x, %t
    %z = subtract %y, %s
    return %z)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why,
              HasSubstr("a row of 3000000 elements for 1 results is reduced by the whole machine first"));
}

TEST(Fuse, RowAndColumnSums) {
  for (auto [shape, kernels] : {std::pair{"60, 200", 2u}, {"64, 200", 1u}, {"300, 100000", 1u}}) {
    Fused f = fuse(fmt::format(R"(%x = input : f32[{}]
    %r = sum %x, axes=[1]
    %c = sum %x, axes=[0]
    return %r, %c)",
                               shape));
    EXPECT_EQ(f.kernels(), kernels) << f.why;
  }
}

TEST(Fuse, ManyElementsOfFewColumnsAreReducedInParts) {
  for (auto [shape, kernels] : {std::pair{"4096, 64", 3u}, {"400, 64", 1u}, {"4096, 4096", 1u}}) {
    Fused f = fuse(fmt::format(R"(%x = input : f32[{}]
    %m = max %x, axes=[0]
    %d = subtract %x, %m
    %e = exp %d
    %s = sum %e, axes=[0]
    %y = divide %e, %s
    return %y)",
                               shape));
    EXPECT_EQ(f.kernels(), kernels) << f.why;
  }
}

TEST(Fuse, GradientsOfANormReadItsDataOnce) {
  Fused f;
  f.graph = prepare(ir::parse(layer_norm_gradients("f32", 600, 100)), cpu(), {});
  f.partition = fusion::fuse(f.graph, cpu(), {});
  f.why = to_string(explain(f.partition));
  EXPECT_EQ(f.kernels(), 1u) << f.why;
  EXPECT_EQ(f.partition.steps[0].group.outer, (Shape{600}));
  EXPECT_EQ(f.partition.steps[0].group.row, (Shape{100}));
  EXPECT_THAT(f.why, Not(HasSubstr("not fused")));
  expect_runnable(f.partition);
}

TEST(Fuse, ReductionsOfTheSameRowsMeetAgainThoughTheyBeganApart) {
  // The first sum and the second read different arrays; the third value reads both.
  Fused f = fuse(R"(%x = input "x" : f32[64, 1000]
    %y = input "y" : f32[64, 1000]
    %a = sum %x, axes=[1]
    %b = max %y, axes=[1]
    %b1 = reshape %b : f32[64, 1]
    %a1 = reshape %a : f32[64, 1]
    %t = subtract %y, %b1
    %u = multiply %x, %t
    %v = add %u, %a1
    return %v)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
  expect_runnable(f.partition);
}

TEST(Fuse, ColumnsOfOtherDataStayApart) {
  Fused f = fuse(R"(%x = input "x" : f32[600, 100]
    %y = input "y" : f32[600, 100]
    %a = sum %x, axes=[1]
    %b = sum %y, axes=[0]
    return %a, %b)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
}

TEST(Fuse, ProductsHaveTheirOwnSteps) {
  Fused f = fuse(R"(%a = input "a" : f32[30, 20]
    %b = input "b" : f32[20, 10]
    %e = exp %a
    %d = dot %e, %b
    %y = relu %d
    return %y)");
  EXPECT_EQ(f.kernels(), 3u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("a library reads it"));
  EXPECT_THAT(f.why, HasSubstr("a library computes it"));
}

// The host runs what is no work of one element.
TEST(Fuse, LoopsAndBranchesAreNoLibraries) {
  const std::string type = " : f32[9]\n";
  const std::string bodies = "body turn {\n%c = input" + type +
                             "%t = scalar : i64[]\n%s = cumulative_sum %c, axis=0\n" +
                             "return %s\n}\nbody one {\n%c = input" + type + "%s = sin %c\nreturn %s\n}\n";
  const auto why = [&](const std::string& step) {
    const ir::Graph graph =
        prepare(ir::parse(bodies + "graph {\n%x = input" + type + "%i = input : i64[]\n%e = exp %x\n" + step +
                          "%y = log %l\nreturn %y\n}"),
                cpu(), {});
    return to_string(explain(fusion::fuse(graph, cpu(), {})));
  };
  const std::string loop = why("%l = scan %e, body=turn, carries=1, length=3\n");
  EXPECT_THAT(loop, HasSubstr("a loop reads it"));
  EXPECT_THAT(loop, HasSubstr("a loop computes it"));
  const std::string branch = why("%l = branch %i, %e, bodies=[one, one]\n");
  EXPECT_THAT(branch, HasSubstr("a branch reads it"));
  EXPECT_THAT(branch, HasSubstr("a branch computes it"));
}

TEST(Fuse, GathersOfMostElementsReadMemory) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %i = input "i" : i64[100]
    %e = exp %x
    %g = gather %e, %i, axis=0
    %y = add %g, %x
    return %y)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("it is read at other positions than its own"));
}

TEST(Fuse, GathersOfFewElementsComputeThem) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %i = input "i" : i64[99]
    %e = exp %x
    %g = gather %e, %i, axis=0
    return %g)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, GathersOfWhatSeveralArraysGiveComputeFewer) {
  const auto kernels = [](int picked) {
    return fuse(fmt::format(R"(%x = input "x" : f32[100]
    %z = input "z" : f32[100]
    %i = input "i" : i64[{}]
    %e = multiply %x, %z
    %g = gather %e, %i, axis=0
    return %g)",
                            picked))
        .kernels();
  };
  EXPECT_EQ(kernels(12), 1u);
  EXPECT_EQ(kernels(13), 2u);
}

TEST(Fuse, GathersReadWhatIsStoredAnyway) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %i = input "i" : i64[5]
    %e = exp %x
    %g = gather %e, %i, axis=0
    return %e, %g)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
}

TEST(Fuse, GuardedValuesAreStoredForGathers) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %i = input "i" : i64[5]
    %p = pad %x, 0.0, before=[3], after=[3]
    %e = exp %p
    %g = gather %e, %i, axis=0
    return %g)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
}

TEST(Fuse, CrossEntropyByPicking) {
  Fused f = fuse(R"(%x = input "x" : f32[64, 1000]
    %i = input "i" : i64[64, 1]
    %m = max %x, axes=[1]
    %n = reshape %m : f32[64, 1]
    %d = subtract %x, %n
    %e = exp %d
    %s = sum %e, axes=[1]
    %l = log %s
    %k = reshape %l : f32[64, 1]
    %p = subtract %d, %k
    %g = gather %p, %i, axis=1
    %y = negative %g
    return %y)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, AnIndexMayBeComputed) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %i = input "i" : i64[100]
    %j = add %i, 1
    %g = gather %x, %j, axis=0
    %y = square %g
    return %y)");
  EXPECT_EQ(f.kernels(), 1u) << f.why;
}

TEST(Fuse, NothingWhenSwitchedOff) {
  Options options;
  options.fuse = false;
  Fused f = fuse(R"(%x = input : f32[100]
    %y = exp %x
    %t = slice %y, starts=[99], steps=[-1] : f32[100]
    %z = log %t
    %s = sum %z
    return %s)",
                 options);
  EXPECT_EQ(f.kernels(), 3u) << "exp, log, sum; the slice is a view\n" << f.why;
  EXPECT_THAT(f.why, HasSubstr("fusion is switched off"));
}

TEST(Fuse, WorkOfSeveralKernelsIsStoredOnce) {
  // Both sums need the same costly values, along different axes.
  Fused f = fuse(R"(%x = input : f32[60, 200]
    %a = exp %x
    %b = sin %a
    %c = tanh %b
    %d = log1p %c
    %e = exp %d
    %r = sum %e, axes=[1]
    %c2 = sum %e, axes=[0]
    return %r, %c2)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("writes exp : f32(60, 200)"));
}

TEST(Fuse, WorkOfSeveralKernelsIsStoredOnceThoughTheyReadItThroughAnUpdate) {
  Fused f = fuse(R"(%x = input : f32[60, 200]
    %z = constant 0.0 : f32[62, 202]
    %a = exp %x
    %b = sin %a
    %c = tanh %b
    %d = log1p %c
    %e = erf %d
    %u = update %z, %e, starts=[1, 1]
    %w = slice %u, starts=[1, 1] : f32[60, 200]
    %r = sum %w, axes=[1]
    %c2 = sum %w, axes=[0]
    return %r, %c2)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("writes erf : f32(60, 200)"));
}

// Also where the expressions of all sums together are so long that they are not analyzed as a whole.
TEST(Fuse, ValuesDividedByTheirSumsAlongOtherAxesAgainAndAgainAreAKernelEach) {
  for (const size_t times : {60, 400}) {
    std::string text = "%y0 = input : f32[300, 300]\n";
    for (size_t i = 0; i < times; ++i) {
      const bool rows = i % 2 == 0;
      text += fmt::format(
          "%s{0} = sum %y{0}, axes=[{2}]\n%r{0} = reshape %s{0} : f32[{3}]\n"
          "%b{0} = broadcast %r{0} : f32[300, 300]\n%y{1} = divide %y{0}, %b{0}\n",
          i, i + 1, rows ? 1 : 0, rows ? "300, 1" : "1, 300");
    }
    EXPECT_EQ(fuse(text + fmt::format("return %y{}", times)).kernels(), times);
  }
}

TEST(Fuse, ManySmallSiblingsMakeAFewKernelsThatAreAlike) {
  auto kernels = [](int64_t side) {
    std::string lines =
        fmt::format("%x = input : f32[{0}, {0}]\n%w = input : f32[{1}, {1}]\n", side, side - 40);
    std::string results;
    for (int k = 0; k < 40; ++k) {
      lines += fmt::format(
          "%s{0} = slice %x, starts=[{0}, {0}] : f32[{1}, {1}]\n%m{0} = multiply %s{0}, %w\n%r{0} = sum "
          "%m{0}, "
          "axes=[0]\n",
          k, side - 40);
      results += fmt::format("{}%r{}", k == 0 ? "" : ", ", k);
    }
    return fuse(lines + "return " + results).kernels();
  };
  EXPECT_EQ(kernels(60), 5u);
  EXPECT_LT(kernels(1000), 5u) << "one that reads the large arrays once is worth compiling";
}

TEST(Fuse, KernelsAreBoundedByWhatTheirOpsCostToCompile) {
  auto kernels = [](const std::string& op, int length, const std::string& type, int cost) {
    Options options;
    options.max_kernel_cost = cost;
    std::string lines = "%v0 = input : " + type + "\n";
    for (int k = 0; k < length; ++k)
      lines += "%v" + std::to_string(k + 1) + " = " + op + " %v" + std::to_string(k) + "\n";
    return fuse(lines + "return %v" + std::to_string(length), options).kernels();
  };
  EXPECT_EQ(kernels("sqrt", 53, "f32[10]", 320), 1u);
  EXPECT_EQ(kernels("sin", 20, "f32[10]", 320), 1u);
  EXPECT_EQ(kernels("sin", 200, "f32[10]", 320), 10u);
  EXPECT_EQ(kernels("sin", 200, "c64[10]", 320), 40u);
}

TEST(Fuse, ChainsOfUpdatesThatNestTheirGuardsAreCut) {
  Options options;
  options.without_passes = {"assign"};
  std::string lines = "%u0 = input : f32[900]\n%v = input : f32[3]\n";
  for (int k = 0; k < 90; ++k) lines += fmt::format("%u{} = update %u{}, %v, starts=[{}]\n", k + 1, k, 5 * k);
  EXPECT_EQ(fuse(lines + "return %u30", options).kernels(), 1u);
  EXPECT_EQ(fuse(lines + "return %u90", options).kernels(), 3u);
}

TEST(Fuse, ValuesThatNobodyReadsFromMemoryAreNotWritten) {
  Options options;
  options.max_kernel_cost = 48;  // four of exp
  Fused f =
      fuse("%x = input : f32[10]\n%a = exp %x\n%b = exp %a\n%c = exp %b\n%d = exp %c\n%e = exp %d\nreturn %e",
           options);
  size_t written = 0;
  for (auto& s : f.partition.steps)
    for (auto& root : s.group.roots) written += root.stored;
  EXPECT_EQ(written, f.kernels()) << f.why;
}

}  // namespace
}  // namespace weft
