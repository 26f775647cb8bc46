// Axes of a few elements, which the CPU's schedule unrolls where rows follow one another: whatever their
// length, the dtype and the end of the rows, the results are the interpreter's.
#include <gtest/gtest.h>

#include <limits>

#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/run_kernels.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

// Runs are dealt to lanes where loads take masks; the text is the same on any processor.
Target masking_target() {
  Target target = test::cpu();
  target.vector_bytes = 64;
  return target;
}

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (auto& [from, to] : values)
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  return text;
}

bool deals_runs(const ir::Graph& graph) {
  const Program program = compile(graph, masking_target());
  return program.kernels.size() == 1 && program.kernels[0].text.find("_run_") != std::string::npos;
}

void check(const std::string& text, bool exact, uint64_t seed) {
  const ir::Graph graph = ir::parse(text);
  EXPECT_TRUE(deals_runs(graph)) << text;
  // Where sums are rounded, nothing may cancel what is left of the digits.
  const auto inputs = test::random_inputs(graph, seed, {exact ? -3.0 : 0.25, 3}, exact ? 0.05 : 0.0);
  const auto want = interpret(graph, inputs);
  const auto got = test::run_kernels(graph, inputs, masking_target());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(test::difference(got[i], want[i], {1e-5, 1e-11, exact}), "") << "output " << i << "\n" << text;
}

// Rows in whole vectors of 64 lanes and less, and with ends.
const char* const kRows[] = {"256", "1024", "301", "4103"};

TEST(TinyRows, Maps) {
  uint64_t seed = 0;
  for (const char* dtype : {"bool", "u8", "i16", "f16", "bf16", "f32", "i64", "f64"})
    for (const char* n : {"2", "3", "4"})
      check(with(R"(graph {
  %x = input "x" : {T}[{m}, {n}]
  %c = input "c" : {T}[{m}, 1]
  %w = input "w" : {T}[{n}]
  %p = maximum %x, %c
  %q = minimum %p, %w
  return %q, %p })",
                 {{"{T}", dtype}, {"{n}", n}, {"{m}", kRows[++seed % 4]}}),
            true, seed);
}

TEST(TinyRows, Reductions) {
  uint64_t seed = 0;
  for (const char* dtype : {"u8", "i32", "f16", "bf16", "f32", "f64"})
    for (const char* op : {"max", "min", "sum", "prod"})
      for (const char* n : {"2", "3", "4", "5", "6", "7", "8"})
        check(with(R"(graph {
  %x = input "x" : {T}[{m}, {n}]
  %s = {op} %x, axes=[1]
  return %s })",
                   {{"{T}", dtype}, {"{op}", op}, {"{n}", n}, {"{m}", kRows[++seed % 4]}}),
              dtype[0] != 'f' && dtype[0] != 'b', seed);
}

// Elements beyond those of one vector, and rows that fill one.
TEST(TinyRows, LongerOnes) {
  uint64_t seed = 0;
  for (auto [dtype, lengths] : {std::pair{"f32", std::vector{"9", "12", "13", "15", "16"}},
                                {"f64", std::vector{"7", "8", "9"}},
                                {"f16", std::vector{"11", "16"}}})
    for (const char* n : lengths)
      check(with(R"(graph {
  %x = input "x" : {T}[{m}, {n}]
  %l = max %x, axes=[1]
  %k = reshape %l : {T}[{m}, 1]
  %d = subtract %x, %k
  %e = exp %d
  %s = sum %e, axes=[1]
  %t = reshape %s : {T}[{m}, 1]
  %y = divide %e, %t
  return %y })",
                 {{"{T}", dtype}, {"{n}", n}, {"{m}", kRows[++seed % 4]}}),
            false, seed);
}

TEST(TinyRows, Truth) {
  uint64_t seed = 0;
  for (const char* op : {"any", "all"})
    for (const char* n : {"2", "3", "7"})
      check(with(R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %t = greater %x, 0.0
  %s = {op} %t, axes=[1]
  return %s, %t })",
                 {{"{op}", op}, {"{n}", n}, {"{m}", kRows[++seed % 4]}}),
            true, seed);
}

TEST(TinyRows, SeveralSweeps) {
  uint64_t seed = 0;
  for (const char* dtype : {"f16", "f32", "f64"})
    for (const char* n : {"2", "3", "4", "5"})
      check(with(R"(graph {
  %x = input "x" : {T}[{m}, {n}]
  %g = input "g" : {T}[{n}]
  %l = max %x, axes=[1]
  %k = reshape %l : {T}[{m}, 1]
  %d = subtract %x, %k
  %e = exp %d
  %s = sum %e, axes=[1]
  %t = reshape %s : {T}[{m}, 1]
  %y = divide %e, %t
  %z = multiply %y, %g
  return %z, %s })",
                 {{"{T}", dtype}, {"{n}", n}, {"{m}", kRows[++seed % 4]}}),
            false, seed);
}

// Neighbours at an offset, backwards, beside others at strides, and in another dtype.
TEST(TinyRows, Views) {
  uint64_t seed = 0;
  for (const char* m : kRows) {
    const std::string more = std::to_string(std::stoi(m) + 2);
    for (auto [n, last] : {std::pair{"3", "2"}, {"4", "3"}})
      check(with(R"(graph {
  %x = input "x" : f32[{more}, {n}]
  %y = input "y" : f32[{n}, {m}]
  %b = input "b" : u8[{m}, {n}]
  %s = slice %x, starts=[2, 0] : f32[{m}, {n}]
  %f = slice %x, starts=[0, {last}], steps=[1, -1] : f32[{m}, {n}]
  %t = permute %y, axes=[1, 0] : f32[{m}, {n}]
  %c = cast %b : f32[{m}, {n}]
  %p = subtract %s, %f
  %q = multiply %t, %c
  %r = add %p, %q
  return %r })",
                 {{"{more}", more}, {"{m}", m}, {"{n}", n}, {"{last}", last}}),
            true, ++seed);
  }
}

TEST(TinyRows, GuardsAndPositions) {
  uint64_t seed = 0;
  for (const char* m : kRows)
    check(with(R"(graph {
  %x = input "x" : f32[{m}, 2]
  %z = input "z" : f32[{m}, 4]
  %p = pad %x, 1.5, before=[0, 1], after=[0, 1] : f32[{m}, 4]
  %i = iota axis=1 : f32[{m}, 4]
  %a = add %p, %i
  %r = multiply %a, %z
  return %r })",
               {{"{m}", m}}),
          true, ++seed);
}

// Totals across rows, of each of their elements: vectors of their own, or along the rows, with masks and
// without.
TEST(TinyRows, TotalsAcross) {
  uint64_t seed = 0;
  for (const char* dtype : {"f16", "f32", "f64", "c64", "i32"})
    for (const char* n : {"2", "3", "7", "16", "17", "40"}) {
      const bool exact = std::string(dtype) == "i32", complex = std::string(dtype) == "c64";
      const ir::Graph graph = ir::parse(with(R"(graph {
  %x = input "x" : {T}[{m}, {n}]
  %g = input "g" : {T}[{n}]
  %p = multiply %x, %g
  %r = sum %p, axes=[1]
  %s = reshape %r : {T}[{m}, 1]
  %y = add %x, %s
  %c = sum %p, axes=[0]
  %d = {op} %x, axes=[0]
  %e = add %d, %g
  return %y, %c, %e })",
                                             {{"{T}", dtype},
                                              {"{n}", n},
                                              {"{m}", kRows[++seed % 4]},
                                              {"{op}", complex    ? "sum"
                                                       : seed % 2 ? "max"
                                                                  : "min"}}));
      EXPECT_EQ(compile(graph, masking_target()).kernels.size(), 1u);
      const auto inputs = test::random_inputs(graph, seed, {exact ? -3.0 : 0.25, 3}, exact ? 0.05 : 0.0);
      const auto want = interpret(graph, inputs);
      for (int64_t rows : {0, 1, 17, 64}) {
        test::Forced forced;
        if (rows > 0)
          forced.change = [&](plan::CpuSchedule& s, const plan::RowProgram& p) {
            ASSERT_TRUE(p.reduces_points());
            s.lane_axis = static_cast<int>(p.outer.size());
            plan::cpu::Ends ends = plan::cpu::WholeVectors{};
            if (rows > 1) ends = plan::cpu::Masks{};
            s.shape = plan::cpu::Totals{.points = rows, .ends = ends};
          };
        const auto got = test::run_kernels(graph, inputs, masking_target(), forced);
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(test::difference(got[i], want[i], {1e-5, 1e-11, exact}), "")
              << "output " << i << ", " << rows << " rows a task of " << n << " " << dtype;
      }
    }
}

TEST(TinyRows, FewColumns) {
  uint64_t seed = 0;
  for (const char* dtype : {"u8", "f16", "f32", "i64", "f64"})
    for (const char* n : {"2", "3", "5", "7"})
      for (const char* op : {"sum", "max", "min"}) {
        // Of other rows than these, and of several of them.
        const bool exact = dtype[0] != 'f' && dtype[0] != 'b';
        const ir::Graph graph =
            ir::parse(with(R"(graph {
  %x = input "x" : {T}[5, {m}, {n}]
  %y = input "y" : {T}[{m}, {n}]
  %g = input "g" : {T}[{n}]
  %p = multiply %x, %g
  %c = {op} %p, axes=[1]
  %e = add %c, %g
  %d = {op} %y, axes=[0]
  %f = multiply %d, %g
  return %e, %c, %f })",
                           {{"{T}", dtype}, {"{n}", n}, {"{op}", op}, {"{m}", kRows[++seed % 4]}}));
        const auto inputs = test::random_inputs(graph, seed, {0.25, 3}, exact ? 0.05 : 0.0);
        const auto want = interpret(graph, inputs);
        const auto got = test::run_kernels(graph, inputs, masking_target());
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(test::difference(got[i], want[i], {1e-5, 1e-11, exact}), "")
              << op << ", output " << i << ", " << n << " columns of " << dtype;
      }
}

// NaN, infinities and zeros of either sign are in the totals that they were in.
TEST(TinyRows, SpecialValuesInTotalsAcross) {
  for (const char* op : {"sum", "max", "min", "prod"}) {
    const ir::Graph graph = ir::parse(with(R"(graph {
  %x = input "x" : f32[300, 5]
  %r = {op} %x, axes=[1]
  %c = {op} %x, axes=[0]
  return %r, %c })",
                                           {{"{op}", op}}));
    auto inputs = test::random_inputs(graph, 1, {1, 1}, 0.0);
    auto* x = reinterpret_cast<float*>(inputs[0].data.data());
    for (int k = 0; k < 300; ++k) x[k * 5] = -0.0f, x[k * 5 + 1] = k % 2 ? -0.0f : 0.0f;
    x[777] = std::numeric_limits<float>::quiet_NaN();
    x[1338] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(compile(graph, masking_target()).kernels.size(), 1u);
    const auto want = interpret(graph, inputs);
    const auto got = test::run_kernels(graph, inputs, masking_target());
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(test::difference(got[i], want[i], {0, 0, true}), "") << op << ", output " << i;
  }
}

}  // namespace
}  // namespace weft
