// Gathers that are moved through reductions and scans: what is computed then, and that values stay.
#include "compiler/passes/reductions/pick_rows.h"

#include <gtest/gtest.h>

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

// The interpreter reduces an element's row in the same order wherever it lies: every bit counts.
ir::Graph picked(const ir::Graph& before) {
  ir::Graph after = passes::pick_rows(before, {}, {});
  ir::verify(after, "pick_rows");
  expect_same_bits(before, after, ir::Domain{-30, 30});
  return after;
}

ir::Graph graph(const std::string& lines) { return ir::parse("graph {\n" + lines + "\n}"); }

int64_t walked(const std::string& lines) { return walked_elements(picked(graph(lines))); }

std::string of_sum(const std::string& lines) {
  return "%x = input : f32[40, 12]\n%i = input : i64[3]\n%s = sum %x, axes=[1]\n" + lines;
}

TEST(PickRows, Text) {
  const ir::Graph before = graph(
      "%x = input : f32[1000, 400]\n%i = input : i64[10]\n%s = sum %x, axes=[1]\n%r = sqrt %s\n"
      "%t = gather %r, %i, axis=0\nreturn %t");
  expect_golden("graph/pick_rows.weft", ir::print(before) + "\n" + ir::print(picked(before)));
}

TEST(PickRows, OnlyRowsThatArePickedAreReduced) {
  EXPECT_EQ(walked(of_sum("%t = gather %s, %i, axis=0\nreturn %t")), 36);
  EXPECT_EQ(walked("%x = input : i32[6, 40, 5]\n%i = input : i64[1, 4]\n%s = max %x, axes=[2]\n"
                   "%t = gather %s, %i, axis=1\nreturn %t"),
            120);
  EXPECT_EQ(walked("%x = input : i32[40, 60]\n%i = input : i64[3]\n%s = argmax %x, axes=[0]\n"
                   "%t = gather %s, %i, axis=0\nreturn %t"),
            120)
      << "columns";
  EXPECT_EQ(walked("%x = input : i32[40, 12]\n%i = input : i64[3, 1]\n%s = cumulative_sum %x, axis=1\n"
                   "%t = gather %s, %i, axis=0\nreturn %t"),
            36);
}

TEST(PickRows, LeavesWholeWhatIsReadWholeBesides) {
  // The rows that are picked are those that a broadcast adds, and those of x that the maximum reads.
  const std::string rows =
      "%b = broadcast %x : f32[40, 40, 400]\n%m = max %b, axes=[1]\n%k = maximum %m, %x\n"
      "%t = gather %k, %i, axis=0\nreturn %t";
  EXPECT_EQ(walked("%x = input : f32[40, 400]\n%i = input : i64[3, 1]\n" + rows), 48'000);
  picked(graph("%y = input : f32[40, 400]\n%i = input : i64[3, 1]\n%x = exp %y\n" + rows));
}

TEST(PickRows, ThroughMapsAndViews) {
  EXPECT_EQ(
      walked("%x = input : f32[40, 12]\n%i = input : i64[3, 1]\n%m = max %x, axes=[1]\n"
             "%k = reshape %m : f32[40, 1]\n%b = broadcast %k : f32[40, 12]\n%d = subtract %x, %b\n"
             "%e = exp %d\n%s = sum %e, axes=[1]\n%l = reshape %s : f32[40, 1]\n"
             "%c = broadcast %l : f32[40, 12]\n%y = divide %e, %c\n%t = gather %y, %i, axis=0\nreturn %t"),
      72)
      << "rows of a softmax";
  EXPECT_EQ(walked(of_sum("%k = reshape %s : f32[40, 1]\n%p = permute %k, axes=[1, 0]\n"
                          "%j = reshape %i : i64[1, 3]\n%t = gather %p, %j, axis=1\nreturn %t")),
            36);
  EXPECT_EQ(walked("%x = input : f32[40, 12]\n%w = scalar : f32[40]\n%c = constant 3.0 : f32[40]\n"
                   "%i = input : i64[3]\n%n = iota axis=0 : f32[40]\n%s = sum %x, axes=[1]\n"
                   "%a = multiply %s, %w\n%b = add %a, %c\n%d = maximum %b, %n\n%t = gather %d, %i, axis=0\n"
                   "return %t"),
            36);
}

TEST(PickRows, WhatStays) {
  EXPECT_EQ(walked(of_sum("%t = gather %s, %i, axis=0\nreturn %t, %s")), 480) << "an output";
  EXPECT_EQ(walked(of_sum("%t = gather %s, %i, axis=0\n%m = max %s, axes=[0]\nreturn %t, %m")), 520)
      << "others read it";
  EXPECT_EQ(walked("%x = input : f32[40, 12]\n%i = input : i64[30]\n%s = sum %x, axes=[1]\n"
                   "%t = gather %s, %i, axis=0\nreturn %t"),
            480)
      << "most rows are picked";
  EXPECT_EQ(walked("%x = input : f32[40, 12]\n%i = input : i64[3]\n%s = sum %x, axes=[0]\n"
                   "%t = gather %s, %i, axis=0\nreturn %t"),
            480)
      << "columns that lie apart";
  EXPECT_EQ(walked("%x = input : i32[40]\n%i = input : i64[3]\n%s = cumulative_sum %x, axis=0\n"
                   "%t = gather %s, %i, axis=0\nreturn %t"),
            40)
      << "along the scan";
  EXPECT_EQ(walked(of_sum("%k = reshape %s : f32[4, 10]\n%j = reshape %i : i64[1, 3]\n"
                          "%t = gather %k, %j, axis=1\nreturn %t")),
            480)
      << "several axes of one";
}

TEST(PickRows, SumsOfPickedRowsAreOneKernel) {
  for (const Target& target : {cpu(), h200()})
    EXPECT_EQ(compile(graph(of_sum("%t = gather %s, %i, axis=0\nreturn %t")), target).steps.size(), 1u);
}

TEST(PickRows, RandomGraphsKeepTheirValues) {
  RandomGraphOptions options;
  options.exact = true;
  options.dots = false;
  options.rewritten = 0.4;
  for (uint64_t seed = 0; seed < 300; ++seed) picked(random_graph(seed, options));
}

}  // namespace
}  // namespace weft::test
