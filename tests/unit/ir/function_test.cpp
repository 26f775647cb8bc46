// Scalar functions: their text, what the interpreter makes of them, and what is refused.
#include "compiler/ir/function.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/base/interrupted.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/interpret/interpret_function.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/parse_function.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"

namespace weft::ir {
namespace {

constexpr const char* kCollatz = R"(function collatz(%n : i64) {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %two = constant 2 : i64
  %three = constant 3 : i64
  %last : i64, %count : i64 = while %x = %n, %k = %zero {
    %more = greater %x, %one : bool
    test %more
    %rest = remainder %x, %two : i64
    %odd = equal %rest, %one : bool
    %next : i64 = if %odd {
      %product = multiply %x, %three : i64
      %up = add %product, %one : i64
      give %up
    } else {
      %down = floor_divide %x, %two : i64
      give %down
    }
    %turn = add %k, %one : i64
    give %next, %turn
  }
  return %count, %last
}
)";

std::string refusal(const std::string& text) {
  try {
    parse_function(text, "t");
  } catch (const Error& e) {
    const std::string what = e.what();
    return what.substr(0, what.find('\n'));
  }
  return "none";
}

std::string of_body(const std::string& lines) { return "function f(%x : f64) {\n" + lines + "\n}\n"; }

TEST(Function, PrintsAsItIsParsed) {
  const FunctionRef f = parse_function(kCollatz, "collatz");
  const std::string text = print(*f, f->name);
  const FunctionRef again = parse_function(text, "again");
  EXPECT_EQ(f->hash, again->hash);
  EXPECT_EQ(print(*again, again->name), text);
  EXPECT_TRUE(f->loops);
  EXPECT_GT(f->cost, 16);
}

TEST(Function, HashesWhatItDoesAndNotItsNames) {
  const auto hash = [](const std::string& text) { return parse_function(text, "t")->hash; };
  const std::string base =
      "function f(%x : f64) {\n %c = constant 2.0 : f64\n %y = multiply %x, %c : f64\n return %y\n}";
  const std::string named =
      "function g(%a : f64) {\n %b = constant 2.0 : f64\n %z = multiply %a, %b : f64\n return %z\n}";
  const std::string other =
      "function f(%x : f64) {\n %c = constant 3.0 : f64\n %y = multiply %x, %c : f64\n return %y\n}";
  const std::string turned =
      "function f(%x : f64) {\n %c = constant 2.0 : f64\n %y = multiply %c, %x : f64\n return %y\n}";
  EXPECT_EQ(hash(base), hash(named));
  EXPECT_NE(hash(base), hash(other));
  EXPECT_NE(hash(base), hash(turned));
}

TEST(Function, RunsLoopsAndBranches) {
  const FunctionRef f = parse_function(kCollatz, "collatz");
  const int64_t steps[] = {0, 0, 1, 7, 2, 5, 8, 16, 3, 19};
  for (int64_t n = 0; n < 10; ++n) {
    const Scalar argument[] = {Scalar::of(n)};
    EXPECT_EQ(run(*f, argument)[0].i, steps[n]) << n;
  }
}

TEST(Function, ThatHasNoEndIsGivenUp) {
  const FunctionRef f = parse_function(
      of_body("%t = constant true : bool\n%r : f64 = while %y = %x {\ntest %t\ngive %y\n}\nreturn %r"),
      "endless");
  const Scalar argument[] = {Scalar::of(1.0)};
  EXPECT_THROW(run(*f, argument, [] { return true; }), Interrupted);
}

TEST(Function, SwapsWhatALoopCarries) {
  const FunctionRef f = parse_function(R"(function swapped(%a : f64, %b : f64, %n : i64) {
    %zero = constant 0 : i64
    %one = constant 1 : i64
    %i : i64, %p : f64, %q : f64 = while %k = %zero, %x = %a, %y = %b {
      %more = less %k, %n : bool
      test %more
      %next = add %k, %one : i64
      give %next, %y, %x
    }
    return %p, %q
  })",
                                       "swapped");
  const Scalar arguments[] = {Scalar::of(1.0), Scalar::of(2.0), Scalar::of(int64_t{3})};
  const auto results = run(*f, arguments);
  EXPECT_EQ(results[0].re, 2.0);
  EXPECT_EQ(results[1].re, 1.0);
}

TEST(Function, IsAnOpOfGraphs) {
  const std::string text = std::string(kCollatz) + R"(
graph {
  %n = input : i64[2, 3]
  %steps = apply %n, function=collatz : i64[2, 3]
  %last = apply %n, function=collatz, result=1 : i64[2, 3]
  return %steps, %last
}
)";
  const Graph graph = parse(text, "graph");
  verify(graph, "parse");
  const Graph again = parse(print(graph), "again");
  EXPECT_EQ(hash_graph(graph), hash_graph(again)) << print(graph);
  const int64_t values[] = {1, 2, 3, 4, 5, 6};
  HostTensor input{{DType::I64, {2, 3}}, {}};
  input.data.resize(sizeof values);
  std::memcpy(input.data.data(), values, sizeof values);
  const HostTensor inputs[] = {input};
  const auto results = interpret(graph, inputs);
  const auto* steps = reinterpret_cast<const int64_t*>(results[0].data.data());
  EXPECT_EQ(std::vector<int64_t>(steps, steps + 6), (std::vector<int64_t>{0, 1, 7, 2, 5, 8}));
}

TEST(Function, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal("graph {"), "t:1:1: expected 'function', got 'graph'");
  EXPECT_EQ(refusal(of_body("return %y")), "t:2:8: '%y' is not defined above");
  EXPECT_EQ(refusal(of_body("%y = less %x, %x : f64\nreturn %y")),
            "t:2:6: less: the result is bool, but f64 is stated");
  EXPECT_EQ(refusal(of_body("%y = sum %x : f64\nreturn %y")),
            "t:2:6: sum: is no op of a scalar function: got f64");
  EXPECT_EQ(refusal(of_body("%y = add %x : f64\nreturn %y")), "t:2:6: add: takes 2 operands: got f64");
  EXPECT_EQ(refusal(of_body("%y = bitwise_and %x, %x : f64\nreturn %y")),
            "t:2:6: bitwise_and: does not take this dtype: got f64, f64");
  EXPECT_EQ(refusal(of_body("%x = constant 1.0 : f64\nreturn %x")), "t:2:1: '%x' is already defined");
  EXPECT_EQ(refusal(of_body("return")), "t:1:10: function f: it has no results: return one value at least");
  EXPECT_EQ(refusal(of_body("%r : f64 = if %x {\ngive %x\n} else {\ngive %x\n}\nreturn %r")),
            "t:1:10: function f: if takes one bool");
  const std::string test = "%t = constant true : bool\n";
  EXPECT_EQ(refusal(of_body(test + "%r : f64 = if %t {\ngive\n} else {\ngive %x\n}\nreturn %r")),
            "t:1:10: function f: a branch gives 0 values, 1 are wanted");
  EXPECT_EQ(refusal(of_body(test + "%r : i64 = if %t {\ngive %x\n} else {\ngive %x\n}\nreturn %r")),
            "t:1:10: function f: a branch gives f64 as its value 0, i64 is wanted");
  EXPECT_EQ(
      refusal(of_body(
          test + "%r : f64 = if %t {\n%y = negative %x : f64\ngive %y\n} else {\ngive %y\n}\nreturn %r")),
      "t:7:6: '%y' is not defined above");
  EXPECT_EQ(refusal(of_body("%r : f64 = while %y = %x {\ntest %y\ngive %y\n}\nreturn %r")),
            "t:1:10: function f: while tests one bool");
}

TEST(Function, IsCheckedAgainstItsOperands) {
  const auto refused = [](const std::string& line) {
    try {
      parse(std::string(kCollatz) +
                "graph {\n%n = input : i64[4]\n%x = input : f64[4]\n%y = input : i64[2]\n" + line +
                "\nreturn %r\n}",
            "t");
    } catch (const Error& e) {
      const std::string what = e.what();
      const size_t at = what.find("apply");
      return what.substr(at, what.find('\n') - at);
    }
    return std::string("none");
  };
  EXPECT_EQ(refused("%r = apply %x, function=collatz : i64[4]"),
            "apply: collatz takes i64 as operand 0: got f64");
  EXPECT_EQ(refused("%r = apply %n, %n, function=collatz : i64[4]"),
            "apply: collatz takes 1 operands: got 2");
  EXPECT_EQ(refused("%r = apply %n, function=collatz, result=2 : i64[4]"),
            "apply: collatz has 2 results: got result 2");
  EXPECT_EQ(refused("%r = apply %n : i64[4]"), "apply needs function=…");
}

}  // namespace
}  // namespace weft::ir
