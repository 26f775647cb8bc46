// Arrays that are computed from each other in turns, as two buffers of a stencil are: written in place, each in its
// own memory, where nobody needs an old value.
#include <gtest/gtest.h>

#include <random>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/assign.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

using ir::NodeRef;
using ir::Op;

Options all_given() {
  Options options;
  options.donated = {0, 1, 2};
  return options;
}

ir::Graph assigned(const ir::Graph& graph) {
  const ir::Graph after =
      passes::assign_in_place(passes::share(passes::simplify(graph, {}), {}), Target{}, all_given());
  verify(after, "assign");
  return after;
}

size_t count(const ir::Graph& graph, Op op) {
  size_t found = 0;
  for (const ir::Node* n : topological_order(graph.outputs)) found += n->op == op;
  return found;
}

// Integers, whose sums are exact in any order.
NodeRef input(const char* name) { return ir::input({DType::I32, {60}}, {nullptr, name, {}, 0}); }

// The sum of two neighbours of what is replaced.
NodeRef beside(const NodeRef& x) {
  return ir::map(Op::add, {ir::slice(x, {0}, {58}, {1}), ir::slice(x, {2}, {58}, {1})});
}
NodeRef inside(const NodeRef& base, const NodeRef& value) { return ir::update(base, value, {1}, {1}); }

// `turns` of each of two arrays.
ir::Graph stencil(int turns) {
  const NodeRef a = input("a"), b = input("b");
  NodeRef x = a, y = b;
  for (int k = 0; k < turns; ++k) {
    y = inside(y, beside(x));
    x = inside(x, beside(y));
  }
  return {{a, b}, {x, y}};
}

TEST(AssignTurns, TwoArraysOfAStencilAreWrittenInPlace) {
  for (int turns : {1, 2, 5}) {
    const ir::Graph after = assigned(stencil(turns));
    EXPECT_EQ(count(after, Op::assign), 2u * static_cast<size_t>(turns)) << turns;
    EXPECT_EQ(count(after, Op::update), 0u) << turns;
  }
}

TEST(AssignTurns, LongChainsWriteIntoCopiesOfWhatTheyBeginWith) {
  const ir::Graph graph = passes::share(passes::simplify(stencil(10), {}), {}),
                  after = passes::assign_in_place(graph, Target{}, {});
  verify(after, "assign");
  EXPECT_EQ(count(after, Op::assign), 20u);
}

TEST(AssignTurns, AnOldValueThatIsReadElsewhereStays) {
  ir::Graph graph = stencil(3);
  graph.outputs.push_back(ir::map(Op::negative, {graph.inputs[0]}));
  EXPECT_GT(count(assigned(graph), Op::update), 0u);
  // The last one reads an old value of the first.
  const NodeRef a = input("a"), b = input("b");
  const NodeRef y = inside(b, beside(a)), x = inside(a, beside(y)),
                z = inside(y, ir::map(Op::negative, {beside(a)}));
  EXPECT_GT(count(assigned({{a, b}, {x, z}}), Op::update), 0u);
}

TEST(AssignTurns, TwoUpdatesOfOneValueDoNotShareItsMemory) {
  const NodeRef a = input("a"), b = input("b");
  const NodeRef one = ir::update(a, ir::slice(b, {0}, {20}, {1}), {0}, {1});
  const NodeRef two = ir::update(a, ir::map(Op::negative, {ir::slice(one, {10}, {20}, {1})}), {30}, {1});
  EXPECT_LE(count(assigned({{a, b}, {one, two}}), Op::assign), 1u);
}

// Three arrays; each turn writes a range of one, mostly the same, from any of them, mostly as they are now.
ir::Graph random_turns(uint64_t seed) {
  std::mt19937_64 draws(seed);
  const auto draw = [&](uint64_t below) { return static_cast<size_t>(draws() % below); };
  const std::vector<NodeRef> inputs{input("a"), input("b"), input("c")};
  std::vector<std::vector<NodeRef>> values;  // of each array, the latest last
  for (const NodeRef& one : inputs) values.push_back({one});
  const auto read = [&](int64_t extent, int64_t at) {
    const std::vector<NodeRef>& of = values[draw(3)];
    const NodeRef& x = of[of.size() - 1 - (draw(6) ? 0 : draw(std::min<size_t>(of.size(), 3)))];
    const auto from = draw(3) ? at : static_cast<int64_t>(draw(static_cast<uint64_t>(60 - extent)));
    return ir::slice(x, {from}, {extent}, {1});
  };
  std::vector<NodeRef> written;
  for (size_t k = 2 + draw(seed % 4 ? 8 : 40); k > 0; --k) {
    const bool whole = draw(4) != 0;
    const int64_t extent = whole ? 58 : 1 + static_cast<int64_t>(draw(20));
    const int64_t at = whole ? 1 : static_cast<int64_t>(draw(static_cast<uint64_t>(60 - extent)));
    NodeRef value = ir::map(Op::add, {read(extent, at), read(extent, at)});
    if (draw(4) == 0) value = ir::map(Op::abs, {value});
    if (draw(8) == 0) {
      const NodeRef& x = values[draw(3)].back();
      value = ir::map(Op::add, {value, ir::broadcast(ir::reduce(Op::max, x, {0}), {extent})});
    }
    std::vector<NodeRef>& to = values[draw(3)];
    written.push_back(value);
    to.push_back(ir::update(to[to.size() - 1 - (draw(12) ? 0 : draw(to.size()))], value, {at}, {1}));
  }
  ir::Graph graph{inputs, {}};
  for (const auto& of : values)
    if (of.size() > 1 && draw(8)) graph.outputs.push_back(of.back());
  if (draw(3) == 0) graph.outputs.push_back(values[0][values[0].size() / 2]);
  if (graph.outputs.empty() || draw(5) == 0) graph.outputs.push_back(written[written.size() / 2]);
  std::erase_if(graph.outputs, [](const NodeRef& n) { return n->op == Op::input; });
  if (graph.outputs.empty()) graph.outputs.push_back(written.back());
  return graph;
}

class Turns : public testing::TestWithParam<std::string> {};

TEST_P(Turns, RandomOnesGiveTheSame) {
  Backend& b = backend(GetParam());
  constexpr uint64_t kSeeds = 12;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const ir::Graph graph = random_turns(seed);
    const std::vector<ir::HostTensor> inputs = random_inputs(graph, seed);
    const std::vector<ir::HostTensor> want = interpret(graph, inputs);
    for (const Options& options : {all_given(), Options{}}) {
      const std::vector<ir::HostTensor> got = run_on(b, graph, inputs, options);
      for (size_t k = 0; k < want.size(); ++k)
        ASSERT_EQ(difference(got[k], want[k], {}), "")
            << "seed " << seed << ", output " << k << ", " << options.donated.size() << " given";
    }
  }
}

TEST_P(Turns, AStencilIsOneKernelThatRunsAgain) {
  Backend& b = backend(GetParam());
  const ir::Graph graph = stencil(4);
  const Program program = compile(graph, b.target, all_given());
  EXPECT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.steps.size(), 8u);
  for (const int output : program.outputs)
    EXPECT_EQ(program.buffers[static_cast<size_t>(output)].role, BufferSpec::Role::Input);
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  const std::vector<ir::HostTensor> want = interpret(graph, inputs);
  const std::vector<ir::HostTensor> got = run_on(b, graph, inputs, all_given());
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(difference(got[k], want[k], {}), "");
}

INSTANTIATE_TEST_SUITE_P(, Turns, testing::ValuesIn(backend_names()), [](auto& test) { return test.param; });

// The pass alone, which the interpreter runs: it takes an assign for an update, so this holds with_chains() to it.
TEST(AssignTurns, RandomOnesMeanTheSameAfterThePass) {
  size_t updates = 0, in_place = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const ir::Graph graph = random_turns(seed), after = assigned(graph);
    const std::vector<ir::HostTensor> inputs = random_inputs(graph, seed);
    const std::vector<ir::HostTensor> want = interpret(graph, inputs), got = interpret(after, inputs);
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_EQ(difference(got[k], want[k], {}), "") << "seed " << seed << ", output " << k;
    in_place += count(after, Op::assign);
    updates += count(after, Op::assign) + count(after, Op::update);
  }
  EXPECT_GT(in_place, updates / 6);
}

}  // namespace
}  // namespace weft::test
