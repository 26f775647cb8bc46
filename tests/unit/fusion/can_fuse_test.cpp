// Each reason to keep two values apart, as explain gives it and as can_fuse does.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/fusion/can_fuse.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/fused.h"

namespace weft {
namespace {

using namespace test;
using testing::HasSubstr;

struct Edge {
  const char* name;
  const char* lines;
  const char* reason;
  int max_cost = 3000;
};

// A value of each row, which some reduction across the rows reads.
#define ADDS_SUM "%s = sum %x, axes=[1]\n%r = reshape %s : f32[999, 1]\n%y = add %x, %r\n"

// The same, of rows that have two axes.
#define ADDS_SUM_OF_ROWS "%s = sum %x, axes=[1, 2]\n%r = reshape %s : f32[99, 1, 1]\n%y = add %x, %r\n"

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
     "%x = input : f32[63, 80]\n%s = sum %x, axes=[1]\n%r = reshape %s : f32[63, 1]\n%y = add %x, %r\n%t = "
     "max %y, axes=[0]\nreturn %y, %t",
     "63 rows are too few to total across them"},
    {"FewLongRows",
     "%x = input : f32[99, 70000]\n%s = sum %x, axes=[1]\n%r = reshape %s : f32[99, 1]\n%y = add %x, %r\n"
     "%t = max %y, axes=[0]\nreturn %y, %t",
     "99 rows are too few to total across them"},
    {"ShortRows", "%x = input : f32[999, 8]\n" ADDS_SUM "%t = max %y, axes=[0]\nreturn %y, %t",
     "rows of 8 elements are too short for totals beside them"},
    {"TurnedRows",
     "%z = input : f32[80, 999]\n%x = permute %z, axes=[1, 0]\n" ADDS_SUM
     "%t = max %y, axes=[0]\nreturn %y, %t",
     "rows of some array do not lie in one piece"},
    {"PositionAcross", "%x = input : f32[999, 80]\n" ADDS_SUM "%t = argmax %y, axes=[0]\nreturn %y, %t",
     "positions are not kept for totals across rows"},
    {"AfterTheLastRow",
     "%x = input : f32[999, 80]\n" ADDS_SUM "%t = max %y, axes=[0]\n%u = subtract %x, %t\nreturn %y, %u",
     "totals across rows are known after the last row only"},
    {"ShortSections", "%x = input : f32[99, 4, 63]\n" ADDS_SUM_OF_ROWS "%t = max %y, axes=[2]\nreturn %y, %t",
     "99 rows of 4 sections of 63 elements do not repay totals of both"},
    {"PositionInASection",
     "%x = input : f32[99, 4, 80]\n" ADDS_SUM_OF_ROWS "%t = argmax %y, axes=[2]\nreturn %y, %t",
     "positions are not kept for sections of a row"},
    {"ReadInASection",
     "%x = input : f32[99, 4, 80]\n" ADDS_SUM_OF_ROWS
     "%m = max %y, axes=[2]\n%n = reshape %m : f32[99, 4, 1]\n%d = subtract %y, %n\n%t = sum %d, axes=[2]\n"
     "return %y, %t",
     "it reads what sections of a row give"},
    {"OtherSections",
     "%x = input : f32[99, 4, 8, 80]\n%s = sum %x, axes=[1, 2, 3]\n%r = reshape %s : f32[99, 1, 1, 1]\n"
     "%y = add %x, %r\n%t = max %y, axes=[3]\n%u = max %y, axes=[2, 3]\nreturn %y, %t, %u",
     "its rows are totalled otherwise too"},
    {"SectionsTotalledAcross",
     "%x = input : f32[99, 80]\n%s = sum %x, axes=[0, 1]\n%y = add %x, %s\n%t = max %y, axes=[1]\n"
     "%u = max %y, axes=[0]\nreturn %s, %t, %u",
     "it is computed with totals across rows"},
    {"TurnedSections",
     "%z = input : f32[99, 80, 4]\n%x = permute %z, axes=[0, 2, 1]\n" ADDS_SUM_OF_ROWS
     "%t = max %y, axes=[2]\nreturn %y, %t",
     "rows of some array do not lie in one piece"},
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
    {"WholeMachineBeforeSections",
     "%x = input : f32[8, 4, 20000]\n%s = sum %x, axes=[1, 2]\n%r = reshape %s : f32[8, 1, 1]\n"
     "%d = subtract %x, %r\n%t = sum %d, axes=[2]\nreturn %d, %t",
     "a row of 80000 elements for 8 results is reduced by the whole machine first"},
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
  EXPECT_TRUE(fusion::can_join_siblings({{9, 8}, {0, 0}, false}, y, cpu()).possible);
  EXPECT_EQ(fusion::can_join_siblings({{8, 9}, {0, 0}, false}, y, cpu()).reason,
            "its loops have another shape");
  EXPECT_EQ(fusion::can_join_siblings({{9}, {0}, false}, y, cpu()).reason, "its loops have another shape");
  EXPECT_EQ(fusion::can_join_siblings({{9, 8}, {0, 1}, true}, s, cpu()).reason, "it reduces other axes");
  EXPECT_TRUE(fusion::can_join_siblings({{9, 8}, {1, 0}, true}, s, cpu()).possible);
}

TEST(CanFuse, RefusesAReaderOfSomeAxes) {
  ir::Graph g = ir::parse("graph {\n%x = input : f32[9]\n%y = exp %x\n%z = log %y\nreturn %z\n}");
  const ir::Node &z = *g.outputs[0], &y = *z.inputs[0];
  fusion::Join join = fusion::can_fuse({{9, 8}, {0, 0}, false}, y, {0}, z, {true, {0}, ""}, cpu());
  EXPECT_FALSE(join.possible);
  EXPECT_EQ(join.reason, "it covers a part of the axes only");
}

TEST(CanFuse, MapsTheReadersAxesToTheGroups) {
  ir::Graph g = ir::parse(
      "graph {\n%x = input : f32[9, 8]\n%y = exp %x\n%t = permute %y, axes=[1, 0]\n%z = log %t\nreturn "
      "%z\n}");
  const ir::Node &z = *g.outputs[0], &y = *z.inputs[0]->inputs[0];
  fusion::Join join = fusion::can_fuse({{9, 8}, {0, 0}, false}, y, {0, 1}, z, {true, {1, 0}, ""}, cpu());
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
    return fusion::can_fuse({{points, 100000}, {0, 1}, true}, s, {0, 1}, y, {true, {0}, ""}, target).possible;
  };
  EXPECT_TRUE(join(64, cpu()));
  Target gpu = h200();
  EXPECT_TRUE(join(64, gpu)) << "a cluster keeps such a row";
  gpu.shared_bytes = size_t{100} << 10;
  EXPECT_FALSE(join(64, gpu)) << "64 blocks leave half of the processors idle";
  gpu.threads = 100;
  EXPECT_TRUE(join(64, gpu));
}

TEST(CanFuse, TotalsOfFewLongRowsAreLeftToTheCache) {
  auto kernels = [](int64_t rows, int64_t width, const char* dtype = "f32") {
    const ir::Graph g =
        ir::parse(fmt::format("graph {{\n%x = input : {0}[{1}, {2}]\n%s = sum %x, axes=[1]\n%t = sum %x, "
                              "axes=[0]\nreturn %s, %t\n}}",
                              dtype, rows, width));
    return fusion::fuse(g, h200(), {}).steps.size();
  };
  for (int64_t width : {2, 7, 64, 5000, 65536}) {
    EXPECT_EQ(kernels(2, width), 1U) << width;
    EXPECT_EQ(kernels(1000, width), 1U) << width;
  }
  EXPECT_EQ(kernels(3, 200000), 1U) << "all clusters at once";
  EXPECT_EQ(kernels(16, 200000), 2U) << "two turns";
  EXPECT_EQ(kernels(64, 200000), 1U) << "many";
  EXPECT_EQ(kernels(64, 200000, "f64"), 2U) << "totals that the registers of a cluster have no room for";
}

TEST(CanFuse, SectionsAreTotalledWithRowsThatBlocksTakeWhole) {
  auto kernels = [](int64_t rows, int64_t sections, int64_t width, const Target& target = h200()) {
    const ir::Graph g = ir::parse(fmt::format(
        "graph {{\n%x = input : f32[{}, {}, {}]\n%s = sum %x, axes=[1, 2]\n%t = sum %x, axes=[2]\n"
        "return %s, %t\n}}",
        rows, sections, width));
    return fusion::fuse(g, target, {}).steps.size();
  };
  EXPECT_EQ(kernels(2000, 8, 4096), 1U);
  EXPECT_EQ(kernels(2000, 10, 6400), 1U) << "five blocks, with two of them each";
  EXPECT_EQ(kernels(2000, 19, 400), 2U) << "more than a block takes, that no blocks share out equally";
  EXPECT_EQ(kernels(2000, 4, 20000), 2U) << "longer than the registers of a block";
  EXPECT_EQ(kernels(200000, 4, 90), 2U) << "more blocks to start than that is worth";
  EXPECT_EQ(kernels(200000, 4, 100), 1U);
  EXPECT_EQ(kernels(200000, 32, 50), 2U) << "two for each row";
  EXPECT_EQ(kernels(2000, 4, 10), 1U) << "few blocks";
  EXPECT_EQ(kernels(4, 4, 16384), 1U) << "a small array";
  EXPECT_EQ(kernels(4, 5, 16384), 2U) << "the whole machine has more of a large one to do";
  Target older = h200();
  older.shared_bytes = size_t{100} << 10;
  EXPECT_EQ(kernels(2000, 4, 4096, older), 1U);
  EXPECT_EQ(kernels(2000, 10, 6400, older), 2U) << "no clusters";
  EXPECT_EQ(kernels(15, 8, 10000, cpu()), 2U) << "rows that many threads share";
  EXPECT_EQ(kernels(16, 8, 10000, cpu()), 1U);
}

TEST(CanFuse, RowsAndColumnsBeyondTheChipAreLocalWhenTheyAreMany) {
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
    return fusion::can_fuse({{height, width}, {!row, row}, true}, s, {0, 1}, y, {true, {1 - axis}, ""},
                            h200())
        .possible;
  };
  EXPECT_TRUE(local(30000, 7, 0)) << "all blocks share a few columns";
  EXPECT_FALSE(local(30000, 40, 0)) << "more than a few";
  EXPECT_FALSE(local(1000000, 7, 0)) << "and read sectors of seven columns for each";
  EXPECT_TRUE(local(2, 200000, 1));
  EXPECT_TRUE(local(2, 300000, 1)) << "all blocks share them";
  EXPECT_TRUE(local(2, 4000000, 1)) << "which read them again from the cache";
  EXPECT_FALSE(local(2, 4000000, 1, "f64")) << "which has no room";
  EXPECT_FALSE(local(40, 200000, 1, "f64")) << "the registers and shared memory of a cluster";
  EXPECT_TRUE(local(200, 200000, 1));
  EXPECT_FALSE(local(200, 1000000, 1));
  EXPECT_TRUE(local(300, 1000000, 1));
  EXPECT_TRUE(local(16384, 512, 0));
  EXPECT_FALSE(local(65536, 512, 0)) << "16 strips leave most processors idle";
  EXPECT_TRUE(local(65536, 8192, 0));
}

}  // namespace
}  // namespace weft
