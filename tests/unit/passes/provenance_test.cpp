// Passes lose no lines, and make none up: of random graphs every op has a line after each pass, and an output has lines
// alone of ops that it was computed from. Equal ops are one op with the lines of both, so these graphs have one output.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "compiler/compile.h"
#include "compiler/ir/function.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/random_graph.h"

namespace weft::test {
namespace {

// Each op of the text has a line of its own.
ir::Graph with_lines(uint64_t seed) {
  return ir::parse(ir::print(random_graph(seed, {.ops = 24, .outputs = 1, .rewritten = 0.3})), "random.weft");
}

std::set<uint32_t> lines_below(const ir::NodeRef& output) {
  std::set<uint32_t> out;
  for (const ir::Node* n : ir::topological_order({&output, 1}))
    for (const SourceLine& line : n->lines.all()) out.insert(line.line);
  return out;
}

void expect_lines(const ir::Graph& graph, const std::vector<std::set<uint32_t>>& allowed,
                  const std::string& where) {
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    for (const ir::Node* n : ir::topological_order({&graph.outputs[i], 1})) {
      const bool has_lines = !n->lines.empty() || kind(n->op) == ir::OpKind::Source;
      EXPECT_TRUE(has_lines) << where << ": " << ir::called(*n);
      for (const SourceLine& line : n->lines.all()) {
        EXPECT_EQ(std::string_view(line.file), "random.weft") << where;
        EXPECT_TRUE(allowed[i].contains(line.line))
            << where << ": output " << i << " does not come from line " << line.line << ", which "
            << ir::called(*n) << " has";
      }
    }
}

TEST(Provenance, EachPassKeepsTheLinesOfWhatItRewrites) {
  constexpr uint64_t kGraphs = 300;
  for (uint64_t seed = 1; seed <= kGraphs; ++seed) {
    ir::Graph graph = with_lines(seed);
    std::vector<std::set<uint32_t>> allowed;
    for (const ir::NodeRef& output : graph.outputs) allowed.push_back(lines_below(output));
    for (const std::string_view pass : passes_of({})) {
      graph = run_pass(pass, graph, {}, {});
      expect_lines(graph, allowed, "seed " + std::to_string(seed) + ", after " + std::string(pass));
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace weft::test
