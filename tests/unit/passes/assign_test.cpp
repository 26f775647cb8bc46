// Updates written in place: the same values, no memory of their own, and only where nobody needs the old
// ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/assign.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

int assigns(const std::string& text) {
  Options options;
  options.donated = {0};
  ir::Graph graph = passes::assign_in_place(ir::parse(text), Target{}, options);
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

// A slice of what the memory held before that the second update alone may replace: the ways from it meet
// before that update, or one of them goes past it.
std::string two_updates(const std::string& ways, const std::string& returned) {
  return R"(graph {
    %a = input "a" : f32[20]
    %v = input "v" : f32[10]
    %s = slice %a, starts=[0] : f32[10]
    %u = update %a, %v, starts=[10]
)" + ways +
         "    %x = update %u, %w, starts=[0]\n    return " + returned + "\n}";
}

TEST(AssignRule, FollowsTheWaysFromASliceToWhereTheyMeet) {
  const std::string meeting = R"(
    %n = negative %s
    %e = exp %s
    %m = multiply %n, %e
    %p = add %n, %v
    %q = add %p, %m
    %w = add %q, %e
)";
  EXPECT_EQ(assigns(two_updates(meeting, "%x")), 2);
  EXPECT_LT(assigns(two_updates(meeting, "%x, %e")), 2) << "an output";
  EXPECT_LT(assigns(two_updates(meeting, "%x, %s")), 2) << "the slice itself is an output";
  EXPECT_LT(assigns(two_updates(meeting + "    %z = sqrt %m\n", "%x, %z")), 2) << "computed for another";
}

TEST(AssignRule, TakesALongChainWhoseRowsReadTheRowsBefore) {
  std::string text = "graph {\n  %t0 = input \"a\" : f32[1200, 4]\n";
  for (int row = 1; row < 1200; ++row) {
    text += fmt::format(R"(
  %s{0} = slice %t{1}, starts=[{1}, 0] : f32[1, 4]
  %w{0} = add %s{0}, 1.0
  %t{0} = update %t{1}, %w{0}, starts=[{0}, 0]
)",
                        row, row - 1);
  }
  EXPECT_EQ(assigns(text + "  return %t1199\n}"), 1199);
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

TEST_P(Assign, WritesThroughAnotherShapeOfADonatedInput) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f32[12, 10]
    %v = input "v" : f32[12]
    %r = reshape %a : f32[120]
    %s = slice %r, starts=[3], steps=[9] : f32[12]
    %t = add %s, %v
    %u = update %r, %t, starts=[3], steps=[9]
    %b = reshape %u : f32[12, 10]
    %c = slice %b, starts=[2, 0] : f32[3, 10]
    %d = negative %c
    %w = update %b, %d, starts=[2, 0]
    %x = reshape %w : f32[4, 30]
    return %x
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

// Elements that no update replaces may be read at any time and at other positions.
TEST_P(Assign, MaySpareWhatOthersRead) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f32[100, 33, 3]
    %n = slice %a, starts=[2, 1, 0] : f32[98, 31, 1]
    %s = slice %a, starts=[0, 1, 0] : f32[98, 31, 1]
    %d = subtract %n, %s
    %u = update %a, %d, starts=[1, 1, 1]
    %o = slice %u, starts=[1, 1, 1] : f32[50, 31, 1]
    %p = multiply %o, %o
    %w = update %u, %p, starts=[1, 1, 1]
    %m = slice %a, starts=[0, 0, 2], steps=[1, 1, -2] : f32[100, 33, 1]
    return %w, %m, %d
  })");
}

// One kernel on the CPU: each writes elements of its own, also those that it adds to.
TEST_P(Assign, WritesInterleavedParts) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f64[21, 25, 4]
    %x = input "x" : f64[20, 25, 1]
    %e = exp %x
    %u = update %a, %e, starts=[1, 0, 2]
    %s = tanh %x
    %v = update %u, %s, starts=[1, 0, 0]
    %o = slice %v, starts=[0, 0, 3] : f64[20, 25, 1]
    %p = multiply %o, %x
    %w = update %v, %p, starts=[0, 0, 3]
    %q = subtract %e, %s
    %z = update %w, %q, starts=[1, 0, 1]
    return %z
  })");
}

TEST_P(Assign, TakesItsOwnElementsFromAnEarlierValue) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f32[100, 33]
    %v = input "v" : f32[100, 3]
    %u = update %a, %v, starts=[0, 0]
    %s = slice %a, starts=[0, 5] : f32[100, 9]
    %t = sin %s
    %w = update %u, %t, starts=[0, 5]
    return %w
  })");
}

// A small part that is wanted after it has been replaced too is copied before.
TEST_P(Assign, KeepsASmallPartThatIsReadBeforeAndAfter) {
  check_in_place(backend(GetParam()), R"(graph {
    %a = input "a" : f32[100, 33]
    %s = slice %a, starts=[0, 32] : f32[100, 1]
    %l = less %s, 0.0
    %m = maximum %s, 0.0
    %u = update %a, %m, starts=[0, 32]
    %t = multiply %s, 2.0
    %f = select %l, %t, 0.0
    return %u, %f
  })");
}

TEST_P(Assign, ReplacesBordersOfALargeComputedValueInPlace) {
  const ir::Graph graph = ir::parse(R"(graph {
    %a = input "a" : f32[300, 300]
    %u0 = square %a
    %r = slice %u0, starts=[1, 0] : f32[1, 300]
    %u1 = update %u0, %r, starts=[0, 0]
    %c = slice %u1, starts=[0, 298] : f32[300, 1]
    %u2 = update %u1, %c, starts=[0, 299]
    %z = constant 0.0 : f32[300, 1]
    %u3 = update %u2, %z, starts=[0, 0]
    %s = sqrt %u3
    return %u3, %s
  })");
  Backend& b = backend(GetParam());
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 2);
  std::vector<ir::HostTensor> want = interpret(graph, inputs), got = run_on(b, graph, inputs);
  for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(difference(got[k], want[k], {}), "") << "output " << k;
  int count = 0;
  const ir::Graph after = passes::assign_in_place(graph, b.target, {});
  for (const ir::Node* n : topological_order(after.outputs)) count += n->op == ir::Op::assign;
  EXPECT_EQ(count, 3);
}

// A stencil and its borders, again and again, and another array that reads each result: one large kernel a
// turn, and one for each border.
TEST_P(Assign, TurnsOfAStencilWithBordersTakeTheSameFewKernels) {
  Backend& b = backend(GetParam());
  constexpr int64_t kSide = 70, kTurns = 5;
  auto in = [](const char* name) { return ir::input({DType::F64, {kSide, kSide}}, {nullptr, name, {}, 0}); };
  auto part = [](const ir::NodeRef& of, int64_t row, int64_t column, int64_t rows, int64_t columns) {
    return ir::slice(of, {row, column}, {rows, columns}, {1, 1});
  };
  auto put = [](const ir::NodeRef& to, const ir::NodeRef& v, int64_t row, int64_t column) {
    return ir::update(to, v, {row, column}, {1, 1});
  };
  auto binary = [](ir::Op op, const ir::NodeRef& x, const ir::NodeRef& y) { return ir::map(op, {x, y}); };
  constexpr int64_t kInner = kSide - 2;
  const ir::NodeRef p0 = in("p"), u0 = in("u");
  ir::NodeRef p = p0, u = u0;
  for (int64_t k = 0; k < kTurns; ++k) {
    const ir::NodeRef across =
        binary(ir::Op::add, part(p, 1, 2, kInner, kInner), part(p, 1, 0, kInner, kInner));
    const ir::NodeRef down =
        binary(ir::Op::add, part(p, 2, 1, kInner, kInner), part(p, 0, 1, kInner, kInner));
    p = put(p, ir::map(ir::Op::tanh, {binary(ir::Op::add, across, down)}), 1, 1);
    p = put(p, part(p, 0, kSide - 2, kSide, 1), 0, kSide - 1);
    p = put(p, part(p, 1, 0, 1, kSide), 0, 0);
    p = put(p, part(p, 0, 1, kSide, 1), 0, 0);
    u = put(u, binary(ir::Op::subtract, part(u, 1, 1, kInner, kInner), part(p, 1, 2, kInner, kInner)), 1, 1);
    u = put(u, ir::constant({DType::F64, {1, kSide}}, Scalar::of(1.0)), 0, 0);
  }
  const ir::Graph graph{{p0, u0}, {p, u}};
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 6, {-1, 1}, 0.0);
  std::vector<ir::HostTensor> want = interpret(graph, inputs), got = run_on(b, graph, inputs);
  for (size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(difference(got[k], want[k], {1e-9, 1e-9}), "") << "output " << k;
  if (b.target.kind == TargetKind::Cpu) {
    const Program program = compile(graph, b.target);
    EXPECT_LE(program.steps.size(), static_cast<size_t>(6 * kTurns + 1));
    EXPECT_LE(program.kernels.size(), 9u);
  }
}

// A choice costs a test an element, and spares that the value is stored, and read again.
TEST(AssignRule, LeavesAChoiceToTheKernelOfWhatReadsIt) {
  const auto of = [](const std::string& part, const std::string& rest) {
    return assigns(
        "graph {\n%g = input : f32[4]\n%x = input : f32[100, 90]\n%y = square %x\n%v = input : f32[" + part +
        "]\n" + rest + "\n}");
  };
  const std::string row = "%u = update %y, %v, starts=[3, 0]\n",
                    column = "%u = update %y, %v, starts=[0, 3]\n";
  EXPECT_EQ(of("1, 90", row + "return %u"), 1) << "nobody reads it";
  EXPECT_EQ(of("1, 90", row + "%s = sqrt %u\nreturn %s"), 0);
  EXPECT_EQ(of("1, 90", row + "%s = sqrt %u\nreturn %s, %u"), 0) << "stored by the kernel that goes on";
  EXPECT_EQ(of("1, 90", row + "%k = reshape %u : f32[9000]\n%s = sum %k, axes=[0]\nreturn %s"), 0);
  EXPECT_EQ(of("100, 1", column + "%s = sqrt %u\nreturn %s"), 0);
  EXPECT_EQ(of("100, 1", column + "%s = sqrt %u\n%t = exp %u\nreturn %s, %t"), 1)
      << "two readers test each element of the lanes";
  EXPECT_EQ(of("100, 1", column + "%w = update %u, %v, starts=[0, 5]\n%s = sqrt %w\nreturn %s"), 2)
      << "two tests of each element of the lanes";
  const std::string two =
      "%a = slice %u, starts=[0, 0] : f32[98, 90]\n%b = slice %u, starts=[2, 0] : f32[98, 90]\n%c = add %a, "
      "%b\n";
  EXPECT_EQ(of("1, 90", row + two + "return %c"), 0);
  std::string five = row + two;
  for (const char* k : {"0", "1", "2", "3", "4", "5", "6"})
    five += "%d" + std::string(k) + " = slice %u, starts=[1, " + k + "] : f32[98, 80]\n%e" + k +
            " = sqrt %d" + k + "\n";
  EXPECT_EQ(of("1, 90", five + "return %c, %e0, %e1, %e2, %e3, %e4, %e5, %e6"), 1) << "nine tests an element";
  EXPECT_EQ(of("1, 90", row + "%t0 = input : f32[90, 5]\n%m = dot %u, %t0\nreturn %m"), 1)
      << "a library reads it";
  EXPECT_EQ(of("25, 90", "%u = update %y, %v, starts=[3, 0], steps=[2, 1]\n%s = sqrt %u\nreturn %s"), 1)
      << "every second row";
  EXPECT_EQ(of("1, 90", "%w = sin %v\n%u = update %y, %w, starts=[3, 0]\n%s = sqrt %u\nreturn %s"), 1)
      << "a sine for each element";
}

// A choice would compute what is written for all other elements of the rows, too.
TEST(AssignRule, WritesColumnsThatTakeLongInPlace) {
  const auto of = [](const std::string& value, const std::string& range, const std::string& base, int rows) {
    const std::string all = std::to_string(rows), others = std::to_string(rows - 1);
    return assigns("graph {\n%g = input : f64[4]\n%x = input : f64[" + all +
                   ", 60]\n%y = sqrt %x\n%v = input : f64[" + range + "]\n%w = " + value +
                   " %v\n%u = update " + base + ", %w, starts=[0, 3]\n%r = input : f64[1, 60]\n" +
                   "%z = update %u, %r, starts=[" + others + ", 0]\nreturn %z\n}");
  };
  EXPECT_EQ(of("sin", "90, 1", "%y", 90), 2) << "and what follows is written to the same memory";
  EXPECT_EQ(of("sin", "90, 1", "%x", 90), 2) << "a copy of an input";
  EXPECT_EQ(of("negative", "60, 1", "%x", 60), 0) << "computed in no time";
  EXPECT_EQ(of("sin", "8, 1", "%x", 8), 0) << "few elements";
  EXPECT_EQ(of("sin", "60, 40", "%x", 60), 0) << "most of the elements";
  EXPECT_EQ(of("sin", "1, 30", "%x", 60), 0) << "of other rows a kernel computes nothing";
}

TEST_P(Assign, WritesTheBordersOfAStencilInPlace) {
  Backend& b = backend(GetParam());
  const std::string text = R"(graph {
    %p = input : f64[61, 61]
    %e = slice %p, starts=[1, 2] : f64[59, 59]
    %w = slice %p, starts=[1, 0] : f64[59, 59]
    %a = add %e, %w
    %i = tanh %a
    %q = update %p, %i, starts=[1, 1]
    %l = slice %p, starts=[1, 59] : f64[59, 1]
    %f = slice %p, starts=[1, 0] : f64[59, 1]
    %d = subtract %l, %f
    %s = sin %d
    %t = exp %s
    %r = update %q, %t, starts=[1, 60]
    %k = cos %d
    %h = exp %k
    %m = update %r, %h, starts=[1, 0]
    %n = slice %m, starts=[1, 0] : f64[1, 61]
    %o = update %m, %n, starts=[0, 0]
    return %o
  })";
  const ir::Graph graph = ir::parse(text);
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 3);
  const std::vector<ir::HostTensor> want = interpret(graph, inputs), got = run_on(b, graph, inputs);
  EXPECT_EQ(difference(got[0], want[0], {1e-12, 1e-12}), "");
  if (b.target.kind == TargetKind::Cpu) {
    EXPECT_LE(compile(graph, b.target).steps.size(), 3u);
  }
}

TEST(AssignRule, LeavesAnOldValueThatIsReadElsewhere) {
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[8]
    %v = input "v" : f32[2]
    %s = slice %a, starts=[3] : f32[2]
    %n = negative %s
    %u = update %a, %v, starts=[0]
    %w = update %u, %v, starts=[4]
    return %w, %n
  })"),
            1)
      << "spared by the first update, not by the second";
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

TEST(AssignRule, KnowsAMemoryByAllItsShapes) {
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[2, 4]
    %v = input "v" : f32[2]
    %r = reshape %a : f32[8]
    %u = update %r, %v, starts=[0]
    %s = slice %a, starts=[0, 0] : f32[1, 1]
    %b = broadcast %s : f32[2, 4]
    return %u, %b
  })"),
            0)
      << "read in its first shape";
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[2, 4]
    %r = reshape %a : f32[8]
    %s = slice %a, starts=[0, 1] : f32[1, 3]
    %t = reshape %s : f32[3]
    %n = negative %t
    %u = update %r, %n, starts=[2]
    return %u
  })"),
            0)
      << "shifted against what is replaced";
  EXPECT_EQ(assigns(R"(graph {
    %a = input "a" : f32[2, 4]
    %v = input "v" : f32[2]
    %r = reshape %a : f32[8]
    %u = update %r, %v, starts=[1]
    return %u, %r
  })"),
            0)
      << "the shape is an output";
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

// What an update writes is read from the array as it was at any time before, at its own or other positions,
// or is what an earlier one wrote. Those of odd seeds are in part of the array in another shape.
ir::Graph random_chain(uint64_t seed, int updates) {
  std::mt19937_64 draws(seed);
  auto draw = [&](int64_t below) { return static_cast<int64_t>(draws() % static_cast<uint64_t>(below)); };
  constexpr int64_t kExtent = 60;
  const ir::NodeRef a = ir::input({DType::F32, {kExtent}}, {nullptr, "a", {}, 0});
  const bool of_input = draw(2) == 0;
  std::vector<ir::NodeRef> values{of_input ? a : ir::map(ir::Op::negative, {a})}, written;
  for (int k = 0; k < updates; ++k) {
    if (seed % 2 == 1 && draw(5) == 0) {
      const auto in_rows = [](const ir::NodeRef& x) { return ir::reshape(x, {6, 10}); };
      const Dims to{draw(5), draw(8)}, extents{2, 1 + draw(2)};
      const Dims from = draw(2) ? to : Dims{draw(5), draw(8)};
      const ir::NodeRef value =
          ir::slice(in_rows(values[values.size() - 1 - static_cast<size_t>(draw(2)) % values.size()]), from,
                    extents, {1, 1});
      values.push_back(ir::reshape(
          ir::update(in_rows(values.back()), ir::map(ir::Op::negative, {value}), to, {1, 1}), {kExtent}));
      continue;
    }
    const int64_t extent = 1 + draw(4), to = draw(kExtent - extent),
                  step = 1 + draw((kExtent - 1 - to) / extent);
    const int64_t from = draw(3) ? to : draw(kExtent - extent * step);
    const size_t age = std::min<size_t>(values.size(), 1 + static_cast<size_t>(draw(draw(3) ? 1 : 5)));
    ir::NodeRef value = ir::slice(values[values.size() - age], {from}, {extent}, {step});
    if (!written.empty() && draw(3) == 0) {
      const ir::NodeRef& earlier = written[static_cast<size_t>(draw(static_cast<int64_t>(written.size())))];
      value = ir::map(ir::Op::add, {value, ir::broadcast(ir::slice(earlier, {0}, {1}, {1}), {extent})});
    }
    if (draw(2)) value = ir::map(ir::Op::square, {value});
    if (draw(4) == 0) value = ir::slice(value, {extent - 1}, {extent}, {-1});
    written.push_back(value);
    values.push_back(ir::update(values.back(), value, {to}, {step}));
  }
  ir::Graph graph{{a}, {values.back()}};
  if (draw(2)) graph.outputs.push_back(values[values.size() / 2]);
  if (draw(2)) graph.outputs.push_back(written[written.size() / 2]);
  return graph;
}

ir::Graph simplified(const ir::Graph& graph) { return passes::share(passes::simplify(graph, {}), {}); }

TEST(AssignRule, ChainsThatReadThemselvesAreMostlyAssigned) {
  int updates = 0, assigned = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const ir::Graph graph = random_chain(seed, 30),
                    after = passes::assign_in_place(simplified(graph), Target{}, {});
    verify(after, "assign");
    const std::vector<ir::HostTensor> inputs = random_inputs(graph, seed);
    const std::vector<ir::HostTensor> want = interpret(graph, inputs), got = interpret(after, inputs);
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_EQ(difference(got[k], want[k], {}), "") << "seed " << seed << ", output " << k;
    for (const ir::Node* n : topological_order(after.outputs)) {
      if (seed % 2 == 1) continue;
      assigned += n->op == ir::Op::assign;
      updates += n->op == ir::Op::assign || n->op == ir::Op::update;
    }
  }
  EXPECT_GT(assigned, updates / 2);
}

TEST_P(Assign, ChainsThatReadThemselvesGiveTheSame) {
  Backend& b = backend(GetParam());
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const ir::Graph graph = random_chain(seed, 30);
    const std::vector<ir::HostTensor> inputs = random_inputs(graph, seed);
    const std::vector<ir::HostTensor> want = interpret(graph, inputs), got = run_on(b, graph, inputs);
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_EQ(difference(got[k], want[k], {1e-5, 1e-5}), "") << "seed " << seed << ", output " << k;
  }
}

// A step that reads the one before at other positions: two kernels, whatever their number.
TEST_P(Assign, ALoopOfSmallStepsTakesFewKernels) {
  ir::NodeRef u = ir::map(ir::Op::negative, {ir::input({DType::F32, {1000}}, {nullptr, "a", {}, 0})});
  const ir::NodeRef a = u->inputs[0];
  for (int64_t k = 0; k < 200; ++k) {
    const int64_t to = 1 + k * 37 % 990;
    u = ir::update(u, ir::map(ir::Op::sin, {ir::slice(u, {to - 1}, {3}, {1})}), {to}, {1});
  }
  EXPECT_LE(compile({{a}, {u}}, backend(GetParam()).target).kernels.size(), 12u);
}

// Planes of two arrays, each computed from those before: the same kernels again, none of which computes all
// that came before.
TEST_P(Assign, ARecurrenceOverPlanesTakesFewKernels) {
  Backend& b = backend(GetParam());
  constexpr int64_t kPlanes = 24, kRows = 20, kColumns = 30;
  const ir::NodeRef x = ir::input({DType::F64, {kRows, kColumns, kPlanes}}, {nullptr, "x", {}, 0});
  auto plane = [&](const ir::NodeRef& of, int64_t k) {
    return ir::reshape(ir::slice(of, {0, 0, k}, {kRows, kColumns, 1}, {1, 1, 1}), {kRows, kColumns});
  };
  auto put = [&](const ir::NodeRef& to, const ir::NodeRef& v, int64_t k) {
    return ir::update(to, ir::reshape(v, {kRows, kColumns, 1}), {0, 0, k}, {1, 1, 1});
  };
  ir::NodeRef c = ir::map(ir::Op::negative, {x}), d = ir::map(ir::Op::square, {x});
  for (int64_t k = 1; k < kPlanes; ++k) {
    const ir::NodeRef next = ir::map(
        ir::Op::divide, {plane(x, k), ir::map(ir::Op::exp, {ir::map(ir::Op::abs, {plane(c, k - 1)})})});
    d = put(d, ir::map(ir::Op::subtract, {plane(d, k - 1), ir::map(ir::Op::multiply, {plane(d, k), next})}),
            k);
    c = put(c, next, k);
  }
  const ir::Graph graph{{x}, {c, d}};
  std::vector<ir::HostTensor> inputs = random_inputs(graph, 5, {-1, 1}, 0.0);
  std::vector<ir::HostTensor> want = interpret(graph, inputs), got = run_on(b, graph, inputs);
  for (size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(difference(got[k], want[k], {1e-9, 1e-9}), "") << "output " << k;
  for (const Target& target : {b.target, h200()}) EXPECT_LE(compile(graph, target).kernels.size(), 10u);
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

// As Durbin's recursion, whose turns need all turns before them: more nodes than a pass walks for one update.
TEST(AssignRule, ALongRecurrenceOfSumsGivesTheSame) {
  constexpr int kTurns = 200;
  std::string text =
      fmt::format("graph {{\n%r = input \"r\" : f64[{0}]\n%y0 = input \"y\" : f64[{0}]\n", kTurns + 1);
  for (int k = 1; k <= kTurns; ++k)
    text += fmt::format(R"(
%p{0} = slice %y{1}, starts=[0] : f64[{0}]
%q{0} = slice %r, starts=[0] : f64[{0}]
%m{0} = multiply %p{0}, %q{0}
%s{0} = sum %m{0}, axes=[0]
%t{0} = tanh %s{0}
%f{0} = slice %y{1}, starts=[{1}], steps=[-1] : f64[{0}]
%g{0} = broadcast %t{0} : f64[{0}]
%h{0} = multiply %f{0}, %g{0}
%n{0} = add %p{0}, %h{0}
%u{0} = update %y{1}, %n{0}, starts=[0], steps=[1]
%e{0} = reshape %t{0} : f64[1]
%y{0} = update %u{0}, %e{0}, starts=[{0}], steps=[1])",
                        k, k - 1);
  text += fmt::format("\nreturn %y{}\n}}", kTurns);
  const ir::Graph graph = ir::parse(text);
  const ir::Graph after = passes::assign_in_place(simplified(graph), Target{}, {});
  verify(after, "assign");
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, 1);
  EXPECT_EQ(difference(interpret(after, inputs)[0], interpret(graph, inputs)[0], {}), "");
}

// Whatever the pass makes is what the text may say, and what a reader of it may compute.
TEST(AssignRule, TextComesBackTheSame) {
  int with_assigns = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const ir::Graph graph = random_graph(seed, {.ops = 12});
    Options options;
    for (int k = 0; k < static_cast<int>(graph.inputs.size()); ++k) options.donated.push_back(k);
    const ir::Graph assigned = passes::assign_in_place(graph, Target{}, options);
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
