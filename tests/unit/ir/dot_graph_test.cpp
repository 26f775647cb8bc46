#include "compiler/ir/text/dot_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/golden.h"

namespace weft::ir {
namespace {

using testing::HasSubstr;

Graph normalised() { return parse(test::read_text(test::golden_path("graph/softmax.weft")), "softmax.weft"); }

TEST(DotGraph, DrawsNodesEdgesAndOutputs) { test::expect_golden("graph/softmax.dot", dot(normalised())); }

TEST(DotGraph, DrawsGroupsAsClusters) {
  auto by_kind = [](const Node* node) {
    return kind(node->op) == OpKind::Source ? -1 : kind(node->op) == OpKind::Reduce;
  };
  test::expect_golden("graph/softmax_groups.dot",
                      dot(normalised(), {by_kind, {"group 0", "two\nlines"}, "what it is"}));
}

TEST(DotGraph, DrawsOneEdgeForEachUse) {
  Graph graph = parse("graph {\n%a = input : f32[2]\n%b = multiply %a, %a\nreturn %b\n}");
  const std::string text = dot(graph);
  EXPECT_THAT(text, HasSubstr("  n0 -> n1;\n  n0 -> n1;\n"));
}

TEST(DotGraph, EscapesNames) {
  Graph graph{{input({DType::F32, {2}}, {nullptr, "say \"hi\"", {}, 0})}, {}};
  EXPECT_THAT(dot(graph), HasSubstr(R"(label="%0\ninput \"say \\\"hi\\\"\"\nf32[2]")"));
}

TEST(DotGraph, ProvenanceIsTheTooltip) {
  EXPECT_THAT(dot(normalised()), HasSubstr("tooltip=\"softmax.weft:3\""));
}

}  // namespace
}  // namespace weft::ir
