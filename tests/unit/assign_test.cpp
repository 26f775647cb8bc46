// Updates written in place: the same values, no memory of their own, and only where nobody needs the old
// ones.
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/passes/assign.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

int assigns(const std::string& text) {
  Options options;
  options.donated = {0};
  ir::Graph graph = passes::assign_in_place(ir::parse(text), options);
  int count = 0;
  for (const ir::Node* n : topological_order(graph.outputs)) count += n->op == ir::Op::assign;
  return count;
}

class Assign : public testing::TestWithParam<std::string> {};

// Runs with the first input given away; the others stay. The first output has to be that memory.
void check_in_place(Backend& b, const std::string& text) {
  ir::Graph graph = ir::parse(text);
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  std::vector<ir::HostTensor> want = interpret(graph, inputs);
  Options options;
  options.donated = {0};
  Program program = compile(graph, b.target, options);
  EXPECT_EQ(program.buffers[program.outputs[0]].role, BufferSpec::Role::Input);
  std::vector<ir::HostTensor> got = run_on(b, graph, inputs, options);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(difference(got[k], want[k], {}), "") << "output " << k;
}

TEST_P(Assign, WritesTheRangeOfADonatedInput) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f32[100, 33]
    %v = input "v" : f32[40, 11]
    %w = multiply %v, 2.0
    %u = update %a, %w, starts=[3, 30], steps=[2, -2]
    return %u
  })");
}

TEST_P(Assign, AddsInPlaceWhereTheOldValueIsReadAtTheSamePositions) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f32[100, 33]
    %s = slice %a, starts=[1, 1] : f32[98, 31]
    %t = add %s, 1.0
    %u = update %a, %t, starts=[1, 1]
    return %u
  })");
}

TEST_P(Assign, FollowsAChainOfUpdates) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : i32[64]
    %b = input "b" : i32[3]
    %u = update %a, %b, starts=[0]
    %w = update %u, %b, starts=[2]
    %x = slice %w, starts=[1] : i32[5]
    %y = multiply %x, %x
    %z = update %w, %y, starts=[1]
    return %z
  })");
}

TEST(AssignRule, LeavesAnOldValueThatIsReadElsewhere) {
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[8]
    %s = slice %a, starts=[0] : f32[7]
    %u = update %a, %s, starts=[1]
    return %u
  })"),
            0)
      << "shifted";
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[8]
    %v = input "v" : f32[2]
    %u = update %a, %v, starts=[1]
    %n = negative %a
    return %u, %n
  })"),
            0)
      << "another output";
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[8]
    %m = max %a
    %b = broadcast %m : f32[2]
    %u = update %a, %b, starts=[1]
    return %u
  })"),
            0)
      << "a reduction";
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[8]
    %v = input "v" : f32[2]
    %u = update %a, %v, starts=[1]
    return %a, %u
  })"),
            0)
      << "the input itself";
}

// A loop over single elements of a fresh array: a kernel for each range, none that chooses among all of them.
TEST_P(Assign, CopiesOnceForALongChain) {
  std::string text = "graph {\n%a = input \"a\" : f32[50]\n%b = input \"b\" : f32[1]\n%u0 = negative %a\n";
  for (int k = 0; k < 40; ++k)
    text += "%u" + std::to_string(k + 1) + " = update %u" + std::to_string(k) + ", %b, starts=[" +
            std::to_string(k) + "]\n";
  text += "return %u40, %a\n}";
  ir::Graph graph = ir::parse(text);
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 3);
  std::vector<ir::HostTensor> want = interpret(graph, inputs);
  Backend& b = backend(GetParam());
  std::vector<ir::HostTensor> got = run_on(b, graph, inputs);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(difference(got[k], want[k], {}), "") << "output " << k;
  EXPECT_LE(compile(graph, b.target).kernels.size(), 4u);
}

TEST(AssignRule, StopsWhereAnIntermediateValueIsNeeded) {
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[8]
    %v = input "v" : f32[2]
    %u = update %a, %v, starts=[1]
    %s = slice %u, starts=[0] : f32[7]
    %w = update %u, %s, starts=[1]
    return %w
  })"),
            1);
}

// Whatever the pass makes is what the text may say, and what a reader of it may compute.
TEST(AssignRule, TextComesBackTheSame) {
  int with_assigns = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const ir::Graph graph = random_graph(seed, {.ops = 12});
    Options options;
    for (int k = 0; k < static_cast<int>(graph.inputs.size()); ++k) options.donated.push_back(k);
    const ir::Graph assigned = passes::assign_in_place(graph, options);
    const ir::Graph back = ir::parse(print(assigned));
    EXPECT_EQ(hash_graph(back), hash_graph(assigned)) << print(assigned);
    EXPECT_EQ(hash_graph(passes::as_updates(back)), hash_graph(passes::as_updates(assigned)));
    for (const ir::Node* n : topological_order(back.outputs)) with_assigns += n->op == ir::Op::assign;
  }
  EXPECT_GT(with_assigns, 10);
}

TEST_P(Assign, InTextIsAnUpdateOfWhatTheCallerKeeps) {
  Backend& b = backend(GetParam());
  const ir::Graph graph = ir::parse(R"(graph {
    %a = input "a" : f32[64]
    %b = input "b" : f32[3]
    %s = slice %a, starts=[5] : f32[3]
    %t = add %s, %b
    %u = assign %a, %t, starts=[5]
    return %u
  })");
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  EXPECT_EQ(difference(run_on(b, graph, inputs)[0], interpret(graph, inputs)[0], {}), "");
  EXPECT_EQ(compile(graph, b.target).buffers[compile(graph, b.target).outputs[0]].role,
            BufferSpec::Role::Output);
}

INSTANTIATE_TEST_SUITE_P(, Assign, testing::ValuesIn(backend_names()), [](auto& test) { return test.param; });

}  // namespace
}  // namespace weft::test
