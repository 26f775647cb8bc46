// CPU kernels under schedules that schedule_cpu would not choose: whatever the lanes, chunks, splits and
// order, the results are the interpreter's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "runtime/cpu/instructions.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/across_graphs.h"
#include "tests/support/run_kernels.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

using plan::CpuSchedule;
namespace cpu = plan::cpu;
using plan::Order;
using plan::RowProgram;
using test::Forced;

int outer_rank(const RowProgram& p) { return static_cast<int>(p.outer.size()); }
int rank(const RowProgram& p) { return outer_rank(p) + static_cast<int>(p.row.size()); }
int64_t extent(const RowProgram& p, int axis) {
  return axis < outer_rank(p) ? p.outer[static_cast<size_t>(axis)].value
                              : p.row[static_cast<size_t>(axis - outer_rank(p))].value;
}
int64_t round_up(int64_t n, int64_t by) { return (n + by - 1) / by * by; }

// A schedule of our own: lanes along the k-th axis that its order allows.
void force(CpuSchedule& s, const RowProgram& p, Order order, int k, int lanes, int64_t chunk, int64_t split) {
  const bool row = !p.row.empty();
  if (!row) order = Order::Pointwise;
  if (row && order == Order::Pointwise) order = Order::Rows;
  if (order == Order::Columns && outer_rank(p) == 0) order = Order::Rows;
  if (p.ordered) order = Order::Columns;
  int first = order == Order::Rows ? outer_rank(p) : 0, last = order == Order::Rows ? rank(p) : outer_rank(p);
  s.lane_axis = first + k % (last - first);
  s.lanes = lanes;
  chunk = std::min(round_up(chunk, lanes), round_up(extent(p, s.lane_axis), lanes));
  const bool whole = p.ordered || (p.scans() && p.accumulators.size() > 1);
  const int64_t parts = row && p.sweeps.size() == 1 && !whole ? std::min<int64_t>(split, p.row[0].value) : 1;
  const int64_t points = 1 + k % 3, prefetched = k % 2;
  const bool streaming = test::can_stream(p, s.lane_axis) && k % 2 == 0;
  cpu::Ends ends = cpu::WholeVectors{streaming};
  if (!streaming && split != 2) ends = cpu::Masks{.aligned = split == 1};
  if (order == Order::Pointwise)
    s.shape = cpu::Maps{chunk, points, ends};
  else if (order == Order::Rows && parts > 1)
    s.shape = cpu::SplitRows{parts, streaming, prefetched};
  else if (order == Order::Rows)
    s.shape = cpu::Rows{.points = points, .ends = ends, .prefetched = prefetched};
  else if (parts > 1)
    s.shape = cpu::SplitColumns{chunk, parts, split != 2};
  else
    s.shape = cpu::Columns{.chunk = chunk, .masked = split != 2};
}

struct Case {
  const char* name;
  const char* text;  // with_extents() fills in
  bool exact = false;
};

// {n} and {m}, and what is computed from them.
std::string with_extents(std::string text, int64_t n, int64_t m) {
  auto put = [&](const std::string& from, int64_t to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), std::to_string(to));
  };
  put("{n}", n), put("{m}", m), put("{l}", n + 3), put("{last}", n + 2), put("{m2}", m + 2),
      put("{m3}", m + 3);
  put("{nm}", n * m), put("{nn}", 2 * n + 2);
  return text;
}

const Case kCases[] = {
    {"Axpy", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %y = input "y" : f32[{m}, {n}]
  %a = scalar "a" : f32[{m}, {n}]
  %p = multiply %a, %x
  %q = add %p, %y
  return %q })"},
    {"RowVector", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %b = input "b" : f32[{n}]
  %c = input "c" : f64[{m}, 1]
  %p = add %x, %b
  %r = multiply %p, %c
  return %p, %r })"},
    {"Transposed", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %y = input "y" : f32[{n}, {m}]
  %t = permute %y, axes=[1, 0] : f32[{m}, {n}]
  %z = subtract %x, %t
  return %z })",
     true},
    {"Stencil", R"(graph {
  %x = input "x" : f32[{l}, {m}]
  %a = slice %x, starts=[0, 0] : f32[{n}, {m}]
  %b = slice %x, starts=[3, 0] : f32[{n}, {m}]
  %c = slice %x, starts=[{last}, 0], steps=[-1, 1] : f32[{n}, {m}]
  %e = add %a, %b
  %d = subtract %e, %c
  return %d })",
     true},
    {"PadsBothAxes", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %p = pad %x, 1.5, before=[1, 2], after=[2, 1] : f32[{m3}, {l}]
  %q = multiply %p, 2.0
  return %q })",
     true},
    {"Concat", R"(graph {
  %x = input "x" : i32[{m}, {n}]
  %y = input "y" : i32[{m}, 3]
  %z = concat %x, %y, %x, axis=1
  %s = multiply %z, %z
  return %s })",
     true},
    {"UpdateStrided", R"(graph {
  %x = input "x" : f32[{nn}]
  %v = input "v" : f32[{n}]
  %u = update %x, %v, starts=[1], steps=[2] : f32[{nn}]
  %w = multiply %u, 3.0
  return %w, %u })",
     true},
    {"UpdateRows", R"(graph {
  %x = input "x" : f64[{m}, {l}]
  %v = input "v" : f64[{m}, {n}]
  %u = update %x, %v, starts=[0, 2], steps=[1, 1] : f64[{m}, {l}]
  %b = greater %u, 0.0
  return %u, %b })",
     true},
    {"SplitAxis", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %y = input "y" : f32[{n}, {m}]
  %r = reshape %x : f32[{n}, {m}]
  %z = add %r, %y
  return %z })",
     true},
    {"ReshapeInPad", R"(graph {
  %x = input "x" : f32[{n}, {m}]
  %i = input "i" : f32[{nm}]
  %s = permute %x, axes=[1, 0] : f32[{m}, {n}]
  %f = reshape %s : f32[{nm}]
  %p = concat %f, %i, %f, axis=0
  %q = negative %p
  return %q })",
     true},
    {"Scans", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %a = cumulative_sum %x, axis=1
  %b = cumulative_max %a, axis=1
  %y = subtract %a, %b
  return %y, %a })"},
    {"ScanOfOne", R"(graph {
  %x = input "x" : i32[{m}, {n}]
  %y = multiply %x, 3
  %a = cumulative_sum %y, axis=1
  %z = add %a, %x
  return %z, %y })",
     true},
    {"ScanOfRatios", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %q = square %x
  %p = add %q, 1.0
  %s = sum %p, axes=[1]
  %t = reshape %s : f32[{m}, 1]
  %d = divide %p, %t
  %c = cumulative_sum %d, axis=1
  %m = max %c, axes=[1]
  return %c, %m })"},
    {"Gather", R"(graph {
  %t = input "t" : f32[{n}, {m}]
  %i = input "i" : i64[7, {m}]
  %g = gather %t, %i, axis=0 : f32[7, {m}]
  %h = multiply %g, 2.0
  return %h })",
     true},
    {"GatherInConcat", R"(graph {
  %t = input "t" : f32[{n}, {m}]
  %i = input "i" : i64[{n}, 1]
  %g = gather %t, %i, axis=0 : f32[{n}, {m}]
  %c = concat %g, %t, axis=0
  %p = pad %c, 0.0, before=[2, 1], after=[0, 3]
  return %p })",
     true},
    {"SumRows", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %q = square %x
  %s = sum %q, axes=[1]
  %t = sum %x, axes=[1]
  %u = divide %s, %t
  return %u, %t })"},
    {"SumColumns", R"(graph {
  %x = input "x" : f32[{n}, {m}]
  %s = sum %x, axes=[0]
  %l = max %x, axes=[0]
  return %s, %l })"},
    {"SumMiddle", R"(graph {
  %x = input "x" : f64[3, {n}, {m}]
  %s = sum %x, axes=[1]
  return %s })"},
    {"SumOuterAndInner", R"(graph {
  %x = input "x" : f32[{m}, 3, {n}]
  %s = sum %x, axes=[0, 2]
  %h = multiply %s, 0.5
  return %h })"},
    {"SumAll", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %b = input "b" : f32[{n}]
  %y = add %x, %b
  %s = sum %y
  return %s })"},
    {"MaxOfHalves", R"(graph {
  %x = input "x" : bf16[{m}, {n}]
  %y = input "y" : f16[{m}, {n}]
  %a = max %x, axes=[1]
  %b = min %y, axes=[0]
  return %a, %b })",
     true},
    {"ArgmaxOfExpression", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %a = abs %x
  %p = argmax %a, axes=[1]
  %q = argmin %a, axes=[0]
  return %p, %q })",
     true},
    {"ArgmaxOfTwoAxes", R"(graph {
  %x = input "x" : i16[3, {m}, {n}]
  %b = input "b" : i16[{n}]
  %y = maximum %x, %b
  %p = argmax %y, axes=[1, 2]
  return %p })",
     true},
    {"Softmax", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %a = max %x, axes=[1]
  %b = reshape %a : f32[{m}, 1]
  %c = subtract %x, %b
  %d = exp %c
  %e = sum %d, axes=[1]
  %f = reshape %e : f32[{m}, 1]
  %g = divide %d, %f
  return %g })"},
    {"SoftmaxOverTwoAxes", R"(graph {
  %x = input "x" : f32[{m}, 5, {n}]
  %y = input "y" : f32[5, 1]
  %z = exp %y
  %w = multiply %x, %z
  %a = max %w, axes=[1, 2]
  %b = reshape %a : f32[{m}, 1, 1]
  %c = subtract %w, %b
  %d = exp %c
  %e = multiply %d, %z
  %s = sum %e, axes=[1, 2]
  %t = reshape %s : f32[{m}, 1, 1]
  %g = divide %e, %t
  %h = add %g, %z
  return %h })"},
    {"ColumnSoftmax", R"(graph {
  %x = input "x" : f32[{n}, {m}]
  %a = max %x, axes=[0]
  %c = subtract %x, %a
  %d = exp %c
  %e = sum %d, axes=[0]
  %g = divide %d, %e
  return %g })"},
    {"RowsWithPads", R"(graph {
  %x = input "x" : f32[{m}, {n}]
  %p = pad %x, 0.5, before=[1, 2], after=[1, 1] : f32[{m2}, {l}]
  %s = sum %p, axes=[1]
  %t = reshape %s : f32[{m2}, 1]
  %y = subtract %p, %t
  return %y })"},
    {"Pairs", R"(graph {
  %x = input "x" : f32[{n}]
  %w = input "w" : f32[{n}]
  %i = reshape %x : f32[{n}, 1]
  %d = subtract %i, %x
  %e = square %d
  %f = add %e, 1.0
  %g = divide %d, %f
  %h = multiply %g, %w
  %s = sum %h, axes=[1]
  %t = sum %f, axes=[1]
  return %s, %t })"},
    {"BoolsAndBytes", R"(graph {
  %x = input "x" : u8[{m}, {n}]
  %y = input "y" : f64[{m}, {n}]
  %a = greater %x, 100
  %b = less %y, 0.0
  %c = logical_xor %a, %b
  %d = any %c, axes=[1]
  %e = all %c, axes=[0]
  return %c, %d, %e })",
     true},
    {"Complex", R"(graph {
  %x = input "x" : c64[{m}, {n}]
  %y = input "y" : c128[{n}]
  %a = multiply %x, %y
  %s = sum %a, axes=[1]
  %c = conj %a
  return %s, %c })"},
    {"ComplexEnds", R"(graph {
  %x = input "x" : c64[{m}, {n}]
  %z = input "z" : c128[{m}, {n}]
  %p = pad %x, 0.0, before=[0, 1], after=[0, 2]
  %s = sum %p, axes=[1]
  %q = multiply %p, %p
  %w = multiply %z, %z
  %t = sum %w, axes=[1]
  return %s, %q, %t, %w })"},
    {"IotaAndPosition", R"(graph {
  %i = iota axis=1 : i32[{m}, {n}]
  %j = iota axis=0 : i32[{m}, {n}]
  %k = multiply %i, %j
  %s = sum %k, axes=[0]
  %x = input "x" : i32[{m}, {n}]
  %t = add %x, %k
  return %s, %t })",
     true},
    {"ColumnsOfOneMatrix", R"(graph {
  %x = input "x" : f32[{m}, {n}, 13]
  %c0 = slice %x, starts=[0, 0, 0] : f32[{m}, {n}, 1]
  %c1 = slice %x, starts=[0, 0, 1] : f32[{m}, {n}, 1]
  %c2 = slice %x, starts=[0, 0, 2] : f32[{m}, {n}, 1]
  %c3 = slice %x, starts=[0, 0, 3] : f32[{m}, {n}, 1]
  %c4 = slice %x, starts=[0, 0, 4] : f32[{m}, {n}, 1]
  %c5 = slice %x, starts=[0, 0, 5] : f32[{m}, {n}, 1]
  %c6 = slice %x, starts=[0, 0, 6] : f32[{m}, {n}, 1]
  %c9 = slice %x, starts=[0, 0, 9] : f32[{m}, {n}, 1]
  %c10 = slice %x, starts=[0, 0, 10] : f32[{m}, {n}, 1]
  %c12 = slice %x, starts=[0, 0, 12] : f32[{m}, {n}, 1]
  %d0 = subtract %c12, %c0
  %d1 = multiply %d0, %c1
  %d2 = subtract %d1, %c2
  %d3 = multiply %d2, %c3
  %d4 = subtract %d3, %c4
  %d5 = multiply %d4, %c5
  %d6 = subtract %d5, %c6
  %d7 = multiply %d6, %c9
  %d8 = subtract %d7, %c10
  return %d8 })"},
    {"ColumnsReplaced", R"(graph {
  %x = input "x" : f32[{m}, {n}, 13]
  %z = input "z" : f32[{m}, {n}, 13]
  %c3 = slice %x, starts=[0, 0, 3] : f32[{m}, {n}, 1]
  %c4 = slice %x, starts=[0, 0, 4] : f32[{m}, {n}, 1]
  %old = slice %z, starts=[0, 0, 1] : f32[{m}, {n}, 1]
  %kept = slice %z, starts=[0, 0, 2] : f32[{m}, {n}, 1]
  %d0 = multiply %c3, %old
  %d1 = subtract %d0, %c4
  %d2 = multiply %d1, %kept
  %d3 = add %d2, %c3
  %d4 = subtract %d3, %d1
  %d5 = multiply %d4, %c4
  %r0 = assign %z, %d4, starts=[0, 0, 8], steps=[1, 1, 1]
  %r1 = assign %r0, %d0, starts=[0, 0, 4], steps=[1, 1, 1]
  %r2 = assign %r1, %d1, starts=[0, 0, 5], steps=[1, 1, 1]
  %r3 = assign %r2, %d2, starts=[0, 0, 6], steps=[1, 1, 1]
  %r4 = assign %r3, %d3, starts=[0, 0, 7], steps=[1, 1, 1]
  %r5 = assign %r4, %d5, starts=[0, 0, 10], steps=[1, 1, 1]
  return %r5 })"},
};

class Forcing : public testing::TestWithParam<Case> {};

TEST_P(Forcing, AnySchedule) {
  const Case& c = GetParam();
  const int64_t ms[] = {3, 1, 19};
  uint64_t seed = 0;
  for (int lanes : {4, 16, 64}) {
    const int64_t extents[] = {1, lanes - 1, lanes, lanes + 1, 3 * lanes + 5};
    for (Order order : {Order::Rows, Order::Columns})
      for (int k = 0; k < 2; ++k)
        for (int64_t n : extents) {
          int64_t m = ms[++seed % 3];
          std::string text = with_extents(c.text, n, m);
          ir::Graph graph = ir::parse(text);
          auto inputs = test::random_inputs(graph, seed, {-3, 3}, c.exact ? 0.05 : 0.0);
          auto want = interpret(graph, inputs);
          int64_t split = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 2 : 7;
          Forced forced;
          forced.change = [&](CpuSchedule& s, const RowProgram& p) {
            force(s, p, order, k, lanes, seed % 2 ? lanes : 3 * lanes, split);
          };
          forced.repeat_cost = k == 0 ? 0.0f : 6.0f;
          forced.placed = seed % 2 ? test::Placed::FirstOfPages : test::Placed::LastOfPages;
          auto got = run_kernels(graph, inputs, test::cpu(), forced);
          for (size_t i = 0; i < want.size(); ++i)
            ASSERT_EQ(test::difference(got[i], want[i], {1e-3, 1e-9, c.exact}), "")
                << "output " << i << ", lanes " << lanes << ", order " << static_cast<int>(order) << ", axis "
                << k << ", split " << split << "\n"
                << text;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(EmitCpu, Forcing, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// Where NaN and zeros of either sign lie in a row does not matter.
TEST(Extremes, AreThoseOfTheNumbersOrNaN) {
  for (DType dtype : {DType::F16, DType::F32, DType::F64})
    for (int64_t n : {5, 16, 49, 400, 9000})
      for (bool masked : {true, false}) {
        if (masked && n > 8192) continue;
        const int64_t rows = std::min<int64_t>(2 * n, 40);
        const std::string type = fmt::format("{}[{}, {}]", name(dtype), rows, n);
        const ir::Graph graph = ir::parse(fmt::format(R"(graph {{
  %x = input "x" : {0}
  %a = max %x, axes=[1]
  %b = min %x, axes=[1]
  return %a, %b }})",
                                                      type));
        // A NaN that goes through the row; zeros of both signs, of which one is elsewhere in each row.
        auto inputs = test::random_inputs(graph, 1);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t k = 0; k < n; ++k) {
            const int64_t at = r / 2 * (n / (rows / 2));
            const double value = r % 2 ? (k == at ? -0.0 : 0.0) : k == at ? NAN : -0.0;
            Scalar{dtype, 0, r % 8 == 7 && k != at ? -1.0 - static_cast<double>(k % 5) : value, 0}.store(
                inputs[0].data.data() + static_cast<size_t>(r * n + k) * size_of(dtype));
          }
        Forced forced;
        forced.change = [&](CpuSchedule& s, const RowProgram& p) {
          cpu::Ends ends = cpu::WholeVectors{};
          if (masked) ends = cpu::Masks{};
          s.shape = cpu::Rows{.points = 2, .ends = ends};
          s.lane_axis = outer_rank(p), s.lanes = dtype == DType::F64 ? 8 : 32;
        };
        const auto want = interpret(graph, inputs), got = run_kernels(graph, inputs, test::cpu(), forced);
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(test::difference(got[i], want[i], {0, 0, true}), "") << type << ", output " << i;
      }
}

// Parts of columns that several tasks finish, each some of them.
TEST(SplitColumns, AreFinishedInChunks) {
  for (const char* reduction : {"sum", "max", "argmin"})
    for (int64_t columns : {512, 1100, 2500}) {
      const std::string text = fmt::format(R"(graph {{
  %x = input "x" : f32[2, 300, {0}]
  %s = {1} %x, axes=[1]
  %r = add %s, %s
  return %r, %s }})",
                                           columns, reduction);
      const ir::Graph graph = ir::parse(text);
      const auto inputs = test::random_inputs(graph, 7, {0.25, 3}, 0.0);
      const auto want = interpret(graph, inputs);
      for (int lanes : {8, 64}) {
        Forced forced;
        forced.change = [&](CpuSchedule& s, const RowProgram&) {
          ASSERT_EQ(division_of(s).order, Order::Columns);
          s.lanes = lanes, s.shape = cpu::SplitColumns{round_up(columns, lanes), 5, false};
        };
        const auto got = run_kernels(graph, inputs, test::cpu(), forced);
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(test::difference(got[i], want[i], {1e-5, 1e-11, reduction[0] != 's'}), "")
              << "output " << i << ", " << lanes << " lanes\n"
              << text;
      }
    }
}

// What is computed from the position in the row alone is no array of the columns: every sweep computes it.
TEST(Columns, ShareWhatIsTheSameInAllLanes) {
  for (const char* reduction : {"max", "sum"})
    for (int64_t columns : {1, 31, 64, 1000}) {
      const std::string text = fmt::format(R"(graph {{
  %i = iota axis=0 : f32[9, {0}]
  %u = erf %i
  %s = {1} %u, axes=[0]
  %k = reshape %s : f32[1, {0}]
  %b = broadcast %k : f32[9, {0}]
  %r = subtract %u, %b
  return %r }})",
                                           columns, reduction);
      const ir::Graph graph = ir::parse(text);
      const auto got = test::run_kernels(graph, {}, test::cpu());
      EXPECT_EQ(test::difference(got[0], interpret(graph, {})[0], {1e-5, 1e-11, false}), "") << text;
    }
}

// Squares of transposed loads, as large as the shorter of their axes allows, wherever tasks and chunks cut
// them.
TEST(TransposedLoads, AnySquare) {
  const std::string text = R"(graph {
  %x = input "x" : {T}[3, {n}, {m}]
  %y = input "y" : {T}[{m}, 3, {n}]
  %z = input "z" : {T}[3, {m}, {n}]
  %f = slice %x, starts=[0, {last}, 0], steps=[1, -1, 1] : {T}[3, {n}, {m}]
  %a = permute %x, axes=[0, 2, 1] : {T}[3, {m}, {n}]
  %b = permute %f, axes=[0, 2, 1] : {T}[3, {m}, {n}]
  %c = permute %y, axes=[1, 0, 2] : {T}[3, {m}, {n}]
  %d = maximum %a, %b
  %e = minimum %d, %c
  %r = add %e, %z
  return %r })";
  uint64_t seed = 0;
  for (const char* dtype : {"u8", "f16", "f32", "f64", "c64", "c128"})
    for (auto [n, m] : {std::pair<int64_t, int64_t>{4, 5}, {37, 16}, {50, 33}, {16, 70}}) {
      std::string lines = text;
      auto put = [&](const std::string& from, const std::string& to) {
        for (size_t at; (at = lines.find(from)) != std::string::npos;) lines.replace(at, from.size(), to);
      };
      put("{T}", dtype), put("{n}", std::to_string(n)), put("{m}", std::to_string(m));
      put("{last}", std::to_string(n - 1));
      if (dtype[0] == 'c') put("maximum", "add"), put("minimum", "subtract");
      ir::Graph graph = ir::parse(lines);
      auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, 0.0);
      auto want = interpret(graph, inputs);
      for (int tile = 4; tile <= std::min<int64_t>({n, m, 16}); tile *= 2)
        for (int lane_axis : {1, 2}) {
          Forced forced;
          int turned = 0;
          forced.change = [&](CpuSchedule& s, const RowProgram& p) {
            s.lane_axis = lane_axis;
            s.lanes = 16;
            s.shape = cpu::Tiles{.axis = 3 - lane_axis,
                                 .side = tile,
                                 .chunk = seed % 2 ? 16 : 48,
                                 .points = 1 + static_cast<int64_t>(seed * 7 % 40)};
            for_each_stmt(p, [&](const plan::Stmt& stmt) {
              auto* load = std::get_if<plan::Load>(&stmt);
              turned += load && is_transposed(*load, 3 - lane_axis, lane_axis);
            });
          };
          auto got = run_kernels(graph, inputs, test::cpu(), forced);
          ASSERT_EQ(turned, 2) << lines;
          ASSERT_EQ(test::difference(got[0], want[0], {0, 0, true}), "")
              << "tile " << tile << ", lanes along " << lane_axis << "\n"
              << lines;
        }
    }
}

// Processors without AVX-512: other vectors, no masks of the hardware's; and those without AVX, which multiply and add
// by calls.
class OlderProcessors : public testing::TestWithParam<const char*> {};

TEST_P(OlderProcessors, ComputeTheSame) {
#if !__x86_64__
  GTEST_SKIP() << "these are processors of x86-64";
#endif
  if (GetParam() == std::string_view("x86-64-v3") && !runtime::has_avx2())
    GTEST_SKIP() << "this processor has no AVX2";
  uint64_t seed = 0;
  for (auto& c : kCases)
    for (auto [n, m] : {std::pair<int64_t, int64_t>{150, 19}, {7, 200}}) {
      ir::Graph graph = ir::parse(with_extents(c.text, n, m));
      auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, c.exact ? 0.05 : 0.0);
      auto want = interpret(graph, inputs);
      Forced forced;
      forced.processor = GetParam();
      forced.placed = seed % 2 ? test::Placed::FirstOfPages : test::Placed::LastOfPages;
      auto got = run_kernels(graph, inputs, test::cpu(), forced);
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(test::difference(got[i], want[i], {1e-3, 1e-9, c.exact}), "") << c.name << ", output " << i;
    }
}
INSTANTIATE_TEST_SUITE_P(Emit, OlderProcessors, testing::Values("x86-64-v2", "x86-64-v3"));

// Schedules that a search asks for.
TEST(Biased, AnyDirection) {
  uint64_t seed = 0;
  for (auto& c : kCases) {
    ir::Graph graph = ir::parse(with_extents(c.text, 150, 19));
    auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, c.exact ? 0.05 : 0.0);
    auto want = interpret(graph, inputs);
    for (const Bias& bias :
         {Bias{.width = -2}, Bias{.width = 2}, Bias{.work = 3}, Bias{.width = 1, .work = -3}}) {
      Forced forced;
      forced.bias = bias;
      auto got = run_kernels(graph, inputs, test::cpu(), forced);
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(test::difference(got[i], want[i], {1e-3, 1e-9, c.exact}), "")
            << c.name << ", output " << i << ", " << to_string(bias);
    }
  }
}

// Totals across rows beside reductions along them, whatever the lanes and the rows of a task.
TEST(TotalsAcross, AnySchedule) {
  struct {
    std::string text;
    bool exact;
  } cases[] = {
      {test::layer_norm_gradients("f32", 517, 67), false},
      {test::layer_norm_gradients("f64", 700, 64), false},
      {test::row_and_column_reductions("sum", "sum", "f16", 513, 33), false},
      {test::row_and_column_reductions("max", "min", "f32", 600, 41), true},
      {test::row_and_column_reductions("sum", "prod", "i64", 530, 23), true},
      {test::row_and_column_reductions("any", "all", "bool", 512, 30), true},
      {test::row_and_column_reductions("sum", "sum", "c64", 520, 25), false},
  };
  uint64_t seed = 0;
  for (auto& c : cases) {
    ir::Graph graph = ir::parse(c.text);
    auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, c.exact ? 0.05 : 0.0);
    auto want = interpret(graph, inputs);
    for (int lanes : {4, 16, 64})
      for (int64_t rows : {1, 40, 64, 1000}) {
        Forced forced;
        bool across = false;
        forced.change = [&](CpuSchedule& s, const RowProgram& p) {
          across = p.reduces_points();
          s.lanes = lanes;
          s.lane_axis = outer_rank(p) + (lanes == 16 ? 0 : static_cast<int>(p.row.size()) - 1);
          cpu::Ends ends = cpu::WholeVectors{};
          if (division_of(s).masked()) ends = cpu::Masks{};
          s.shape = cpu::Totals{.points = rows, .ends = ends};
        };
        auto got = run_kernels(graph, inputs, test::cpu(), forced);
        ASSERT_TRUE(across) << c.text;
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(test::difference(got[i], want[i], {2e-3, 1e-9, c.exact}), "")
              << "output " << i << ", lanes " << lanes << ", rows " << rows << "\n"
              << c.text;
      }
  }
}

// A kernel takes in reductions of another result of what it reads: not those of other sections, or across.
TEST(SectionsOfRows, BesideOtherTotalsOfWhatOneKernelGave) {
  struct {
    std::string shape, rows, of_first, of_second;
    size_t kernels;
  } cases[] = {
      {"700, 2, 100", "0", "0", "0", 2},          {"4, 4, 4, 64", "1, 2, 3", "2, 3", "2, 3", 2},
      {"4, 4, 4, 64", "1, 2, 3", "2, 3", "3", 3}, {"80, 3, 64", "1, 2", "2", "0", 3},
      {"80, 3, 64", "1, 2", "0", "0", 2},         {"80, 3, 64", "1, 2", "1, 2", "2", 2},
      {"70, 5, 64", "0, 1, 2", "1, 2", "2", 3},
  };
  for (auto& c : cases)
    for (bool second_first : {false, true}) {
      const ir::Graph graph =
          ir::parse(test::two_results_reduced(c.shape, c.rows, c.of_first, c.of_second, second_first));
      EXPECT_EQ(fusion::fuse(graph, test::cpu(), {}).steps.size(), c.kernels) << ir::print(graph);
      auto inputs = test::random_inputs(graph, 1, {-3, 3}, 0.0);
      auto want = interpret(graph, inputs);
      auto got = run_kernels(graph, inputs, test::cpu(), Forced{});
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(test::difference(got[i], want[i], {1e-4, 1e-3, false}), "") << "output " << i << "\n"
                                                                              << ir::print(graph);
    }
}

// Sections of rows beside the rows, whatever the lanes and the rows of a task.
TEST(SectionsOfRows, AnySchedule) {
  struct {
    std::string text;
    bool exact;
  } cases[] = {
      {test::group_norm_gradients("f32", 5, 3, 4, 67), false},
      {test::group_norm_gradients("f64", 7, 2, 3, 64), false},
      {test::group_norm_gradients("bf16", 3, 2, 2, 300), false},
      {test::row_and_section_reductions("sum", "sum", "f16", 13, 3, 133), false},
      {test::row_and_section_reductions("max", "min", "f32", 16, 5, 91), true},
      {test::row_and_section_reductions("sum", "prod", "i64", 30, 4, 64), true},
      {test::row_and_section_reductions("any", "all", "bool", 12, 6, 130), true},
      {test::row_and_section_reductions("sum", "sum", "c64", 20, 3, 65), false},
  };
  uint64_t seed = 0;
  for (auto& c : cases) {
    const ir::Graph graph = ir::parse(c.text);
    auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, c.exact ? 0.05 : 0.0);
    auto want = interpret(graph, inputs);
    for (int lanes : {4, 16, 64})
      for (int64_t rows : {1, 2, 100})
        for (bool masked : {false, true}) {
          Forced forced;
          bool sections = false;
          forced.change = [&](CpuSchedule& s, const RowProgram& p) {
            sections = p.section_axes > 0;
            s.lanes = lanes;
            cpu::Ends ends = cpu::WholeVectors{};
            if (masked) ends = cpu::Masks{};
            s.shape = cpu::Sections{.points = rows, .ends = ends};
          };
          auto got = run_kernels(graph, inputs, test::cpu(), forced);
          ASSERT_TRUE(sections) << c.text;
          for (size_t i = 0; i < want.size(); ++i)
            ASSERT_EQ(test::difference(got[i], want[i], {2e-2, 1e-3, c.exact}), "")
                << "output " << i << ", lanes " << lanes << ", rows " << rows << "\n"
                << c.text;
        }
  }
}

}  // namespace
}  // namespace weft
