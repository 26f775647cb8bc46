// Kernels of scalar functions: on every back end, and as CUDA on the host, they give what the interpreter does.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/support/cuda_kernels.h"

namespace weft::test {
namespace {

using ir::Graph;

const Target kGpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};

// Turns until x leaves a circle, and where it does: lanes part at every turn.
constexpr const char* kEscape = R"(function escape(%x : f64, %c : f64) {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %most = constant 40 : i32
  %bound = constant 4.0 : f64
  %turns : i32, %last : f64 = while %k = %zero, %y = %x {
    %few = less %k, %most : bool
    %square = multiply %y, %y : f64
    %near = less %square, %bound : bool
    %both = bitwise_and %few, %near : bool
    test %both
    %next = add %square, %c : f64
    %turn = add %k, %one : i32
    give %turn, %next
  }
  return %turns, %last
}
)";

// Branches in each other and in a loop, light ones and such as are jumped over, of a dtype.
constexpr const char* kBranching = R"(function branching(%a : T, %b : T, %n : u8) {
  %zero = constant 0 : u8
  %one = constant 1 : u8
  %seven = constant 7 : u8
  %half = constant HALF : T
  %m = bitwise_and %n, %seven : u8
  %k : u8, %r : T = while %i = %zero, %x = %a {
    %more = less %i, %m : bool
    test %more
    %test = less %x, %b : bool
    %y : T = if %test {
      %far = greater %b, %half : bool
      %inner : T = if %far {
        %q0 = divide_by %x, %half : T
        %q1 = divide_by %q0, %half : T
        %q2 = add %q1, %b : T
        give %q2
      } else {
        %s = add %x, %half : T
        give %s
      }
      give %inner
    } else {
      %d = subtract %x, %b : T
      give %d
    }
    %next = add %i, %one : u8
    give %next, %y
  }
  return %r
}
)";

// Loops that are left in several ways, quotients, and bits.
constexpr const char* kCode = R"(map turned(T x, T y) -> (T r, int turns) {
  turns = 0;
  r = x < y ? x : y;
  for (int k = 1; k < 9; ++k) {
    if (k % 3 == 2) continue;
    if (r > x * 2 + k) break;
    r += (T)(k << 1) / (T)3;
    ++turns;
  }
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::vector<Graph> graphs() {
  std::vector<std::string> texts;
  const std::string escape = kEscape;
  texts.push_back(escape +
                  "graph {\n %x = input : f64[7, 45]\n %c = input : f64[7, 45]\n"
                  " %a = apply %x, %c, function=escape : i32[7, 45]\n %b = apply %x, %c, function=escape, "
                  "result=1 : f64[7, 45]\n"
                  " return %a, %b\n}");
  // Between a producer and a reduction, over rows and over columns.
  for (const char* axes : {"[0]", "[1]", "[0, 1]"})
    texts.push_back(
        escape +
        "graph {\n %x = input : f64[9, 300]\n %c = input : f64[300]\n %w = broadcast %c : f64[9, 300]\n"
        " %y = multiply %x, %w\n %a = apply %y, %w, function=escape : i32[9, 300]\n %f = cast %a : f64[9, "
        "300]\n"
        " %s = sum %f, axes=" +
        axes + "\n return %s\n}");
  // Of an element's own position, between a view and a reduction.
  texts.push_back(
      escape +
      "graph {\n %x = input : f64[300, 9]\n %t = permute %x, axes=[1, 0] : f64[9, 300]\n"
      " %i = iota axis=1 : i64[9, 300]\n %f = cast %i : f64[9, 300]\n %n = multiply %f, 0.015625\n"
      " %a = apply %t, %n, function=escape : i32[9, 300]\n %s = sum %a, axes=[0]\n return %s\n}");
  // Of what a guard leaves unspecified.
  texts.push_back(escape +
                  "graph {\n %x = input : f64[5, 21]\n %c = input : f64[5, 21]\n %a = apply %x, %c, "
                  "function=escape, result=1 : f64[5, 21]\n"
                  " %z = constant 1.0 : f64[]\n %p = pad %a, %z, before=[1, 2], after=[0, 3]\n return %p\n}");
  // Of one value, and of none.
  texts.push_back(escape +
                  "graph {\n %x = input : f64[]\n %c = input : f64[]\n %a = apply %x, %c, function=escape : "
                  "i32[]\n return %a\n}");
  texts.push_back(escape +
                  "graph {\n %x = input : f64[0, 4]\n %c = input : f64[0, 4]\n %a = apply %x, %c, "
                  "function=escape : i32[0, 4]\n return %a\n}");
  for (const char* t : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"}) {
    const bool is_whole = t[0] == 'i' || t[0] == 'u';
    std::string text = replaced(kBranching, "divide_by", is_whole ? "floor_divide" : "divide");
    text = replaced(replaced(text, "HALF", is_whole ? "3" : "0.5"), " T", std::string(" ") + t);
    const std::string type = std::string(t) + "[3, 130]";
    texts.push_back(text + "graph {\n %a = input : " + type + "\n %b = input : " + type +
                    "\n %n = input : u8[3, 130]\n %r = apply %a, %b, %n, function=branching : " + type +
                    "\n return %r\n}");
  }
  // Ops as text, one of which has a derivative of its own.
  for (const char* t : {"i8", "u16", "i32", "u64", "f16", "bf16", "f32", "f64"}) {
    const std::string type = std::string(t) + "[3, 130]";
    texts.push_back(std::string(kCode) + "graph {\n %a = input : " + type + "\n %b = input : " + type +
                    "\n %r = apply %a, %b, function=turned : " + type +
                    "\n %k = apply %a, %b, function=turned, " + "result=1 : i32[3, 130]\n return %r, %k\n}");
  }
  texts.push_back(
      "map elu(T x, float a) -> (T r) { r = x > 0 ? x : a * expm1(x); } derivative { dr_dx = x > 0 ? 1 : r + "
      "a; dr_da = x > 0 ? 0 : expm1(x); }\n"
      "graph {\n %x = input : f32[9, 300]\n %a = constant 0.5 : f32[9, 300]\n %y = square %x\n"
      " %r = apply %y, %a, function=elu : f32[9, 300]\n %s = sum %r, axes=[1]\n return %s\n}");
  std::vector<Graph> all;
  for (const std::string& text : texts) all.push_back(ir::parse(text, "graph"));
  return all;
}

TEST(FunctionKernels, GiveWhatTheInterpreterDoes) {
  for (const std::string& name : backend_names())
    for (const Graph& graph : graphs())
      EXPECT_EQ(check(on(backend(name)), graph, 3, false), "") << name << ": " << ir::print(graph);
}

// An op with a text for each target, by itself and in the body of a loop.
std::vector<Graph> of_two_texts() {
  const std::string op = "map shifted(T x) -> (T r) { r = sinh(x); } cuda { r = atan(x); }\n";
  const std::string body = R"(body step {
  %c = input : f32[8]
  %t = scalar : i64[]
  %n = apply %c, function=shifted : f32[8]
  %m = cumulative_sum %n, axis=0
  return %m
}
)";
  return {
      ir::parse(
          op + "graph {\n %x = input : f32[8]\n %r = apply %x, function=shifted : f32[8]\n return %r\n}",
          "graph"),
      ir::parse(
          op + body +
              "graph {\n %x = input : f32[8]\n %r = scan %x, body=step, carries=1, length=3\n return %r\n}",
          "graph")};
}

TEST(FunctionKernels, TakeTheTextOfTheirTarget) {
  for (const Graph& graph : of_two_texts()) {
    const auto sources = [&](const Target& target) {
      std::string all;
      const std::function<void(const Program&)> add = [&](const Program& program) {
        for (const auto& kernel : program.kernels) all += kernel.text;
        for (const auto& step : program.steps)
          if (const auto* const loop = std::get_if<LoopStep>(&step))
            for (const auto& turn : loop->loop->bodies) add(turn.program);
      };
      add(compile(graph, target));
      return all;
    };
    EXPECT_NE(sources(Target{}).find("sinh"), std::string::npos) << sources(Target{});
    EXPECT_EQ(sources(Target{}).find("atan"), std::string::npos);
    EXPECT_NE(sources(kGpu).find("atan"), std::string::npos) << sources(kGpu);
    EXPECT_EQ(sources(kGpu).find("sinh"), std::string::npos);
  }
}

TEST(FunctionKernels, OfCudaGiveItOnTheHost) { expect_emulated_to_agree(graphs(), kGpu); }

TEST(FunctionKernels, OfCudaAreTakenByNvrtc) { expect_taken_by_nvrtc(graphs(), kGpu); }

TEST(FunctionKernels, OfATextForCudaAreTakenByNvrtc) { expect_taken_by_nvrtc(of_two_texts(), kGpu); }

// What lies behind the last element in its vector may be a number for which a loop never ends.
TEST(FunctionKernels, OfCudaLoopForElementsAlone) {
  const auto source = [](const std::string& shape) {
    const Graph graph = ir::parse(
        "function halve(%n : i64) {\n  %two = constant 2 : i64\n  %one = constant 1 : i64\n"
        "  %r : i64 = while %k = %n {\n    %more = not_equal %k, %one : bool\n"
        "    test %more\n    %half = floor_divide %k, %two : i64\n    give %half\n  }\n"
        "  return %r\n}\n\ngraph {\n  %n = input : i64" +
            shape + "\n  %r = apply %n, function=halve : i64" + shape + "\n  return %r\n}",
        "graph");
    return compile(graph, kGpu).kernels.at(0).text;
  };
  EXPECT_NE(source("[5, 31]").find("((e < left), "), std::string::npos) << source("[5, 31]");
  EXPECT_EQ(source("[4, 32]").find("left"), std::string::npos) << source("[4, 32]");
}

// Of one function on the same operands there is one call.
TEST(FunctionKernels, ComputeSeveralResultsOnce) {
  const auto calls_in = [](const std::string& text) {
    size_t calls = 0;
    for (size_t at = 0; (at = text.find("= weft_function_", at)) != std::string::npos; ++at) ++calls;
    return calls;
  };
  const Graph graph = graphs()[0];
  for (const Target& target : {kGpu, Target{}}) {
    const Program program = compile(graph, target);
    ASSERT_EQ(program.kernels.size(), 1u);
    EXPECT_EQ(calls_in(program.kernels[0].text), 1u) << program.kernels[0].text;
  }
}

// Where an instruction moves lanes together, those that are left in a loop share vectors.
TEST(FunctionKernels, PackLanesThatPart) {
  const auto packs = [](const std::string& function, const Target& target) {
    const Graph graph = ir::parse(function +
                                      "graph {\n %x = input : f64[1000]\n %c = input : f64[1000]\n"
                                      " %k = apply %x, %c, function=escape : i32[1000]\n return %k\n}",
                                  "graph");
    return compile(graph, target).kernels.at(0).text.find("_packed_") != std::string::npos;
  };
  Target wide, narrow;
  wide.vector_bytes = 64, narrow.vector_bytes = 32;
  EXPECT_TRUE(packs(kEscape, wide));
  EXPECT_FALSE(packs(kEscape, narrow));
  EXPECT_FALSE(packs(kEscape, kGpu));
  // All lanes leave together.
  EXPECT_FALSE(packs(replaced(kEscape, "test %both", "test %few"), wide));
}

TEST(FunctionKernels, AreRefusedWhereNoneIsCompiled) {
  Target target;
  target.compiles = false;
  try {
    compile(graphs()[0], target);
    FAIL() << "was compiled";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("apply: a function of scalars needs a compiler"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace weft::test
