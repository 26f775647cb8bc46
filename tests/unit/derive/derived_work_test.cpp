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

// A symmetric matrix, of which each turn writes the rest of a column and of a row: they cross on the diagonal.
ir::Graph symmetric(int count) {
  std::string text =
      fmt::format("graph {{\n%x = input : f64[{0}, {0}]\n%y0 = constant 0.0 : f64[{0}, {0}]\n", count);
  for (int j = 0; j < count; ++j)
    text += fmt::format(R"(
%c{0} = slice %x, starts=[{1}, {1}] : f64[1, {2}]
%s{0} = sin %c{0}
%t{0} = reshape %s{0} : f64[{2}, 1]
%z{0} = update %y{1}, %t{0}, starts=[{1}, {1}], steps=[1, 1]
%y{0} = update %z{0}, %s{0}, starts=[{1}, {1}], steps=[1, 1])",
                        j + 1, j, count - j);
  text += fmt::format("\n%q = multiply %y{0}, %y{0}\n%r = sum %q\nreturn %r\n}}", count);
  return ir::parse(text);
}

// Turns of a heat equation on a plane. Where `in_place`, each adds to the inside of the last one.
ir::Graph heat(int turns, bool in_place) {
  const auto at = [](int turn, const char* name, int row, int column) {
    return fmt::format("%{}{} = slice %u{}, starts=[{}, {}] : f64[38, 38]\n", name, turn, turn, row, column);
  };
  std::string text = "graph {\n%u0 = input : f64[40, 40]\n";
  for (int t = 0; t < turns; ++t) {
    text += at(t, "n", 0, 1) + at(t, "s", 2, 1) + at(t, "w", 1, 0) + at(t, "e", 1, 2) + at(t, "c", 1, 1);
    text += fmt::format(R"(
%a{0} = add %n{0}, %s{0}
%b{0} = add %w{0}, %e{0}
%m{0} = add %a{0}, %b{0}
%k{0} = multiply %c{0}, 4.0
%d{0} = subtract %m{0}, %k{0}
%h{0} = multiply %d{0}, 0.1
%z{0} = constant 0.0 : f64[40, 40]
)",
                        t);
    text += in_place ? fmt::format("%v{0} = add %c{0}, %h{0}\n", t) : fmt::format("%v{0} = sin %h{0}\n", t);
    text += fmt::format("%u{0} = update %{1}, %v{2}, starts=[1, 1], steps=[1, 1]\n", t + 1,
                        in_place ? fmt::format("u{}", t) : fmt::format("z{}", t), t);
  }
  text += fmt::format("%q = multiply %u{0}, %u{0}\n%r = sum %q\nreturn %r\n}}", turns);
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

// Not as their cube, as it does where each turn stores what is left of the whole.
TEST(DerivedWork, OfALoopOverRowsAndColumnsThatCrossGrowsAsTheirElementsDo) {
  const CountedWork few = of_gradient(symmetric(32)), many = of_gradient(symmetric(64));
  EXPECT_LT(many.bytes, 4.5 * few.bytes);
  EXPECT_LT(many.steps, 2.5 * few.steps);
}

TEST(DerivedWork, OfATurnOfALinearStencilIsOneKernelBackAsForward) {
  const CountedWork few = of_gradient(heat(4, true)), many = of_gradient(heat(8, true));
  EXPECT_LE(many.steps - few.steps, 8);
  EXPECT_LT(many.bytes, 3 * counted_work(heat(8, true), cpu(), {}).bytes);
}

TEST(DerivedWork, OfATurnWithACostlyMapStoresThatOnce) {
  const CountedWork few = of_gradient(heat(4, false)), many = of_gradient(heat(8, false));
  EXPECT_LE(many.steps - few.steps, 12);
  EXPECT_LT(many.bytes, 4 * counted_work(heat(8, false), cpu(), {}).bytes);
}

}  // namespace
}  // namespace weft::test
