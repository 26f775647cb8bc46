// docs/ir.md stays true: its examples parse, and its table has every op.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/support/golden.h"

namespace weft::ir {
namespace {

std::string page() { return test::read_text(test::golden_path("../../docs/ir.md")); }

// The blocks fenced as ```LANGUAGE.
std::vector<std::string> blocks(const std::string& language) {
  std::vector<std::string> found;
  std::istringstream lines(page());
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line == "```")
      inside = false;
    else if (inside)
      found.back() += line + "\n";
    else if (line == "```" + language)
      inside = true, found.emplace_back();
  }
  return found;
}

TEST(IrDocs, ExamplesAreGraphs) {
  const std::vector<std::string> examples = blocks("weft");
  EXPECT_GE(examples.size(), 10u);
  for (const std::string& example : examples) {
    try {
      const Graph graph = parse(example, "docs/ir.md");
      verify(graph, "parse");
      EXPECT_EQ(hash_graph(parse(print(graph))), hash_graph(graph));
    } catch (const Error& e) {
      ADD_FAILURE() << e.what() << "\n" << example;
    }
  }
}

TEST(IrDocs, EveryOpIsNamed) {
  const std::string text = page();
  for (int i = 0; i < kOpCount; ++i)
    EXPECT_THAT(text, testing::HasSubstr("`" + std::string(name(static_cast<Op>(i))) + "`"));
}

// The first example is the text that print() gives, not only one that parse() takes.
TEST(IrDocs, FirstExampleIsAsPrinted) {
  const std::string example = blocks("weft").at(0);
  EXPECT_EQ(print(parse(example)), example);
}

}  // namespace
}  // namespace weft::ir
