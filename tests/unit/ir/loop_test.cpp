// Loops and branches in graphs: their text, what the interpreter makes of them, and what is refused.
#include "compiler/ir/make_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/close.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/support/golden.h"
#include "tests/support/interpret_values.h"

namespace weft::ir {
namespace {

std::vector<std::string> loop_files() {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(test::golden_path("loops")))
    if (file.path().extension() == ".weft") files.push_back("loops/" + file.path().filename().string());
  std::ranges::sort(files);
  return files;
}

std::string refusal(const std::string& text) {
  try {
    parse(text, "t");
  } catch (const Error& e) {
    const std::string what = e.what();
    return what.substr(0, what.find('\n'));
  }
  return "none";
}

TEST(Loops, PrintAsTheyAreParsed) {
  ASSERT_GE(loop_files().size(), 6u);
  for (const std::string& file : loop_files()) {
    const Graph graph = parse(test::read_text(test::golden_path(file)), file);
    verify(graph, "parse");
    test::expect_golden(file, print(graph));
    const Graph again = parse(print(graph), "again");
    EXPECT_EQ(hash_graph(graph), hash_graph(again)) << file;
  }
}

TEST(Loops, OfEqualBodiesAreOneLoop) {
  const auto file = test::golden_path("loops/recurrence.weft");
  const Graph a = parse(test::read_text(file), file), b = parse(test::read_text(file), file);
  const auto loop_in = [](const Graph& g) {
    const auto order = topological_order(g.outputs);
    return *std::ranges::find_if(order, [](const Node* n) { return is_loop(*n); });
  };
  EXPECT_EQ(loop_of(*loop_in(a))->hash, loop_of(*loop_in(b))->hash);
  EXPECT_FALSE(same_loop(*loop_in(a), *loop_in(b)));  // of other operands
  Loop longer = *loop_of(*loop_in(a));
  longer.operands.clear(), longer.results.clear();
  ++longer.length;
  EXPECT_NE(checked(std::move(longer))->hash, loop_of(*loop_in(a))->hash);
}

const char* const kDoubling = R"(body f {
  %c = input : f32[2]
  %x = input : f32[2]
  %turn = scalar : i64[]
  %0 = add %c, %x
  %1 = cast %turn : f32[]
  %2 = add %0, %1
  return %2, %c, %turn
}
)";

std::vector<HostTensor> doubled(int length, const std::string& more) {
  const std::string n = std::to_string(length);
  std::string text =
      std::string(kDoubling) + "graph {\n  %c = input : f32[2]\n  %x = input : f32[" + n + ", 2]\n";
  for (const char* k : {"0", "1", "2"})
    text += "  %r" + std::string(k) + " = scan %c, %x, body=f, carries=1, sliced=1, length=" + n + more +
            ", result=" + k + "\n";
  const Graph graph = parse(text + "  return %r0, %r1, %r2\n}\n", "t");
  const HostTensor given[] = {tensor(DType::F32, {2}, Numbers{1, 2}),
                              tensor(DType::F32, {length, 2}, counting(2 * length))};
  return interpret(graph, given);
}

TEST(Loops, ScanCarriesAndStacks) {
  const auto forward = doubled(3, "");
  EXPECT_EQ(numbers(forward[0]), (Numbers{10, 14}));
  EXPECT_EQ(numbers(forward[1]), (Numbers{1, 2, 1, 3, 4, 7}));
  EXPECT_EQ(numbers(forward[2]), (Numbers{0, 1, 2}));
  const auto back = doubled(3, ", reverse=1");
  EXPECT_EQ(numbers(back[0]), (Numbers{10, 14}));
  EXPECT_EQ(numbers(back[1]), (Numbers{10, 13, 7, 9, 1, 2}));
  EXPECT_EQ(numbers(back[2]), (Numbers{0, 1, 2}));
  const auto never = doubled(0, "");
  EXPECT_EQ(numbers(never[0]), (Numbers{1, 2}));
  EXPECT_EQ(numbers(never[1]), Numbers{});
}

TEST(Loops, WhileRunsUntilItsConditionFails) {
  const char* const text = R"(body more {
  %c = input : i32[]
  %k = input : i32[]
  %turn = scalar : i64[]
  %0 = less %c, %k
  return %0
}
body f {
  %c = input : i32[]
  %k = input : i32[]
  %turn = scalar : i64[]
  %0 = multiply %c, 2
  return %0
}
graph {
  %c = input : i32[]
  %k = input : i32[]
  %r = while_loop %c, %k, condition=more, body=f
  return %r
})";
  const Graph graph = parse(text, "t");
  const auto from = [&](double c) {
    const HostTensor given[] = {tensor(DType::I32, {}, Numbers{c}), tensor(DType::I32, {}, Numbers{100})};
    return numbers(interpret(graph, given)[0])[0];
  };
  EXPECT_EQ(from(3), 192);
  EXPECT_EQ(from(100), 100);
}

TEST(Loops, BranchesAreClamped) {
  const char* const text = R"(body one {
  %x = input : i32[]
  %0 = add %x, 1
  return %0
}
body two {
  %x = input : i32[]
  %0 = multiply %x, 2
  return %0
}
graph {
  %i = input : i64[]
  %x = input : i32[]
  %r = branch %i, %x, bodies=[one, two]
  return %r
})";
  const Graph graph = parse(text, "t");
  const auto of = [&](double i) {
    const HostTensor given[] = {tensor(DType::I64, {}, Numbers{i}), tensor(DType::I32, {}, Numbers{7})};
    return numbers(interpret(graph, given)[0])[0];
  };
  EXPECT_EQ(of(-5), 8);
  EXPECT_EQ(of(0), 8);
  EXPECT_EQ(of(1), 14);
  EXPECT_EQ(of(9), 14);
}

TEST(Loops, AreRefusedWhereBodiesDoNotFit) {
  const auto scan = [](const std::string& line, const std::string& body = kDoubling) {
    return refusal(
        body + "graph {\n  %c = input : f32[2]\n  %x = input : f32[3, 2]\n  %d = input : f64[2]\n  %r = " +
        line + "\n  return %r\n}");
  };
  EXPECT_EQ(scan("scan %c, %x, body=f, carries=1, sliced=1"), "t:14:8: scan needs length=…");
  EXPECT_EQ(scan("scan %c, %x, carries=1, sliced=1, length=3"), "t:14:8: scan needs body=…");
  EXPECT_EQ(scan("scan %c, %x, body=g, carries=1, sliced=1, length=3"), "t:14:26: 'g' is no body above");
  EXPECT_EQ(scan("scan %c, body=f, carries=1, sliced=1, length=3"), "t:14:8: scan: takes 2 operands: got 1");
  EXPECT_EQ(scan("scan %d, %x, body=f, carries=1, sliced=1, length=3"),
            "t:14:8: scan: its bodies take f32(2,) as operand 0: got f64(2,)");
  EXPECT_EQ(scan("scan %c, %x, body=f, carries=1, sliced=1, length=2"),
            "t:14:8: scan: its bodies take f32(2, 2) as operand 1: got f32(3, 2)");
  EXPECT_EQ(scan("scan %c, %x, body=f, carries=1, sliced=1, length=-2"),
            "t:14:8: scan: the length is not negative: got -2");
  EXPECT_EQ(scan("scan %c, %x, body=f, carries=1, sliced=1, length=3, result=3"),
            "t:14:8: scan: has 3 results: got result 3");
  const std::string changing =
      "body f {\n  %c = input : f32[2]\n  %turn = scalar : i64[]\n  %0 = cast %c : f64[2]\n  return %0\n}\n";
  EXPECT_EQ(
      scan("scan %c, body=f, carries=1, length=3", changing),
      "t:11:8: scan: what is carried keeps its dtype and its shape: carried value 0 is f32(2,): got f64(2,)");
  const std::string timeless = "body f {\n  %c = input : f32[2]\n  return %c\n}\n";
  EXPECT_EQ(scan("scan %c, body=f, carries=1, length=3", timeless),
            "t:9:8: scan: a body takes what is carried and sliced, and the turn: got 1 inputs");
  EXPECT_EQ(scan("while_loop %c, condition=f, body=f", changing),
            "t:11:8: while_loop: the condition gives one bool[]: got f64(2,)");
  EXPECT_EQ(scan("add %c, %c, body=f"), "t:14:25: expected an integer, got 'f'");
  EXPECT_EQ(refusal(timeless + timeless + "graph {\n  return\n}"), "t:5:6: 'f' is already a body");
  const std::string other = "body g {\n  %c = input : f32[2]\n  %0 = cast %c : f64[2]\n  return %0\n}\n";
  EXPECT_EQ(
      refusal(timeless + other +
              "graph {\n  %i = input : i64[]\n  %c = input : f32[2]\n  %r = branch %i, %c, bodies=[f, g]\n  "
              "return %r\n}"),
      "t:13:8: branch: all bodies give results of one dtype and shape: result 0: got f64(2,) and f32(2,)");
}

TEST(Close, MakesInputsOfWhatIsUsedFromOutside) {
  const TensorType type{DType::F32, {3}};
  const NodeRef outer = input(type, {nullptr, "outer", {}, 0}), own = input(type, {nullptr, "own", {}, 0});
  const NodeRef turn = input({DType::I64, {}}, {nullptr, "turn", {}, 0});
  const NodeRef doubled = map(Op::add, {outer, outer});  // the same in every turn
  const NodeRef two = constant(type, Scalar::of(2.0));
  const NodeRef result = map(Op::multiply, {map(Op::add, {own, doubled}), two});
  const NodeRef moved = map(Op::add, {result, broadcast(cast(turn, DType::F32), {3})});
  const std::vector<NodeRef> outputs{moved, doubled, two, own};
  const Closed closed = close({&outputs, 1}, {&own, 1}, turn);
  ASSERT_EQ(closed.captured.size(), 1u);
  EXPECT_EQ(closed.captured[0], doubled);
  const Graph& body = closed.bodies[0];
  ASSERT_EQ(body.inputs.size(), 3u);
  EXPECT_EQ(body.inputs[0], own);
  EXPECT_EQ(body.inputs[2]->op, Op::scalar);
  EXPECT_EQ(body.outputs[1], body.inputs[1]);
  EXPECT_EQ(body.outputs[2], two);
  EXPECT_EQ(body.outputs[3], own);
  verify(body, "close");
}

}  // namespace
}  // namespace weft::ir
