// Row programs: what lowering makes of a group, and what the steps between lowering and emission do to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "compiler/plan/lower/lower.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "tests/support/targets.h"

namespace weft::plan {
namespace {

using test::cpu;
using testing::HasSubstr;

// The program of a graph that is one kernel, as lowered.
RowProgram lowered(const std::string& lines, Cuts cuts = Cuts::Statements) {
  ir::Graph g = prepare(ir::parse("graph {\n" + lines + "\n}"), cpu());
  ir::Partition p = fusion::fuse(g, cpu(), Options());
  EXPECT_EQ(p.steps.size(), 1u);
  return lower(p.steps[0].group, [](const ir::Node*) { return false; }, cuts).program;
}

template <class S>
int count(const RowProgram& p) {
  int n = 0;
  for_each_stmt(p, [&](const Stmt& s) { n += std::holds_alternative<S>(s); });
  return n;
}

TEST(Lower, ContiguousArraysAreOneLoop) {
  RowProgram p = lowered("%x = input : f32[4, 5, 6]\n%y = exp %x\nreturn %y");
  EXPECT_EQ(p.outer, (std::vector<Num>{{120}}));
}

TEST(Lower, AxesThatAnArrayRepeatsStayApart) {
  RowProgram p =
      lowered("%x = input \"x\" : f32[4, 5, 6]\n%b = input \"b\" : f32[6]\n%y = add %x, %b\nreturn %y");
  EXPECT_EQ(p.outer, (std::vector<Num>{{20}, {6}}));
}

// A flat array from a transposed one, and from one that it repeats.
std::string flat_of_transposed(const std::string& inner) {
  return "%x = input \"x\" : f32[6, 8, " + inner +
         "]\n%p = permute %x, axes=[1, 0, 2]\n%f = reshape %p : f32[48, " + inner +
         "]\n%b = input \"b\" : f32[48, 1]\n%r = broadcast %b : f32[48, " + inner +
         "]\n%y = multiply %f, %r\n%z = exp %y\nreturn %z";
}

TEST(Lower, AReshapeCutsTheLoopOfAMapWhereThePiecesAreLong) {
  const std::string lines = flat_of_transposed("40");
  RowProgram whole = lowered(lines), cut = lowered(lines, Cuts::Loops);
  EXPECT_EQ(whole.outer, (std::vector<Num>{{48}, {40}}));
  EXPECT_GT(count<Divide>(whole), 0);
  EXPECT_EQ(cut.outer, (std::vector<Num>{{8}, {6}, {40}}));
  EXPECT_EQ(count<Divide>(cut), 0);
}

TEST(Lower, ALoopThatNestsReshapesIsCutAtEachOfThem) {
  const std::string lines = R"(%x = input "x" : f32[4, 2, 64]
    %p = permute %x, axes=[1, 0, 2]
    %f = reshape %p : f32[512]
    %b = input "b" : f32[8, 1]
    %r = broadcast %b : f32[8, 64]
    %g = reshape %r : f32[512]
    %y = multiply %f, %g
    return %y)";
  EXPECT_GT(count<Divide>(lowered(lines)), 0);
  RowProgram cut = lowered(lines, Cuts::Loops);
  EXPECT_EQ(cut.outer, (std::vector<Num>{{2}, {4}, {64}}));
  EXPECT_EQ(count<Divide>(cut), 0);
}

TEST(Lower, LoopsStayWholeWhereLanesWouldRunAlongAShortPiece) {
  const std::string lines = R"(%x = input "x" : f32[4, 16]
    %p = permute %x, axes=[1, 0]
    %f = reshape %p : f32[64]
    %i = input "i" : f32[64]
    %y = multiply %f, %i
    return %y)";
  RowProgram p = lowered(lines, Cuts::Loops);
  EXPECT_EQ(p.outer, (std::vector<Num>{{64}}));
}

TEST(Lower, LoopsStayWholeWhereAPieceIsShifted) {
  const std::string lines = R"(%x = input "x" : f32[2, 64]
    %b = input "b" : f32[1, 64]
    %r = broadcast %b : f32[3, 64]
    %f = reshape %r : f32[192]
    %s = slice %f, starts=[5] : f32[128]
    %i = reshape %x : f32[128]
    %y = multiply %s, %i
    return %y)";
  RowProgram p = lowered(lines, Cuts::Loops);
  EXPECT_EQ(p.outer, (std::vector<Num>{{128}}));
  EXPECT_GT(count<Divide>(p), 0);
}

TEST(Lower, EqualReadsAreOneLoad) {
  RowProgram p = lowered(R"(%x = input : f32[100]
    %a = slice %x, starts=[0] : f32[99]
    %b = slice %x, starts=[1] : f32[99]
    %c = slice %x, starts=[1] : f32[99]
    %d = add %a, %b
    %e = multiply %d, %c
    return %e)");
  EXPECT_EQ(count<Load>(p), 2);
}

TEST(Lower, ReductionsGoToTheFirstSweepThatCanComputeThem) {
  RowProgram p = lowered(R"(%x = input : f32[64, 100]
    %s = sum %x, axes=[1]
    %m = max %x, axes=[1]
    %r = reshape %m : f32[64, 1]
    %d = subtract %x, %r
    %t = sum %d, axes=[1]
    return %s, %t)");
  ASSERT_EQ(p.sweeps.size(), 2u);
  EXPECT_EQ(p.sweeps[0].accumulators.size(), 2u);
  EXPECT_EQ(p.sweeps[1].accumulators.size(), 1u);
}

TEST(Lower, GuardsBelongToTheLoad) {
  RowProgram p = lowered("%x = input : f32[100]\n%p = pad %x, 0.0, before=[3], after=[4]\nreturn %p");
  EXPECT_EQ(count<plan::Test>(p), 1);
  for_each_stmt(p, [](const Stmt& s) {
    if (auto* l = std::get_if<Load>(&s)) {
      EXPECT_EQ(l->guards.size(), 1u);
    }
  });
}

// What a gather reads behind them is clamped to its array. Its indices are read where they are, too.
TEST(Lower, IndicesAreReadWhereThereAreSome) {
  RowProgram p = lowered(R"(%x = input "x" : f32[12, 40]
%i = input "i" : i64[7, 1]
%g = gather %x, %i, axis=0 : f32[7, 40]
%c = pad %g, 0.0, before=[2, 0], after=[1, 0]
return %c)");
  int loads = 0;
  for_each_stmt(p, [&](const Stmt& s) {
    const auto* load = std::get_if<Load>(&s);
    if (!load) return;
    ++loads;
    EXPECT_EQ(load->guards.size(), 1u) << print(p);
  });
  EXPECT_EQ(loads, 2);
}

TEST(Lower, SlicesThatMissThePaddingNeedNoGuard) {
  RowProgram p = lowered(
      "%x = input : f32[100]\n%p = pad %x, 0.0, before=[3], after=[4]\n"
      "%s = slice %p, starts=[3] : f32[100]\n%y = exp %s\nreturn %y");
  EXPECT_EQ(count<plan::Test>(p), 0);
  EXPECT_EQ(count<Let>(p), 1);
}

TEST(Lower, ReductionsOverAxesOfOneElementHaveARow) {
  ir::Graph g = ir::parse("graph {\n%x = input : f32[9, 1]\n%s = sum %x, axes=[1]\nreturn %s\n}");
  ir::Partition p = fusion::fuse(g, cpu(), Options());
  RowProgram program = lower(p.steps[0].group, [](const ir::Node*) { return false; }).program;
  EXPECT_EQ(program.row, (std::vector<Num>{{1}}));
}

// ---- values that cross sweeps

const char* kTwoAxisSoftmax = R"(%x = input "x" : f32[64, 5, 40]
    %y = input "y" : f32[5, 1]
    %z = exp %y
    %w = multiply %x, %z
    %a = max %w, axes=[1, 2]
    %b = reshape %a : f32[64, 1, 1]
    %c = subtract %w, %b
    %e = multiply %c, %z
    return %e)";

TEST(Crossing, CheapValuesAreRepeatedAndCostlyOnesKept) {
  RowProgram all = lowered(kTwoAxisSoftmax), none = all, some = all;
  EXPECT_FALSE(crossing_values(all).empty());
  repeat_cheap_values(none, true, 1e30f);
  EXPECT_TRUE(crossing_values(none).empty());
  repeat_cheap_values(some, true, 6);
  EXPECT_EQ(crossing_values(some).size(), 2u) << "exp(y), and the product with it\n" << print(some);
  for (auto* p : {&all, &none, &some}) verify(*p);
}

TEST(Crossing, WhatIsTheSameAlongTheLanesIsRepeatedWhateverItCosts) {
  RowProgram p = lowered(kTwoAxisSoftmax);
  repeat_cheap_values(p, true, 6, static_cast<int>(p.outer.size() + p.row.size()) - 1);
  EXPECT_EQ(crossing_values(p).size(), 1u) << "the product alone\n" << print(p);
  verify(p);
}

TEST(Crossing, LoadsMayBeKept) {
  RowProgram p = lowered(
      "%x = input : f32[64, 100]\n%m = max %x, axes=[1]\n%r = reshape %m : f32[64, 1]\n"
      "%d = subtract %x, %r\nreturn %d");
  repeat_cheap_values(p, false, 1e30f);
  EXPECT_EQ(crossing_values(p).size(), 1u);
}

// ---- arguments

TEST(Parameterize, KeepsSmallNumbersAndAsksForTheRest) {
  RowProgram p =
      lowered("%x = input \"x\", strides=[700, 2], offset=5 : f32[30, 40]\n%y = exp %x\nreturn %y");
  parameterize(p);
  EXPECT_THAT(p.params, testing::UnorderedElementsAre(30, 40, 700, 2, 5, 40));
  EXPECT_THAT(print(p), HasSubstr("i0<p0"));
  EXPECT_THAT(print(p), testing::Not(HasSubstr("700")));
}

TEST(Parameterize, OneStrideOfABufferIsOneArgument) {
  RowProgram p = lowered(
      "%x = input : f32[32, 40]\n%a = slice %x, starts=[0, 1] : f32[30, 38]\n"
      "%b = slice %x, starts=[2, 1] : f32[30, 38]\n%c = add %a, %b\nreturn %c");
  parameterize(p);
  EXPECT_EQ(std::count(p.params.begin(), p.params.end(), 40), 1);
}

// ---- verify

TEST(VerifyPlan, NamesTheRule) {
  auto broken = [](const std::function<void(RowProgram&)>& damage, const char* rule) {
    RowProgram p = lowered("%x = input : f32[64, 100]\n%y = exp %x\n%s = sum %y, axes=[1]\nreturn %s");
    verify(p);
    damage(p);
    try {
      verify(p);
      ADD_FAILURE() << "no error for: " << rule;
    } catch (const InternalError& e) {
      EXPECT_THAT(e.what(), HasSubstr(rule));
    }
  };
  broken([](RowProgram& p) { std::swap(p.sweeps[0].body[0], p.sweeps[0].body[1]); },
         "is used before it is computed");
  broken([](RowProgram& p) { p.sweeps[0].body.push_back(p.sweeps[0].body[0]); }, "is computed twice");
  broken([](RowProgram& p) { index_of(p.sweeps[0].body[0])->axes[0].axis = 7; },
         "axis 7 does not exist here");
  broken([](RowProgram& p) { index_of(p.epilogue[0])->axes[0].axis = 1; }, "axis 1 does not exist here");
}

// ---- schedules

CpuSchedule scheduled(const std::string& lines, int vector_bytes = 32) {
  RowProgram p = lowered(lines);
  Target target = cpu();
  target.vector_bytes = vector_bytes;
  return schedule_cpu(p, target);
}

TEST(ScheduleCpu, PointwiseLanesRunWhereMostBytesAreContiguous) {
  const char* two =
      "%x = input \"x\" : f32[500, 300]\n%y = input \"y\" : f32[300, 500]\n"
      "%t = permute %x, axes=[1, 0]\n%u = add %t, %y\nreturn %u";
  EXPECT_EQ(scheduled(two).lane_axis, 1) << "one array is read across, two are walked along";
  const char* three =
      "%x = input \"x\" : f32[500, 300]\n%y = input \"y\" : f32[500, 300]\n%z = add %x, %y\n"
      "%w = exp %z\n%t = permute %w, axes=[1, 0]\nreturn %t";
  EXPECT_EQ(scheduled(three).lane_axis, 0) << "two arrays are read along axis 0, one is written across";
}

TEST(ScheduleCpu, RangesOfWholeRowsAreRangesOfElements) {
  const std::string lines = R"(%x = input "x" : f32[50, 3]
%y = input "y" : f32[20, 3]
%c = concat %x, %y, axis=0
%z = exp %c
return %z)";
  RowProgram p = lowered(lines);
  EXPECT_EQ(p.outer, (std::vector<Num>{{70}, {3}}));
  schedule_cpu(p, cpu());
  EXPECT_EQ(p.outer, (std::vector<Num>{{210}}));
  std::vector<int64_t> extents;
  for_each_stmt(p, [&](const Stmt& s) {
    if (const auto* test = std::get_if<plan::Test>(&s)) extents.push_back(test->extent.value);
  });
  EXPECT_THAT(extents, testing::UnorderedElementsAre(150, 60));
}

TEST(ScheduleCpu, LeadingAxesAreReducedAcrossColumns) {
  EXPECT_EQ(division_of(scheduled("%x = input : f32[1000, 64]\n%s = sum %x, axes=[0]\nreturn %s")).order,
            Order::Columns);
  EXPECT_EQ(division_of(scheduled("%x = input : f32[64, 1000]\n%s = sum %x, axes=[1]\nreturn %s")).order,
            Order::Rows);
}

TEST(ScheduleCpu, ShortRowsGoBesideEachOtherAndKeepWhatTheyShare) {
  const char* softmax =
      "%x = input : f32[{n}]\n%m = max %x, axes=[1]\n%r = reshape %m : f32[5000, 1]\n"
      "%c = subtract %x, %r\n%e = exp %c\n%s = sum %e, axes=[1]\n%t = reshape %s : f32[5000, 1]\n"
      "%y = divide %e, %t\nreturn %y";
  auto of = [&](const std::string& n) {
    std::string text = softmax;
    return scheduled(text.replace(text.find("{n}"), 3, n).c_str());
  };
  const CpuSchedule narrow = of("5000, 7"), wide = of("5000, 700");
  EXPECT_EQ(division_of(narrow).order, Order::Columns);
  EXPECT_EQ(narrow.lane_axis, 0);
  EXPECT_TRUE(division_of(narrow).scratch);
  EXPECT_EQ(division_of(wide).order, Order::Rows);
}

TEST(ScheduleCpu, FewLongRowsAreSplit) {
  EXPECT_GT(division_of(scheduled("%x = input : f32[10000000]\n%s = sum %x\nreturn %s")).parts, 1);
  EXPECT_EQ(division_of(scheduled("%x = input : f32[1000]\n%s = sum %x\nreturn %s")).parts, 1);
  EXPECT_EQ(division_of(scheduled("%x = input : f32[1000, 10000]\n%s = sum %x, axes=[1]\nreturn %s")).parts,
            1);
  EXPECT_GT(division_of(scheduled("%x = input : f32[1000000, 8]\n%s = sum %x, axes=[0]\nreturn %s")).parts,
            1);
}

TEST(ScheduleCpu, OutputsBeyondTheCacheAreStreamed) {
  EXPECT_TRUE(division_of(scheduled("%x = input : f32[10000000]\n%y = exp %x\nreturn %y")).streaming());
  EXPECT_FALSE(division_of(scheduled("%x = input : f32[10000]\n%y = exp %x\nreturn %y")).streaming());
  const char* rows =
      "%x = input : f32[100000, {n}]\n%m = max %x, axes=[1]\n%r = reshape %m : f32[100000, 1]\n"
      "%y = subtract %x, %r\nreturn %y";
  auto of = [&](const std::string& n) {
    std::string text = rows;
    return division_of(scheduled(text.replace(text.find("{n}"), 3, n).c_str())).streaming();
  };
  EXPECT_FALSE(of("100")) << "rows share lines of memory";
  EXPECT_TRUE(of("128"));
  EXPECT_FALSE(of("4099"));
  EXPECT_TRUE(of("9001"));
  const auto padded = [](const std::string& columns, const std::string& more) {
    return division_of(scheduled(("%x = input : f32[3000, " + columns + "]\n%y = pad %x, 0.0, before=[1, " +
                                  more + "], after=[1, " + more + "]\nreturn %y")
                                     .c_str()))
        .streaming();
  };
  EXPECT_FALSE(padded("3000", "1")) << "two rows share a line";
  EXPECT_TRUE(padded("4096", "0"));
  EXPECT_FALSE(division_of(scheduled("%x = input : f32[10000000]\n%s = sum %x\nreturn %s")).streaming());
}

TEST(ScheduleCpu, LanesFollowTheWidestValueAndTheRegisters) {
  // Cheap bodies run on several registers at once; tanh is not cheap.
  const char* wide = "%x = input : f64[10000]\n%a = tanh %x\n%b = tanh %a\nreturn %b";
  const char* narrow = "%x = input : f32[10000]\n%a = tanh %x\n%b = tanh %a\nreturn %b";
  EXPECT_EQ(scheduled(narrow, 32).lanes, 8);
  EXPECT_EQ(scheduled(narrow, 64).lanes, 16);
  EXPECT_EQ(scheduled(wide, 64).lanes, 8);
}

}  // namespace
}  // namespace weft::plan
