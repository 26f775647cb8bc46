// The counts by which the campaign of fused programs judges fusion, against counts by hand.
#include "tests/support/counted_work.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/text/parse.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

constexpr double kExp = 12;  // the op table's cost

test::CountedWork count(const std::string& lines, bool fuse = true) {
  Options options;
  options.fuse = fuse;
  return test::counted_work(ir::parse("graph {\n" + lines + "\n}"), test::cpu(), options);
}

TEST(CountedWork, IsOfEachElementWhatItsStatementsCost) {
  const std::string graph = "%x = input : f32[40]\n %y = exp %x\n %z = multiply %y, %x\n return %z";
  const test::CountedWork one = count(graph), each = count(graph, false);
  EXPECT_EQ(one.steps, 1);
  EXPECT_EQ(one.bytes, 2 * 40 * 4);
  EXPECT_EQ(one.work, 40 * (1 + kExp + 1 + 1));
  EXPECT_EQ(one.cost, one.work);
  EXPECT_EQ(each.steps, 2);
  EXPECT_EQ(each.bytes, 5 * 40 * 4);
  EXPECT_EQ(each.work, 40 * (1 + kExp + 1) + 40 * (2 + 1 + 1));
}

// Along the inner axis it is computed in every row; along the outer one before the row begins.
TEST(CountedWork, CountsWhatRowsRepeat) {
  const std::string multiply = "\n %r = multiply %x, %b\n return %r";
  const test::CountedWork inner =
      count("%x = input : f32[3, 64]\n %k = input : f32[64]\n %e = exp %k\n %b = broadcast %e : f32[3, 64]" +
            multiply);
  const test::CountedWork outer = count(
      "%x = input : f32[3, 64]\n %k = input : f32[3, 1]\n %e = exp %k\n %b = broadcast %e : f32[3, 64]" +
      multiply);
  ASSERT_EQ(inner.steps, 1);
  ASSERT_EQ(outer.steps, 1);
  EXPECT_EQ(inner.work, 192 * (1 + 1 + kExp + 1 + 1));
  EXPECT_EQ(outer.work, 192 * (1 + 1 + 1) + 3 * (1 + kExp));
}

TEST(CountedWork, CountsTotalsAndGathers) {
  EXPECT_EQ(count("%x = input : f32[8, 64]\n %s = sum %x, axes=[1]\n return %s").work, 8 * 64 * (1 + 1) + 8);
  const test::CountedWork picked =
      count("%x = input : f32[1000]\n %i = input : i64[64]\n %g = gather %x, %i, axis=0\n return %g");
  EXPECT_EQ(picked.work, 64 * (1 + 0.5 + 4 + 1));  // position, held to the axis, element, store
}

TEST(CountedWork, OfATableThatRowsWouldRepeatIsLessWhereItIsStored) {
  const std::string graph =
      "%x = input : f32[2000, 64]\n %k = input : f32[64]\n %e = exp %k\n %b = broadcast %e : f32[2000, 64]\n"
      " %r = multiply %x, %b\n return %r";
  const test::CountedWork one = count(graph), each = count(graph, false);
  EXPECT_LE(one.cost, each.cost);
  EXPECT_LT(one.work, 2000 * 64 * (1 + 1 + 1 + kExp));
}

}  // namespace
}  // namespace weft
