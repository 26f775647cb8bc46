// Kernels of a user's own text in the text of graphs: what is printed is read back, and what does not fit is an error
// at the line that defines them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/ir/verify.h"

namespace weft::ir {
namespace {

using testing::HasSubstr;

constexpr const char* kSmooth = R"(kernel smooth(f32[] share, f32[5] x) -> (f32[5] r), range=5, grain=2 {
void smooth(long begin, long end, float share, const float* x, float* r) {
  for (long i = begin; i < end; ++i) r[i] = share * x[i];  // { of a comment }
}
}

)";
constexpr const char* kTransposed =
    R"(kernel transpose(f32[3, 4] x, i32[] rows, i64[2] counts, f32[9] weights) -> (i64[2] counts, f32[4, 3] r), grid=[1, 2, 1], block=[16, 16, 1], shared_bytes=64, cluster=2, entry="transpose<float>" {
__constant__ float weights[9];
template <typename T> __global__ void transpose(const T* x, long long* counts, T* r, int rows) {}
}

)";
constexpr const char* kGraph = R"(graph {
  %x = input "x" : f32[3, 4]
  %c = input "c" : i64[2]
  %w = input "w" : f32[9]
  %0 = constant 3 : i32[]
  %1 = kernel %x, %0, %c, %w, function=transpose, result=1 : f32[4, 3]
  %2 = kernel %x, %0, %c, %w, function=transpose, result=0 : i64[2]
  return %1, %2
}
)";

NodeRef with(const Node& node, UserKernel kernel) {
  const std::vector<NodeRef> operands(node.inputs.begin(), node.inputs.end());
  return make(Op::kernel, operands, KernelAttr{checked(std::move(kernel)), 0}, {});
}

TEST(KernelText, IsPrintedAsItIsRead) {
  const std::string text = std::string(kTransposed) + kGraph;
  const Graph graph = parse(text);
  verify(graph, "parse");
  EXPECT_EQ(print(graph), text);
  EXPECT_EQ(hash_graph(parse(print(graph))), hash_graph(graph));
  const UserKernel& kernel = *user_kernel_of(*graph.outputs[0]);
  EXPECT_EQ(kernel.target, UserKernel::Target::Cuda);
  EXPECT_EQ(kernel.name, "transpose<float>");
  EXPECT_EQ(kernel.title, "transpose");
  EXPECT_EQ(kernel.starts_as, (std::vector<int>{2, -1}));
  EXPECT_EQ(kernel.cluster, 2);
  ASSERT_EQ(kernel.arguments.size(), 5u);
  using Kind = UserKernel::Argument::Kind;
  const std::vector<std::pair<Kind, std::string>> wanted = {{Kind::Operand, "const float*"},
                                                            {Kind::Result, "long long*"},
                                                            {Kind::Result, "float*"},
                                                            {Kind::Value, "int"},
                                                            {Kind::Constant, "float"}};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(kernel.arguments[i].kind, wanted[i].first) << i;
    EXPECT_EQ(kernel.arguments[i].type, wanted[i].second) << i;
  }
}

// Two launches of one text are two kernels.
TEST(KernelText, TellsLaunchesApart) {
  const Graph one = parse(std::string(kSmooth) + R"(graph {
  %s = scalar : f32[]
  %x = input : f32[5]
  %y = kernel %s, %x, function=smooth : f32[5]
  return %y
})");
  const Node& node = *one.outputs[0];
  UserKernel other = *user_kernel_of(node);
  other.grain = 5;
  const NodeRef again = with(node, std::move(other));
  const std::string text = print(Graph{one.inputs, {one.outputs[0], again}});
  EXPECT_THAT(text, HasSubstr("kernel smooth(f32[] share, f32[5] x) -> (f32[5] r), range=5, grain=2 {"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "kernel kernel_1(f32[] share, f32[5] x) -> (f32[5] r), range=5, grain=5, entry=\"smooth\" {"));
  EXPECT_EQ(print(parse(text)), text);
}

// Braces that do not match, in a comment, are no end of the text.
TEST(KernelText, OfOtherBracesStandsInQuotes) {
  const Graph plain = parse(std::string(kSmooth) + R"(graph {
  %s = scalar : f32[]
  %x = input : f32[5]
  %y = kernel %s, %x, function=smooth : f32[5]
  return %y
})");
  UserKernel other = *user_kernel_of(*plain.outputs[0]);
  std::string text = other.text->text;
  text.replace(text.find("{ of a comment }"), 16, "} \"quoted\"\t\\");
  other.text = std::make_shared<const UserText>(text);
  const Graph graph{plain.inputs, {with(*plain.outputs[0], std::move(other))}};
  const std::string printed = print(graph);
  EXPECT_THAT(printed, HasSubstr("grain=2 = \"\\nvoid smooth(long begin"));
  EXPECT_EQ(hash_graph(parse(printed)), hash_graph(graph));
}

std::string refused(const std::string& text) {
  try {
    parse(text, "kernels.weft");
    return "was parsed";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(KernelText, IsRefusedAtItsLine) {
  const auto smooth = [](const std::string& head) {
    return refused("kernel smooth" + head + R"( {
void smooth(long begin, long end, float share, const float* x, float* r) {}
}
graph {
  return
})");
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"(f32[5] x) -> (f32[5] r), range=5",
       "kernels.weft:1:8: smooth: share is read: write it among the operands alone"},
      {"(f32[] share, f32[5] x) -> (), range=5", "smooth: r is written to: write it among the results"},
      {"(f32[] share, f32[5] x, f32[5] y) -> (f32[5] r), range=5", "smooth: y is no parameter of the kernel"},
      {"(f32[] share, f64[5] x) -> (f32[5] r), range=5", "smooth: x is f32 in the text: got f64"},
      {"(f32[2] share, f32[5] x) -> (f32[5] r), range=5", "smooth: share is a number, of shape []"},
      {"(f32[] share, f32[5] x, f32[4] r) -> (f32[5] r), range=5",
       "smooth: r has one type, as an operand and as a result"},
      {"(f32[] share, f32[5] x) -> (f32[5] r)",
       "a kernel has range=… on the CPU, or grid=[…] and block=[…] on a GPU"},
      {"(f32[] share, f32[5] x) -> (f32[5] r), range=5, grid=[1]", "a kernel has range=… on the CPU"},
      {"(f32[] share, f32[5] x) -> (f32[5] r), grid=[1], block=[1]",
       "smooth is no kernel: write __global__ before it"},
      {"(f32[] share, f32[5] x) -> (f32[5] r), range=5, blocks=3", "a kernel has no attribute 'blocks'"},
      {"(f32[] share, f32[5] x) -> (f32[5] r), range=5, entry=\"other\"",
       "other: the text defines no function of this name: it defines smooth"},
      {"(f32[] share, f32[5] x) -> (f32[5] r), grid=[1, 2, 3, 4]",
       "a grid and a block have one to three extents"},
      {"(f32[] share, f32[5]) -> (f32[5] r), range=5", "expected a parameter's name"},
  };
  for (const auto& [head, message] : cases) EXPECT_THAT(smooth(head), HasSubstr(message)) << head;
  const auto use = [](const std::string& line) {
    return refused(std::string(kSmooth) + "graph {\n  %s = scalar : f32[]\n  %x = input : f32[5]\n  " + line +
                   "\n  return %y\n}");
  };
  EXPECT_THAT(use("%y = kernel %x, %s, function=smooth"),
              HasSubstr("kernels.weft:10:8: kernel: smooth takes other operands"));
  EXPECT_THAT(use("%y = kernel %s, %x, function=smooth, result=1"),
              HasSubstr("kernel: smooth has 1 results: got result=1"));
  EXPECT_THAT(use("%y = kernel %s, %x, function=other"), HasSubstr("'other' is no kernel above"));
  EXPECT_THAT(use("%y = kernel %s, %x"), HasSubstr("kernel needs function=…"));
}

TEST(KernelText, StandsInATextOfItsOwn) {
  Definitions definitions;
  definitions.add(std::string(kSmooth), "kernels.weft");
  definitions.add(
      "map elu(T x, T a) -> (T r) { r = x > 0 ? x : a * expm1(x); }\n"
      "function twice(%x : f32) {\n  %y = add %x, %x : f32\n  return %y\n}\n",
      "maps.weft");
  const Graph graph = definitions.parse(R"(graph {
  %s = scalar : f32[]
  %x = input : f32[5]
  %a = constant 0.5 : f32[5]
  %y = kernel %s, %x, function=smooth : f32[5]
  %z = apply %y, %a, function=elu : f32[5]
  %t = apply %z, function=twice : f32[5]
  return %t
})",
                                        "graph.weft");
  verify(graph, "parse");
  EXPECT_EQ(hash_graph(parse(print(graph))), hash_graph(graph));
  const auto added = [&](const std::string& text) {
    try {
      definitions.add(text, "more.weft");
      return std::string("was added");
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  EXPECT_THAT(added("graph {\n  return\n}"),
              HasSubstr("more.weft:1:1: expected 'map', 'function' or 'kernel', got 'graph'"));
  EXPECT_THAT(added(kSmooth), HasSubstr("'smooth' is already a kernel"));
  EXPECT_THAT(added("map elu(T x) -> (T r) { r = x; }"),
              HasSubstr("more.weft:1:5: 'elu' is already a function"));
}

}  // namespace
}  // namespace weft::ir
