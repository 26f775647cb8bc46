// Products of vectors with one matrix: which become one, and that the values stay.
#include "compiler/passes/products/join_products.h"

#include <gtest/gtest.h>

#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

// The shapes of the products that are left, in order; the values are compared as well.
std::vector<Shape> products(const ir::Graph& graph) {
  ir::Graph joined = passes::join_products(graph, Target{}, Options{});
  ir::verify(joined, "join_products");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  const auto want = ir::interpret(graph, inputs), got = ir::interpret(joined, inputs);
  for (size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(got[k].data, want[k].data) << "output " << k << "\n" << ir::print(joined);
  std::vector<Shape> shapes;
  for (const ir::Node* n : topological_order(joined.outputs))
    if (n->op == ir::Op::dot) shapes.push_back(n->shape());
  return shapes;
}

// vector(i) @ matrix(i), or matrix(i) @ vector(i), for `count` turns.
template <class VectorOf, class MatrixOf>
ir::Graph loop(std::vector<ir::NodeRef> inputs, int64_t count, bool row, VectorOf&& vector,
               MatrixOf&& matrix) {
  ir::Graph graph{std::move(inputs), {}};
  for (int64_t i = 0; i < count; ++i) {
    const ir::NodeRef m = matrix(i);
    const int64_t depth = m->shape()[row ? 0 : 1];
    const ir::NodeRef v = ir::reshape(vector(i), row ? Shape{1, depth} : Shape{depth, 1});
    graph.outputs.push_back(row ? ir::dot(v, m) : ir::dot(m, v));
  }
  return graph;
}

ir::NodeRef array(Shape shape) { return ir::input({DType::F64, std::move(shape)}, {}); }

TEST(JoinProducts, ColumnsWithTheColumnsBehindThem) {
  const ir::NodeRef data = array({7, 9});
  const auto column = [&](int64_t i) { return ir::slice(data, {0, i}, {7, 1}, {1, 1}); };
  const auto rest = [&](int64_t i) { return ir::slice(data, {0, i}, {7, 9 - i}, {1, 1}); };
  EXPECT_EQ(products(loop({data}, 6, true, column, rest)), (std::vector<Shape>{{6, 9}}));
}

TEST(JoinProducts, AMatrixWithEveryOtherRowOfAnother) {
  const ir::NodeRef a = array({5, 6}), x = array({9, 6});
  const auto row = [&](int64_t i) { return ir::slice(x, {2 * i, 0}, {1, 6}, {1, 1}); };
  EXPECT_EQ(products(loop({a, x}, 4, false, row, [&](int64_t) { return a; })), (std::vector<Shape>{{4, 5}}));
}

TEST(JoinProducts, ATransposedSliceWithPartsOfACube) {
  const ir::NodeRef a = array({8, 6}), x = array({6, 3, 5});
  const auto line = [&](int64_t i) { return ir::slice(x, {0, 2, i}, {6, 1, 1}, {1, 1, 1}); };
  const auto matrix = [&](int64_t i) {
    return ir::permute(ir::slice(a, {i % 2, 0}, {7, 6}, {1, 1}), {1, 0});
  };
  EXPECT_EQ(products(loop({a, x}, 5, true, line, matrix)), (std::vector<Shape>{{5, 8}}));
}

TEST(JoinProducts, BackwardsAndFromBothEndsAtOnce) {
  const ir::NodeRef a = array({6, 4}), x = array({5, 6});
  const auto backwards = [&](int64_t i) { return ir::slice(x, {4 - i, 5}, {1, 6}, {1, -1}); };
  EXPECT_EQ(products(loop({a, x}, 5, true, backwards, [&](int64_t) { return a; })),
            (std::vector<Shape>{{5, 4}}));
}

TEST(JoinProducts, FewOrUnequallySpacedOnesStay) {
  const ir::NodeRef a = array({6, 4}), x = array({20, 6});
  const auto whole = [&](int64_t) { return a; };
  const auto row = [&](int64_t i) { return ir::slice(x, {i, 0}, {1, 6}, {1, 1}); };
  EXPECT_EQ(products(loop({a, x}, 3, true, row, whole)).size(), 3u);
  const auto square = [&](int64_t i) { return ir::slice(x, {i * i, 0}, {1, 6}, {1, 1}); };
  EXPECT_EQ(products(loop({a, x}, 4, true, square, whole)).size(), 4u);
}

TEST(JoinProducts, OnesThatTogetherWouldComputeMoreThanTwiceAsMuchStay) {
  const ir::NodeRef a = array({6, 12}), x = array({4, 6});
  const auto row = [&](int64_t i) { return ir::slice(x, {i, 0}, {1, 6}, {1, 1}); };
  const auto apart = [&](int64_t i) { return ir::slice(a, {0, 3 * i}, {6, 3}, {1, 1}); };
  EXPECT_EQ(products(loop({a, x}, 4, true, row, apart)).size(), 4u);
}

TEST(JoinProducts, TheResultTakesNoMoreMemoryThanTheMatrix) {
  const ir::NodeRef a = array({5, 8}), x = array({12, 5});
  const auto row = [&](int64_t i) { return ir::slice(x, {i, 0}, {1, 5}, {1, 1}); };
  EXPECT_EQ(products(loop({a, x}, 12, true, row, [&](int64_t) { return a; })).size(), 2u + 2u)
      << "two products of five rows, and two of one";
}

TEST(JoinProducts, ThoseThatWaitForEachOtherStay) {
  // Each row of the second matrix is read once the product before it is known.
  const ir::NodeRef a = array({6, 6});
  ir::NodeRef x = array({8, 6});
  ir::Graph graph{{a, x}, {}};
  for (int64_t i = 0; i < 6; ++i) {
    const ir::NodeRef row = ir::slice(x, {i, 0}, {1, 6}, {1, 1});
    x = ir::update(x, ir::dot(row, a), {i + 1, 0}, {1, 1});
  }
  graph.outputs = {x};
  EXPECT_EQ(products(graph).size(), 6u);
}

TEST(JoinProducts, TwoRoundsBecomeOneProductEach) {
  const ir::NodeRef a = array({6, 6}), x = array({5, 6});
  const auto row_of = [](const ir::NodeRef& of, int64_t i) { return ir::slice(of, {i, 0}, {1, 6}, {1, 1}); };
  ir::NodeRef next = x;
  for (int64_t i = 0; i < 5; ++i) next = ir::update(next, ir::dot(row_of(x, i), a), {i, 0}, {1, 1});
  ir::Graph graph{{a, x}, {}};
  for (int64_t i = 0; i < 5; ++i) graph.outputs.push_back(ir::dot(row_of(next, i), a));
  EXPECT_EQ(products(graph), (std::vector<Shape>{{5, 6}, {5, 6}}));
}

}  // namespace
}  // namespace weft::test
