// The generator is a tool of the other tests: it must reach every op, keep its limits and repeat itself.
#include "tests/fuzz/random_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "compiler/ir/shrink.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::Node;
using ir::Op;

bool contains(const Graph& graph, Op op) {
  for (const Node* node : topological_order(graph.outputs))
    if (node->op == op) return true;
  return false;
}

TEST(RandomGraph, ReachesEveryOpAndDType) {
  std::set<Op> ops;
  std::set<DType> dtypes;
  std::set<size_t> ranks;
  bool empty = false, shared = false, backwards = false;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Graph graph = random_graph(seed);
    for (const Node* node : topological_order(graph.outputs)) {
      ops.insert(node->op);
      dtypes.insert(node->dtype());
      ranks.insert(node->shape().size());
      empty = empty || element_count(node->shape()) == 0;
      shared = shared || (node->op != Op::input && node->use_count() > 2);
      if (node->op == Op::slice)
        for (int64_t step : node->as<ir::SliceAttr>().steps) backwards = backwards || step < 0;
    }
  }
  ops.insert(Op::assign);  // the compiler makes it; nobody records it
  ops.insert(Op::apply);   // functions are drawn by scalar_programs.py
  for (int i = 0; i < ir::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(ops.count(op) == 0,
              ir::info(op).erratic || kind(op) == ir::OpKind::Loop || op == ir::Op::kernel)
        << name(op);
  }
  EXPECT_EQ(dtypes.size(), static_cast<size_t>(kDTypeCount));
  EXPECT_EQ(ranks, (std::set<size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(empty && shared && backwards);
}

// Each program that passes rewrite, as far as its ops tell: large values that are written to in parts, rows
// that are picked or sliced of reductions, sums of broadcasts.
TEST(RandomGraph, DrawsWhatPassesRewrite) {
  int written = 0, picked = 0, sliced = 0, equal = 0;
  const auto base = [](const Node* n) {
    n = n->inputs[0].get();
    while (kind(n->op) == ir::OpKind::Map || n->op == Op::reshape) n = n->inputs[0].get();
    return n;
  };
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = random_graph(seed, {.max_elements = 6000, .rewritten = 0.3});
    for (const Node* n : topological_order(graph.outputs)) {
      if (n->op == Op::update) written += element_count(n->shape()) >= 4096;
      if (n->op == Op::gather) picked += kind(base(n)->op) == ir::OpKind::Reduce;
      if (n->op == Op::slice) sliced += kind(base(n)->op) == ir::OpKind::Reduce;
      if (n->op == Op::sum) equal += n->inputs[0]->op == Op::broadcast;
    }
  }
  for (int count : {written, picked, sliced, equal}) EXPECT_GT(count, 20);
}

TEST(RandomGraph, TheSameSeedGivesTheSameGraph) {
  EXPECT_EQ(print(random_graph(5)), print(random_graph(5)));
  EXPECT_NE(print(random_graph(5)), print(random_graph(6)));
}

TEST(RandomGraph, KeepsItsLimits) {
  const RandomGraphOptions options{
      .max_rank = 3, .max_elements = 64, .empty_axis = 0, .halves = false, .complexes = false};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = random_graph(seed, options);
    for (const Node* node : topological_order(graph.outputs)) {
      EXPECT_LE(element_count(node->shape()), 64);
      EXPECT_LE(node->shape().size(), 3u);
      EXPECT_FALSE(is_half(node->dtype()) || is_complex(node->dtype()));
    }
  }
}

TEST(RandomGraph, ExactGraphsHaveNoOpThatRounds) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = random_graph(seed, {.exact = true});
    for (const Node* node : topological_order(graph.outputs)) {
      EXPECT_NE(node->op, Op::dot);
      EXPECT_LE(ir::info(node->op).ulp.f32, 0.5f) << name(node->op);
      EXPECT_TRUE(node->op != Op::sum || is_integer(node->dtype()));
    }
  }
}

TEST(RandomGraph, EveryGraphCanBeInterpreted) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = random_graph(seed);
    const auto outputs = interpret(graph, random_inputs(graph, seed));
    ASSERT_EQ(outputs.size(), graph.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i].type, graph.outputs[i]->type);
    const Graph back = ir::parse(print(graph));
    const auto again = interpret(back, random_inputs(back, seed));
    for (size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i].data, again[i].data) << "seed " << seed;
  }
}

TEST(RandomInput, HasEdgeValuesAndKeepsTheDomain) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    const ir::HostTensor tensor = random_input({dtype, {2000}}, 1, {2, 3}, 0.3);
    int inside = 0, nan = 0, infinite = 0, negative_zero = 0, tiny = 0;
    for (size_t i = 0; i < 2000; ++i) {
      const double v = Scalar::load(dtype, tensor.data.data() + i * size_of(dtype)).re;
      inside += v >= 2 && v <= 3;
      nan += std::isnan(v);
      infinite += std::isinf(v);
      negative_zero += v == 0 && std::signbit(v);
      tiny += v != 0 && std::abs(v) < 1e-4;
    }
    EXPECT_GT(inside, 1200);
    EXPECT_LT(inside, 1600);
    EXPECT_TRUE(nan > 0 && infinite > 0 && negative_zero > 0 && tiny > 0) << name(dtype);
  }
}

TEST(RandomInput, IntegersStayInTheDomainAndReachTheLimits) {
  for (int t = 0; t < kDTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    if (!is_integer(dtype)) continue;
    const ir::HostTensor plain = random_input({dtype, {500}}, 1, {-5, 60}, 0);
    const ir::HostTensor edges = random_input({dtype, {500}}, 1, {-5, 60}, 0.5);
    std::set<int64_t> all;
    for (size_t i = 0; i < 500; ++i) {
      const int64_t v = Scalar::load(dtype, plain.data.data() + i * size_of(dtype)).i;
      EXPECT_TRUE(v >= (kind(dtype) == DTypeKind::Signed ? -5 : 0) && v <= 60) << name(dtype) << " " << v;
      all.insert(Scalar::load(dtype, edges.data.data() + i * size_of(dtype)).i);
    }
    const bool is_signed = kind(dtype) == DTypeKind::Signed;
    const uint64_t largest = ~uint64_t{0} >> (64 + is_signed - 8 * size_of(dtype));
    EXPECT_TRUE(all.count(static_cast<int64_t>(largest))) << name(dtype);
  }
}

TEST(Shrink, LeavesTheNodeThatFailsAndFreshInputs) {
  int shrunk = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = random_graph(seed, {.ops = 30});
    auto fails = [](const Graph& g) {
      verify(g, "shrink");
      return contains(g, Op::tan);
    };
    if (!fails(graph)) continue;
    ++shrunk;
    const Graph small = shrink(graph, fails);
    EXPECT_EQ(small.outputs.size(), 1u);
    EXPECT_EQ(small.outputs[0]->op, Op::tan);
    EXPECT_LE(small.inputs.size(), 1u) << print(small);
    EXPECT_LE(topological_order(small.outputs).size(), 2u) << print(small);
  }
  EXPECT_GT(shrunk, 5);
}

TEST(Shrink, KeepsWhatMustStayTogether) {
  int shrunk = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = random_graph(seed, {.ops = 30});
    auto fails = [](const Graph& g) { return contains(g, Op::slice) && contains(g, Op::max); };
    if (!fails(graph)) continue;
    ++shrunk;
    const Graph small = shrink(graph, fails);
    EXPECT_TRUE(fails(small));
    EXPECT_LE(topological_order(small.outputs).size(), 12u) << print(small);
  }
  EXPECT_GT(shrunk, 5);
}

}  // namespace
}  // namespace weft::test
