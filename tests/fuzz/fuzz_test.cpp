// Random graphs on every device against the interpreter. A failure prints the shrunk graph as text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/ir/shrink.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/random_graph.h"

namespace weft::test {
namespace {

constexpr int kSeedsOfBlock = 10;
constexpr int kBlocks = 12;

struct Case {
  std::string device;
  bool exact;
  int block;
};

class Fuzz : public testing::TestWithParam<Case> {};
class Unfused : public testing::TestWithParam<Case> {};

TEST_P(Fuzz, KernelsGiveWhatTheInterpreterGives) {
  const Case& c = GetParam();
  Backend& b = backend(c.device);
  RandomGraphOptions options;
  options.exact = c.exact;
  options.strided_inputs = true;
  for (int k = 0; k < kSeedsOfBlock; ++k) {
    uint64_t seed = static_cast<uint64_t>(c.block * kSeedsOfBlock + k);
    options.rewritten = k % 2 ? 0.3 : 0;
    options.spread = k % 2 ? 0.5 : 0;
    options.max_elements = k % 2 ? 6000 : 2048;
    ir::Graph graph = random_graph(seed, options);
    std::string problem = check(on(b), graph, seed, c.exact);
    if (problem.empty()) continue;
    ir::Graph small =
        shrink(graph, [&](const ir::Graph& g) { return !check(on(b), g, seed, c.exact).empty(); });
    ADD_FAILURE() << "seed " << seed << ": " << check(on(b), small, seed, c.exact) << "\n" << print(small);
  }
}

// The same graph with nothing fused has the same bits where no rounding is left to choose.
TEST_P(Unfused, GivesTheSameExactResults) {
  const Case& c = GetParam();
  Backend& b = backend(c.device);
  RandomGraphOptions options;
  options.exact = true;
  options.ops = 8;
  Options unfused;
  unfused.fuse = false;
  for (int k = 0; k < 2; ++k) {
    uint64_t seed = static_cast<uint64_t>(100'000 + c.block * kSeedsOfBlock + k);
    ir::Graph graph = random_graph(seed, options);
    std::string problem = check(on(b), graph, seed, true, unfused);
    EXPECT_EQ(problem, "") << "seed " << seed << "\n" << print(graph);
  }
}

std::vector<Case> cases(const std::vector<bool>& exactness) {
  std::vector<Case> out;
  for (auto& device : backend_names())
    for (bool exact : exactness)
      for (int block = 0; block < kBlocks; ++block) out.push_back({device, exact, block});
  return out;
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
  return fmt::format("{}_{}_{}", test.param.device, test.param.exact ? "exact" : "rounded", test.param.block);
}

INSTANTIATE_TEST_SUITE_P(, Fuzz, testing::ValuesIn(cases({true, false})), name_of);
INSTANTIATE_TEST_SUITE_P(, Unfused, testing::ValuesIn(cases({true})), name_of);

TEST(FuzzOnGpu, IsSkippedWithoutOne) {
  if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
}

}  // namespace
}  // namespace weft::test
