// Products of few terms, and of vectors: which become maps and sums, and that the values stay.
#include "compiler/passes/products/expand_products.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

ir::Graph parsed(const std::string& lines) { return ir::parse("graph {\n" + lines + "\n}"); }

// The graph expanded, after comparing values bit by bit: every double is one of `numbers`, whose products add
// up without rounding.
ir::Graph expanded(const ir::Graph& graph, const Target& target, const std::vector<double>& numbers) {
  ir::Graph result = passes::expand_products(graph, target, Options{});
  ir::verify(result, "expand_products");
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  size_t next = 0;
  for (ir::HostTensor& input : inputs)
    for (size_t at = 0; at < input.data.size(); at += sizeof(double))
      std::memcpy(input.data.data() + at, &numbers[next++ % numbers.size()], sizeof(double));
  EXPECT_EQ(ir::interpret(result, inputs).at(0).data, ir::interpret(graph, inputs).at(0).data)
      << ir::print(result);
  return result;
}

int64_t products_left(const std::string& lines, const Target& target = cpu()) {
  const ir::Graph result = expanded(parsed(lines), target, {-3, 2, 0, 5, 1, -7, 4});
  const std::vector<const ir::Node*> order = topological_order(result.outputs);
  return std::ranges::count_if(order, [](const ir::Node* n) { return n->op == ir::Op::dot; });
}

TEST(ExpandProducts, OfTwoTerms) {
  EXPECT_EQ(products_left("%a = input \"a\" : f64[3, 2]\n%b = input \"b\" : f64[2, 100]\n"
                          "%c = dot %a, %b\nreturn %c"),
            0);
}

TEST(ExpandProducts, OfBatchesOfComplexNumbers) {
  EXPECT_EQ(products_left("%a = input \"a\" : c128[5, 2, 4]\n%b = input \"b\" : c128[5, 4, 64]\n"
                          "%c = dot %a, %b\nreturn %c"),
            0);
}

// Elements of what the left operand lies in, followed through views.
int64_t stored_for_left_operand(const std::string& lines, const Target& target) {
  const ir::Graph result = expanded(parsed(lines), target, {-3, 2, 0, 5, 1, -7, 4});
  const ir::Node* x = result.outputs[0]->inputs[0].get();
  while (views_one(x->op) && !ir::is_copy(*x)) x = x->inputs[0].get();
  return element_count(x->shape());
}

TEST(ExpandProducts, GiveALibraryWhatItReadsOfWindowsAndMapsAlone) {
  const std::string windows =
      "%x = input \"x\" : f64[60, 1]\n%a = iota axis=0 : i64[40, 20]\n%b = iota axis=1 : i64[40, 20]\n"
      "%i = add %a, %b\n%w = gather %x, %i, axis=0\n";
  const std::string product = "%k = input \"k\" : f64[20, 3]\n%c = dot %s, %k\nreturn %c";
  const std::string slice = "%s = slice %w, starts=[0, 0], steps=[10, 1] : f64[4, 20]\n";
  for (const Target& target : {cpu(), h200()}) {
    EXPECT_EQ(stored_for_left_operand(windows + slice + product, target), 80);
    EXPECT_EQ(stored_for_left_operand(
                  "%x = input \"x\" : f64[40, 20]\n%w = multiply %x, %x\n" + slice + product, target),
              80);
    EXPECT_EQ(stored_for_left_operand("%x = input \"x\" : f64[40, 20]\n%w = multiply %x, %x\n%s = slice %w, "
                                      "starts=[0, 0], steps=[1, 1] : f64[39, 20]\n" +
                                          product,
                                      target),
              800)
        << "nearly all is read";
  }
}

TEST(ExpandProducts, OfWindowsWithAVector) {
  const std::string windows =
      "%x = input \"x\" : f64[2, 9, 1]\n%a = iota axis=1 : i64[1, 7, 3]\n%b = iota axis=2 : i64[1, 7, 3]\n"
      "%i = add %a, %b\n%w = gather %x, %i, axis=1\n";
  EXPECT_EQ(products_left(windows + "%m = reshape %w : f64[14, 3]\n%v = input \"v\" : f64[3, 1]\n"
                                    "%c = dot %m, %v\nreturn %c"),
            0);
  EXPECT_EQ(products_left(windows + "%v = input \"v\" : f64[2, 3, 1]\n%c = dot %w, %v\nreturn %c"), 0);
  EXPECT_EQ(products_left(windows + "%m = reshape %w : f64[2, 21]\n%v = input \"v\" : f64[21, 1]\n"
                                    "%c = dot %m, %v\nreturn %c, %w"),
            0)
      << "though others read them";
  EXPECT_EQ(products_left(windows + "%m = reshape %w : f64[14, 3]\n%p = permute %m, axes=[1, 0]\n"
                                    "%v = input \"v\" : f64[1, 3]\n%c = dot %v, %p\nreturn %c"),
            0);
  EXPECT_EQ(products_left(windows + "%m = reshape %w : f64[14, 3]\n%v = input \"v\" : f64[3, 5]\n"
                                    "%c = dot %m, %v\nreturn %c"),
            1)
      << "a library reuses what it reads";
}

TEST(ExpandProducts, SumsBeginAtZero) {
  expanded(parsed("%a = input \"a\" : f64[1, 1]\n%b = input \"b\" : f64[1, 64]\n%c = dot %a, %b\nreturn %c"),
           cpu(), {-0.0, 1});
}

TEST(ExpandProducts, LeavesLongSumsAndShortRowsToTheLibrary) {
  EXPECT_EQ(products_left("%a = input \"a\" : f64[3, 5]\n%b = input \"b\" : f64[5, 100]\n"
                          "%c = dot %a, %b\nreturn %c"),
            1);
  EXPECT_EQ(products_left("%a = input \"a\" : f64[100, 2]\n%b = input \"b\" : f64[2, 3]\n"
                          "%c = dot %a, %b\nreturn %c"),
            1);
}

TEST(ExpandProducts, LeavesRowsThatDoNotLieInOnePiece) {
  EXPECT_EQ(products_left("%a = input \"a\" : f64[3, 2]\n%b = input \"b\" : f64[100, 2]\n"
                          "%t = permute %b, axes=[1, 0]\n%c = dot %a, %t\nreturn %c"),
            1);
}

TEST(ExpandProducts, OfAVectorWithAMatrixThatAMapMakes) {
  const std::string matrix =
      "%a = input \"a\" : f64[30, 20]\n%x = input \"x\" : f64[20, 1]\n%y = input \"y\" : f64[1, 30]\n%m = "
      "negative %a\n";
  EXPECT_EQ(products_left(matrix + "%c = dot %m, %x\nreturn %c"), 0);
  EXPECT_EQ(products_left(matrix + "%c = dot %y, %m\nreturn %c"), 0);
  EXPECT_EQ(
      products_left(matrix + "%v = negative %y\n%t = permute %m, axes=[1, 0]\n%r = reshape %v : f64[30, 1]\n"
                             "%c = dot %t, %r\nreturn %c"),
      0);
}

TEST(ExpandProducts, LeavesAMatrixThatIsStoredAnyway) {
  const std::string matrix =
      "%a = input \"a\" : f64[30, 20]\n%x = input \"x\" : f64[20, 1]\n%m = negative %a\n";
  EXPECT_EQ(products_left(matrix + "%c = dot %m, %x\nreturn %c, %m"), 1);
  EXPECT_EQ(
      products_left(matrix + "%c = dot %m, %x\n%y = exp %x\n%d = dot %m, %y\n%e = add %c, %d\nreturn %e"), 2);
  EXPECT_EQ(products_left(
                "%a = input \"a\" : f64[30, 20]\n%x = input \"x\" : f64[20, 1]\n%c = dot %a, %x\nreturn %c"),
            1);
}

TEST(ExpandProducts, OfManyPairsOfVectors) {
  const Target h200{TargetKind::Cuda, 132, 128, size_t{50} << 20, 90};
  for (const Target& target : {cpu(), h200})
    for (const char* dtype : {"f64", "c128"})
      EXPECT_EQ(products_left(
                    fmt::format("%a = input \"a\" : {0}[5, 3, 1, 20]\n%b = input \"b\" : {0}[5, 3, 20, 1]\n"
                                "%c = dot %a, %b\nreturn %c",
                                dtype),
                    target),
                0);
}

TEST(ExpandProducts, LeavesOnePairOfVectors) {
  EXPECT_EQ(products_left(
                "%a = input \"a\" : f64[1, 20]\n%b = input \"b\" : f64[20, 1]\n%c = dot %a, %b\nreturn %c"),
            1);
}

TEST(ExpandProducts, SumsUpHalvesBeforeTheyAreRounded) {
  const ir::Graph graph = parsed(
      "%a = input \"a\" : f16[2, 1, 2049]\n%b = input \"b\" : f16[2, 2049, 1]\n%c = dot %a, %b\nreturn %c");
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  EXPECT_EQ(ir::interpret(passes::expand_products(graph, cpu(), Options{}), inputs).at(0).data,
            ir::interpret(graph, inputs).at(0).data);
}

TEST(ExpandProducts, LeavesThoseOfAGpu) {
  EXPECT_EQ(products_left("%a = input \"a\" : f64[3, 2]\n%b = input \"b\" : f64[2, 100]\n"
                          "%c = dot %a, %b\nreturn %c",
                          {TargetKind::Cuda, 132, 128, size_t{50} << 20, 90}),
            1);
}

}  // namespace
}  // namespace weft::test
