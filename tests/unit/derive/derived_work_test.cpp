// How much the kernels of a gradient move and compute beside those of its value: counted, without a clock.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/derive/derive.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/counted_work.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

// Each column is computed from the one before, and written to its place.
ir::Graph columns(int count) {
  std::string text =
      fmt::format("graph {{\n%x = input : f64[400, {0}]\n%y0 = constant 0.0 : f64[400, {0}]\n", count);
  for (int j = 0; j < count; ++j)
    text += fmt::format(R"(
%c{0} = slice %x, starts=[0, {1}] : f64[400, 1]
%p{0} = slice %y{1}, starts=[0, {2}] : f64[400, 1]
%s{0} = sin %c{0}
%h{0} = multiply %p{0}, 0.5
%v{0} = add %h{0}, %s{0}
%y{0} = update %y{1}, %v{0}, starts=[0, {1}], steps=[1, 1])",
                        j + 1, j, std::max(j - 1, 0));
  text += fmt::format("\n%q = multiply %y{0}, %y{0}\n%r = sum %q\nreturn %r\n}}", count);
  return ir::parse(text);
}

CountedWork of_gradient(const ir::Graph& graph) {
  return counted_work(derive::gradient(graph, graph.inputs), cpu(), {});
}

TEST(DerivedWork, OfALoopOverColumnsGrowsAsTheColumnsDo) {
  const CountedWork few = of_gradient(columns(32)), many = of_gradient(columns(64));
  EXPECT_LT(many.bytes, 2.5 * few.bytes);
  EXPECT_LT(many.work, 2.5 * few.work);
  EXPECT_LT(many.steps, 2.5 * few.steps);
}

TEST(DerivedWork, OfALoopOverColumnsIsAFewTimesThatOfItsValue) {
  const ir::Graph graph = columns(64);
  const CountedWork value = counted_work(graph, cpu(), {}), both = of_gradient(graph);
  EXPECT_LT(both.bytes, 4 * value.bytes);
  EXPECT_LT(both.work, 4 * value.work);
}

}  // namespace
}  // namespace weft::test
