// Kernels ask for no memory that is not mapped, even where a mask or a guard leaves out what they would read:
// a processor takes hundreds of nanoseconds for each such load. Arrays lie between pages that nobody may
// touch.
#include <gtest/gtest.h>

#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/parse.h"
#include "compiler/plan/lower/lower.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/run_kernels.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

using test::Forced;
using test::Placed;

struct Case {
  const char* name;
  const char* text;  // {T} is the dtype, {n} the columns
};

const Case kCases[] = {
    {"RollOfRows", R"(graph {
  %x = input "x" : {T}[24, {n}]
  %a = slice %x, starts=[21, 0] : {T}[3, {n}]
  %b = slice %x, starts=[0, 0] : {T}[21, {n}]
  %c = concat %a, %b, axis=0
  return %c })"},
    {"RollOfColumns", R"(graph {
  %x = input "x" : {T}[9, {n}]
  %a = slice %x, starts=[0, {n-3}] : {T}[9, 3]
  %b = slice %x, starts=[0, 0] : {T}[9, {n-3}]
  %c = concat %a, %b, axis=1
  return %c })"},
    {"SumOfRolls", R"(graph {
  %x = input "x" : {T}[9, {n}]
  %a = slice %x, starts=[8, 0] : {T}[1, {n}]
  %b = slice %x, starts=[0, 0] : {T}[8, {n}]
  %c = concat %a, %b, axis=0
  %d = slice %x, starts=[0, 1] : {T}[9, {n-1}]
  %e = slice %x, starts=[0, 0] : {T}[9, 1]
  %f = concat %d, %e, axis=1
  %g = maximum %c, %f
  return %g })"},
    {"TurnedStack", R"(graph {
  %x = input "x" : {T}[5, {n}]
  %y = input "y" : {T}[4, {n}]
  %c = concat %x, %y, %x, axis=0
  %t = slice %c, starts=[12, {n-1}], steps=[-1, -1] : {T}[11, {n}]
  return %t })"},
    {"Stack", R"(graph {
  %x = input "x" : {T}[5, {n}]
  %y = input "y" : {T}[5, {n}]
  %z = input "z" : {T}[1, {n}]
  %c = concat %x, %y, %z, %x, axis=0
  return %c })"},
    {"Block", R"(graph {
  %a = input "a" : {T}[5, {n}]
  %b = input "b" : {T}[5, 7]
  %c = input "c" : {T}[3, {n}]
  %d = input "d" : {T}[3, 7]
  %e = concat %a, %b, axis=1
  %f = concat %c, %d, axis=1
  %g = concat %e, %f, axis=0
  return %g })"},
    {"LargePad", R"(graph {
  %x = input "x" : {T}[3, {n}]
  %p = pad %x, {v}, before=[20, 40], after=[30, 50]
  return %p })"},
    {"Windows", R"(graph {
  %x = input "x" : {T}[6, {n}]
  %p = pad %x, {v}, before=[1, 1], after=[1, 1] : {T}[8, {n+2}]
  %a = slice %p, starts=[0, 1] : {T}[6, {n}]
  %b = slice %p, starts=[2, 1] : {T}[6, {n}]
  %c = slice %p, starts=[1, 0] : {T}[6, {n}]
  %d = slice %p, starts=[1, 2] : {T}[6, {n}]
  %e = maximum %a, %b
  %f = minimum %c, %d
  %g = maximum %e, %f
  return %g })"},
    {"PastedBlock", R"(graph {
  %x = input "x" : {T}[9, {n+40}]
  %v = input "v" : {T}[4, {n}]
  %u = update %x, %v, starts=[3, 20], steps=[1, 1]
  return %u })"},
    {"PastedApart", R"(graph {
  %x = input "x" : {T}[9, {n+n}]
  %v = input "v" : {T}[4, {n}]
  %u = update %x, %v, starts=[1, 0], steps=[2, 2]
  return %u })"},
    {"EverySecond", R"(graph {
  %x = input "x" : {T}[9, {n}, 2]
  %s = slice %x, starts=[0, 0, 1] : {T}[9, {n}, 1]
  %r = reshape %s : {T}[9, {n}]
  %p = pad %r, {v}, before=[1, 2], after=[2, 1]
  return %p })"},
    {"Gathers", R"(graph {
  %x = input "x" : {T}[12, {n}]
  %i = input "i" : i64[7, {n}]
  %g = gather %x, %i, axis=0 : {T}[7, {n}]
  %p = pad %g, {v}, before=[2, 3], after=[1, 4]
  return %p })"},
    {"GatheredRows", R"(graph {
  %x = input "x" : {T}[12, {n}]
  %i = input "i" : i64[7, 1]
  %g = gather %x, %i, axis=0 : {T}[7, {n}]
  %c = concat %g, %x, axis=0
  return %c })"},
    {"WhereOfSlices", R"(graph {
  %m = input "m" : bool[9, {n}]
  %x = input "x" : {T}[10, {n+1}]
  %a = slice %x, starts=[0, 1] : {T}[9, {n}]
  %b = slice %x, starts=[1, 0] : {T}[9, {n}]
  %w = select %m, %a, %b
  return %w })"},
    {"RowOverRows", R"(graph {
  %x = input "x" : {T}[50, {n}]
  %b = input "b" : {T}[{n}]
  %c = maximum %x, %b
  return %c })"},
    {"PaddedRowOverRows", R"(graph {
  %x = input "x" : {T}[50, {n+4}]
  %b = input "b" : {T}[{n}]
  %p = pad %b, {v}, before=[3], after=[1]
  %c = maximum %x, %p
  return %c })"},
    {"ReducedRows", R"(graph {
  %x = input "x" : {T}[9, {n}]
  %p = pad %x, {v}, before=[1, 2], after=[1, 1]
  %a = max %p, axes=[1]
  return %a })"},
    {"ReducedColumns", R"(graph {
  %x = input "x" : {T}[40, {n}]
  %p = pad %x, {v}, before=[1, 2], after=[1, 1]
  %a = max %p, axes=[0]
  return %a })"},
};

std::string filled(std::string text, const char* dtype, int64_t n) {
  auto put = [&](const std::string& from, const std::string& to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  };
  const std::string t = dtype;
  put("{T}", t), put("{v}", t == "bool" ? "true" : t[0] == 'f' || t[0] == 'b' ? "1.5" : "1");
  put("{n}", std::to_string(n)), put("{n-3}", std::to_string(n - 3)), put("{n-1}", std::to_string(n - 1));
  put("{n+1}", std::to_string(n + 1)), put("{n+2}", std::to_string(n + 2)),
      put("{n+4}", std::to_string(n + 4));
  put("{n+40}", std::to_string(n + 40)), put("{n+n}", std::to_string(2 * n));
  return text;
}

class MappedReads : public testing::TestWithParam<Case> {};

TEST_P(MappedReads, OfAnyArrayBesideOthersPages) {
  uint64_t seed = 0;
  for (int vector_bytes : {64, 32})
    for (const char* dtype : {"f32", "f64", "u8", "bf16"})
      for (int64_t n : {5, 253, 512}) {
        if (n != 253 && std::string(dtype) != "f32") continue;
        const std::string text = filled(GetParam().text, dtype, n);
        const ir::Graph graph = ir::parse(text);
        Target target = test::cpu();
        target.vector_bytes = vector_bytes;
        const auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, 0.05);
        const auto want = interpret(graph, inputs);
        for (Placed placed : {Placed::FirstOfPages, Placed::LastOfPages}) {
          Forced forced;
          forced.placed = placed;
          const auto got = test::run_kernels(graph, inputs, target, forced);
          ASSERT_EQ(test::difference(got[0], want[0], {0, 0, true}), "") << text;
        }
      }
}

// Their memory begins and ends elsewhere than their shape says.
TEST(MappedReads, KnowWhereStridedInputsLie) {
  const ir::Graph graph = ir::parse(R"(graph {
  %x = input "x", strides=[-300, 2], offset=2400 : f32[9, 25]
  %p = pad %x, 1.5, before=[1, 2], after=[2, 1]
  return %p })");
  const ir::Partition partition = fusion::fuse(graph, test::cpu(), Options());
  const plan::Lowered lowered =
      plan::lower(partition.steps.at(0).group, [](const ir::Node* n) { return n->op == ir::Op::input; });
  for (auto& buffer : lowered.program.buffers) {
    if (buffer.written) continue;
    EXPECT_EQ(buffer.first, 0);
    EXPECT_EQ(buffer.past, 2449);
  }
}

INSTANTIATE_TEST_SUITE_P(EmitCpu, MappedReads, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace weft
