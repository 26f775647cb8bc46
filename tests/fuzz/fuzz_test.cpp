// Random graphs on every device against the interpreter. A failure prints the shrunk graph as text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/ir/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/fuzz/shrink.h"

namespace weft::test {
namespace {

constexpr int kSeedsOfBlock = 10;
constexpr int kBlocks = 12;
// References with other roundings: a value that jumps where it is rounded jumps in half of them.
constexpr uint64_t kNudged = 16;

struct Case {
  std::string device;
  bool exact;
  int block;
};

// Whether some value has fewer digits than f64: what is made from it has no more, whatever its dtype.
bool rounds_below_f64(const ir::Graph& graph) {
  const auto nodes = ir::topological_order(graph.outputs);
  return std::any_of(nodes.begin(), nodes.end(), [](const ir::Node* node) {
    const DType t = node->dtype();
    return (is_float(t) || is_complex(t)) && real_of(t) != DType::F64;
  });
}

// What differs, or what was thrown; empty when all is well. Where rounding may differ, results that jump
// (integers and bools made from floats) say nothing.
std::string check(Backend& b, const ir::Graph& graph, uint64_t seed, bool exact, Options options = {}) {
  if (exact) options.numerics = Numerics::Strict;
  std::vector<ir::HostTensor> inputs = random_inputs(graph, seed, {-4, 4}, exact ? 0.1 : 0.0);
  std::vector<ir::HostTensor> want = interpret(graph, inputs);
  std::vector<std::vector<ir::HostTensor>> nudged;
  const auto nudged_output = [&](size_t k) {
    for (uint64_t draw = nudged.size(); draw < kNudged; ++draw)
      nudged.push_back(interpret_nudged(graph, inputs, draw));
    std::vector<const ir::HostTensor*> outputs;
    for (auto& results : nudged) outputs.push_back(&results[k]);
    return outputs;
  };
  const Tolerance tolerance{1e-3, rounds_below_f64(graph) ? 1e-3 : 1e-8, exact};
  try {
    std::vector<ir::HostTensor> got = run_on(b, graph, inputs, options);
    for (size_t k = 0; k < want.size(); ++k) {
      DType t = want[k].type.dtype;
      if (!exact && !is_float(t) && !is_complex(t)) continue;
      std::string d = difference(got[k], want[k], tolerance);
      // A tangent of products of many numbers has no digits left, and where two values are nearly equal
      // either may be the larger; only what no rounding changes is compared.
      if (!d.empty() && !exact) d = difference(got[k], want[k], tolerance, nudged_output(k));
      if (!d.empty()) return fmt::format("output {}: {}", k, d);
    }
  } catch (const std::exception& e) {
    return std::string("threw ") + e.what();
  }
  return "";
}

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
    ir::Graph graph = random_graph(seed, options);
    std::string problem = check(b, graph, seed, c.exact);
    if (problem.empty()) continue;
    ir::Graph small = shrink(graph, [&](const ir::Graph& g) { return !check(b, g, seed, c.exact).empty(); });
    ADD_FAILURE() << "seed " << seed << ": " << check(b, small, seed, c.exact) << "\n" << print(small);
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
    std::string problem = check(b, graph, seed, true, unfused);
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
