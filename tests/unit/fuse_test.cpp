// What fusion makes one kernel of, what it keeps apart, and the reason that it gives.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compiler/compile.h"
#include "compiler/explain.h"
#include "compiler/ir/parse.h"
#include "compiler/passes/fuse.h"
#include "tests/fuzz/random_graph.h"
#include "tests/unit/across_graphs.h"

namespace weft {
namespace {

using ir::Partition;
using testing::HasSubstr;

Target cpu() { return {TargetKind::Cpu, 2, 32, size_t{32} << 20, 0}; }

// The graph lives as long as its partition.
struct Fused {
  ir::Graph graph;
  Partition partition;
  std::string why;

  size_t kernels() const { return partition.steps.size(); }
};

Fused fuse(const std::string& lines, const Options& options = {}) {
  Fused f;
  f.graph = prepare(ir::parse("graph {\n" + lines + "\n}"), cpu(), options);
  f.partition = passes::fuse(f.graph, cpu(), options);
  f.why = explain(f.partition);
  return f;
}

// Every value that a step reads from memory has been written by an earlier one.
void expect_runnable(const Partition& p) {
  std::set<const ir::Node*> written;
  std::set<const ir::Node*> stored;
  for (auto& s : p.steps) {
    if (s.library) stored.insert(s.library.get());
    for (auto& root : s.group.roots)
      if (root.stored) stored.insert(root.node.get());
  }
  for (auto& s : p.steps) {
    std::set<const ir::Node*> own, seen;
    std::vector<const ir::Node*> stack;
    auto visit = [&](const ir::Node* n) {
      if (!seen.insert(n).second || kind(n->op) == ir::OpKind::Source) return;
      if (stored.contains(n) && !own.contains(n)) {
        EXPECT_TRUE(written.contains(n)) << name(n->op) << " is read before it is written";
        return;
      }
      stack.push_back(n);
    };
    for (auto& root : s.group.roots) own.insert(root.node.get());
    if (s.library) own.insert(s.library.get());
    for (auto* n : std::set<const ir::Node*>(own)) visit(n);
    while (!stack.empty()) {
      const ir::Node* n = stack.back();
      stack.pop_back();
      for (auto& in : n->inputs) visit(in.get());
    }
    for (auto* n : own)
      if (stored.contains(n)) written.insert(n);
  }
}

// ---- one kernel

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

// ---- more than one, and why

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

TEST(Fuse, StencilOfACostlyExpressionStoresIt) {
  Fused f = fuse(stencil("%u = exp %x\n%y = tanh %u"));
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("it is read at other positions than its own"));
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
  EXPECT_THAT(f.why, HasSubstr("it is read at other positions than its own"));
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
  Fused f = fuse(R"(%x = input : f32[300, 200]
    %r = sum %x, axes=[1]
    %c = sum %x, axes=[0]
    return %r, %c)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
}

TEST(Fuse, GradientsOfANormReadItsDataOnce) {
  Fused f;
  f.graph = prepare(ir::parse(test::layer_norm_gradients("f32", 600, 100)), cpu(), {});
  f.partition = passes::fuse(f.graph, cpu(), {});
  f.why = explain(f.partition);
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

TEST(Fuse, GathersReadMemory) {
  Fused f = fuse(R"(%x = input "x" : f32[100]
    %i = input "i" : i64[100]
    %e = exp %x
    %g = gather %e, %i, axis=0
    %y = add %g, %x
    return %y)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("it is read at other positions than its own"));
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
  Fused f = fuse(R"(%x = input : f32[300, 200]
    %a = exp %x
    %b = sin %a
    %c = tanh %b
    %d = log1p %c
    %e = exp %d
    %r = sum %e, axes=[1]
    %c2 = sum %e, axes=[0]
    return %r, %c2)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("writes exp : f32(300, 200)"));
}

TEST(Fuse, WorkOfSeveralKernelsIsStoredOnceThoughTheyReadItThroughAnUpdate) {
  Fused f = fuse(R"(%x = input : f32[300, 200]
    %z = constant 0.0 : f32[302, 202]
    %a = exp %x
    %b = sin %a
    %c = tanh %b
    %d = log1p %c
    %e = erf %d
    %u = update %z, %e, starts=[1, 1]
    %w = slice %u, starts=[1, 1] : f32[300, 200]
    %r = sum %w, axes=[1]
    %c2 = sum %w, axes=[0]
    return %r, %c2)");
  EXPECT_EQ(f.kernels(), 2u) << f.why;
  EXPECT_THAT(f.why, HasSubstr("writes erf : f32(300, 200)"));
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
    test::RandomGraphOptions random;
    random.ops = 40;
    ir::Graph g = prepare(test::random_graph(seed, random), cpu());
    Partition p = passes::fuse(g, cpu(), Options());
    expect_runnable(p);
    EXPECT_EQ(explain(p), explain(passes::fuse(g, cpu(), Options())));
  }
}

TEST(Fuse, TheSameTextGivesTheSameExplanation) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    // Graphs made one after another lie at other addresses.
    ir::Graph a = prepare(test::random_graph(seed), cpu()), b = prepare(test::random_graph(seed), cpu());
    EXPECT_EQ(explain(passes::fuse(a, cpu(), Options())), explain(passes::fuse(b, cpu(), Options()))) << seed;
  }
}

// ---- reasons, one by one

struct Edge {
  const char* name;
  const char* lines;
  const char* reason;
  int max_cost = 3000;
};

// A value of each row, which some reduction across the rows reads.
#define ADDS_SUM "%s = sum %x, axes=[1]\n%r = reshape %s : f32[999, 1]\n%y = add %x, %r\n"

const Edge kEdges[] = {
    {"Shifted", "%x = input : f32[9]\n%y = exp %x\n%z = slice %y, starts=[1] : f32[8]\nreturn %y, %z",
     "it is read at other positions than its own (shifted, strided, repeated or gathered)"},
    {"Several",
     "%x = input : f32[9, 9]\n%y = exp %x\n%t = permute %y, axes=[1, 0]\n%z = add %y, %t\nreturn %y, %z",
     "it is read at several positions"},
    {"Parallel", "%x = input : f32[9, 8]\n%s = sum %x, axes=[1]\n%t = max %s\nreturn %t",
     "it reduces over the axes that are walked in parallel"},
    {"OtherAxesOfARow",
     "%x = input : f32[9, 8]\n%s = sum %x, axes=[0]\n%y = multiply %x, %s\n%t = sum %y, axes=[1]\nreturn %t",
     "it reduces other axes"},
    {"FewRows",
     "%x = input : f32[99, 80]\n%s = sum %x, axes=[1]\n%r = reshape %s : f32[99, 1]\n%y = add %x, %r\n%t = "
     "max %y, axes=[0]\nreturn %y, %t",
     "99 rows are too few to total across them"},
    {"ShortRows", "%x = input : f32[999, 8]\n" ADDS_SUM "%t = max %y, axes=[0]\nreturn %y, %t",
     "rows of 8 elements are too short for totals beside them"},
    {"LongRows", "%x = input : f32[999, 50000]\n" ADDS_SUM "%t = max %y, axes=[0]\nreturn %y, %t",
     "rows of 50000 elements are too long for totals beside them"},
    {"PositionAcross", "%x = input : f32[999, 80]\n" ADDS_SUM "%t = argmax %y, axes=[0]\nreturn %y, %t",
     "positions are not kept for totals across rows"},
    {"AfterTheLastRow",
     "%x = input : f32[999, 80]\n" ADDS_SUM "%t = max %y, axes=[0]\n%u = subtract %x, %t\nreturn %y, %u",
     "totals across rows are known after the last row only"},
    {"Repeated",
     "%x = input \"x\" : f32[9]\n%w = input \"w\" : f32[8, 9]\n%y = exp %x\n%z = add %w, %y\nreturn %y, %z",
     "it is repeated along an axis: read from memory instead of computed again"},
    {"OtherRank",
     "%x = input \"x\" : f32[9, 8]\n%w = input \"w\" : f32[4, 5, 9]\n%s = sum %x, axes=[1]\n%z = add %w, %s\n"
     "return %z",
     "its axes are not those of the row that is reduced"},
    {"OtherLength",
     "%x = input \"x\" : f32[9, 8]\n%w = input \"w\" : f32[5, 9]\n%s = sum %x, axes=[1]\n%z = add %w, "
     "%s\nreturn %z",
     "its row has 5 elements, the reduced one 8"},
    {"BothReduced",
     "%x = input : f32[9, 8]\n%s = sum %x, axes=[1]\n%r = reshape %s : f32[9, 1]\n%y = subtract %x, %r\n"
     "%t = sum %y\nreturn %t",
     "it reduces over the axes that are walked in parallel"},
    {"WholeMachine", "%x = input : f32[70000]\n%s = sum %x\n%y = divide %x, %s\nreturn %y",
     "a row of 70000 elements for 1 results is reduced by the whole machine first"},
    {"LinesUpOtherwise",
     "%x = input : f32[9, 9]\n%y = exp %x\n%t = permute %x, axes=[1, 0]\n%u = add %y, %t\n"
     "%v = permute %y, axes=[1, 0]\n%w = add %u, %v\nreturn %y, %u, %w",
     "it lines up otherwise than exp"},
    {"BetweenThem", "%a = input : f32[9, 9]\n%e = exp %a\n%d = dot %e, %a\n%y = add %e, %d\nreturn %y, %e",
     "another kernel has to run between them"},
    {"TooLarge",
     "%x = input : f32[9]\n%a = exp %x\n%b = exp %a\n%c = exp %b\n%d = exp %c\n%e = exp %d\n%f = exp "
     "%e\nreturn %f",
     "the kernel would be too large", 48},
    {"Library", "%a = input : f32[9, 9]\n%d = dot %a, %a\n%y = exp %d\nreturn %y", "a library computes it"},
    {"InOneKernelOnly",
     "%x = input \"x\" : f32[9]\n%w = input \"w\" : f32[9]\n%y = exp %x\n%z = log %w\n%u = add %y, %z\n"
     "return %y, %z, %u",
     "its reader is computed with other values that it reads"},
    {"ForALibrary", "%a = input : f32[9, 9]\n%e = exp %a\n%d = dot %e, %a\nreturn %d", "a library reads it"},
};

class Reason : public testing::TestWithParam<Edge> {};

TEST_P(Reason, IsGiven) {
  Options options;
  options.max_kernel_cost = GetParam().max_cost;
  Fused f = fuse(GetParam().lines, options);
  EXPECT_THAT(f.why, HasSubstr(GetParam().reason));
  EXPECT_GT(f.kernels(), 1u);
  expect_runnable(f.partition);
}

INSTANTIATE_TEST_SUITE_P(Edges, Reason, testing::ValuesIn(kEdges),
                         [](const auto& c) { return std::string(c.param.name); });

// ---- can_fuse alone

TEST(CanFuse, SiblingsNeedTheSameLoops) {
  ir::Graph g =
      ir::parse("graph {\n%x = input : f32[9, 8]\n%y = exp %x\n%s = sum %x, axes=[0]\nreturn %y, %s\n}");
  const ir::Node &y = *g.outputs[0], &s = *g.outputs[1];
  EXPECT_TRUE(passes::can_join_siblings({{9, 8}, {0, 0}, false}, y, cpu()).possible);
  EXPECT_EQ(passes::can_join_siblings({{8, 9}, {0, 0}, false}, y, cpu()).reason,
            "its loops have another shape");
  EXPECT_EQ(passes::can_join_siblings({{9}, {0}, false}, y, cpu()).reason, "its loops have another shape");
  EXPECT_EQ(passes::can_join_siblings({{9, 8}, {0, 1}, true}, s, cpu()).reason, "it reduces other axes");
  EXPECT_TRUE(passes::can_join_siblings({{9, 8}, {1, 0}, true}, s, cpu()).possible);
}

TEST(CanFuse, RefusesAReaderOfSomeAxes) {
  ir::Graph g = ir::parse("graph {\n%x = input : f32[9]\n%y = exp %x\n%z = log %y\nreturn %z\n}");
  const ir::Node &z = *g.outputs[0], &y = *z.inputs[0];
  passes::Join join = passes::can_fuse({{9, 8}, {0, 0}, false}, y, {0}, z, {true, {0}, ""}, cpu());
  EXPECT_FALSE(join.possible);
  EXPECT_EQ(join.reason, "it covers a part of the axes only");
}

TEST(CanFuse, MapsTheReadersAxesToTheGroups) {
  ir::Graph g = ir::parse(
      "graph {\n%x = input : f32[9, 8]\n%y = exp %x\n%t = permute %y, axes=[1, 0]\n%z = log %t\nreturn "
      "%z\n}");
  const ir::Node &z = *g.outputs[0], &y = *z.inputs[0]->inputs[0];
  passes::Join join = passes::can_fuse({{9, 8}, {0, 0}, false}, y, {0, 1}, z, {true, {1, 0}, ""}, cpu());
  EXPECT_TRUE(join.possible);
  EXPECT_EQ(join.axis, (std::vector<int>{1, 0}));
}

TEST(CanFuse, LongRowsAreLocalWhenThereAreManyOrTheMachineIsBusy) {
  ir::Graph g = ir::parse(R"(graph {
    %x = input : f32[64, 100000]
    %s = sum %x, axes=[1]
    %r = reshape %s : f32[64, 1]
    %y = divide %x, %r
    return %y })");
  const ir::Node &y = *g.outputs[0], &s = *y.inputs[1]->inputs[0]->inputs[0];
  ASSERT_EQ(s.op, ir::Op::sum);
  auto join = [&](int64_t points, const Target& target) {
    return passes::can_fuse({{points, 100000}, {0, 1}, true}, s, {0, 1}, y, {true, {0}, ""}, target).possible;
  };
  EXPECT_TRUE(join(64, cpu()));
  Target gpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, size_t{227} << 10};
  EXPECT_TRUE(join(64, gpu)) << "a cluster keeps such a row";
  gpu.shared_bytes = size_t{100} << 10;
  EXPECT_FALSE(join(64, gpu)) << "64 blocks leave half of the processors idle";
  gpu.threads = 100;
  EXPECT_TRUE(join(64, gpu));
}

TEST(CanFuse, RowsAndColumnsBeyondTheChipAreLocalWhenTheyAreMany) {
  const Target gpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, size_t{227} << 10};
  // Divides rows (axis 1) or columns (axis 0) by their sums.
  auto local = [&](int64_t height, int64_t width, int axis, const char* dtype = "f32") {
    ir::Graph g = ir::parse(fmt::format(
        R"(graph {{
      %x = input : {4}[{0}, {1}]
      %s = sum %x, axes=[{2}]
      %r = reshape %s : {4}[{3}]
      %y = divide %x, %r
      return %y }})",
        height, width, axis, axis == 1 ? fmt::format("{}, 1", height) : fmt::format("1, {}", width), dtype));
    const ir::Node &y = *g.outputs[0], &s = *y.inputs[1]->inputs[0]->inputs[0];
    EXPECT_EQ(s.op, ir::Op::sum);
    const char row = axis == 1;
    return passes::can_fuse({{height, width}, {!row, row}, true}, s, {0, 1}, y, {true, {1 - axis}, ""}, gpu)
        .possible;
  };
  EXPECT_TRUE(local(2, 200000, 1));
  EXPECT_FALSE(local(2, 200000, 1, "f64")) << "the registers and shared memory of a cluster";
  EXPECT_FALSE(local(2, 300000, 1));
  EXPECT_TRUE(local(200, 200000, 1));
  EXPECT_FALSE(local(200, 1000000, 1));
  EXPECT_TRUE(local(300, 1000000, 1));
  EXPECT_TRUE(local(16384, 512, 0));
  EXPECT_FALSE(local(65536, 512, 0)) << "16 strips leave most processors idle";
  EXPECT_TRUE(local(65536, 8192, 0));
}

// The largest element and the sum relative to it are found in one reading; what is relative to neither waits.
TEST(Fuse, FindsTheLargestAndASumRelativeToItTogether) {
  const Target gpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, size_t{227} << 10};
  ir::Graph g = ir::parse(R"(graph {
    %x = input : f32[8, 1000000]
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
    for (auto& step : passes::fuse(g, target, options).steps) {
      std::string ops;
      for (auto& root : step.group.roots)
        ops += std::string(ops.empty() ? "" : " ") + std::string(name(root.node->op));
      groups.push_back(ops);
    }
    return groups;
  };
  EXPECT_EQ(roots_of(gpu, Numerics::Standard), (std::vector<std::string>{"max sum", "divide sum"}));
  EXPECT_EQ(roots_of(gpu, Numerics::Strict), (std::vector<std::string>{"max", "sum", "divide sum"}));
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

}  // namespace
}  // namespace weft
