// Short rows that read every second to fourth element, which the CPU takes from whole vectors: whatever the
// dtype, the row's end and the guards, the results are the interpreter's.
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/run_kernels.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

Target masking_target() {
  Target target = test::cpu();
  target.vector_bytes = 64;
  return target;
}

bool takes_apart(const Program& program) {
  return program.kernels.size() == 1 && program.kernels[0].text.find("weft_load_apart") != std::string::npos;
}

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (auto& [from, to] : values)
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  return text;
}

constexpr const char* kShifted = R"(graph {
  %x = input "x" : {T}[40, {n}, {by}]
  %s = slice %x, starts=[0, 0, {last}] : {T}[40, {n}, 1]
  %v = reshape %s : {T}[40, {n}]
  %p = pad %v, 0.0, before=[1, 2], after=[0, 1]
  %a = slice %p, starts=[0, 0] : {T}[40, {n}]
  %b = slice %p, starts=[1, 3] : {T}[40, {n}]
  %c = maximum %a, %v
  %d = minimum %c, %b
  return %d })";

TEST(SmallSteps, GiveTheInterpretersValues) {
  uint64_t seed = 0;
  for (const char* dtype : {"f32", "f64", "i32", "u64"})
    for (int by : {2, 3, 4})
      for (int n : {16, 25, 26, 39}) {
        const std::string text = with(kShifted, {{"{T}", dtype},
                                                 {"0.0", dtype[0] == 'f' ? "0." : "0"},
                                                 {"{by}", std::to_string(by)},
                                                 {"{last}", std::to_string(by - 1)},
                                                 {"{n}", std::to_string(n)}});
        const ir::Graph graph = ir::parse(text);
        EXPECT_TRUE(takes_apart(compile(graph, masking_target()))) << text;
        const auto inputs = test::random_inputs(graph, ++seed, {-3, 3}, 0.05);
        const auto want = interpret(graph, inputs), got = test::run_kernels(graph, inputs, masking_target());
        EXPECT_EQ(test::difference(got[0], want[0], {0, 0, true}), "") << text;
      }
}

TEST(SmallSteps, LargerOnesAreArguments) {
  const std::vector<std::pair<std::string, std::string>> five = {
      {"{T}", "f64"}, {"{by}", "5"}, {"{last}", "4"}, {"{n}", "26"}};
  EXPECT_FALSE(takes_apart(compile(ir::parse(with(kShifted, five)), masking_target())));
}

}  // namespace
}  // namespace weft
