// Every tests/error/parse/NAME.weft is broken; NAME.expected beside it holds the whole message.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "tests/support/golden.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> broken_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("tests/error/parse"))
    if (entry.path().extension() == ".weft") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::string kind_of(const Error& error) {
  if (dynamic_cast<const IndexError*>(&error)) return "IndexError";
  if (dynamic_cast<const TypeError*>(&error)) return "TypeError";
  return "Error";
}

class ParseErrors : public testing::TestWithParam<std::string> {};

TEST_P(ParseErrors, SayWhatWasExpectedAndWhere) {
  const fs::path base = fs::path("tests/error/parse") / GetParam();
  const std::string text = test::read_text(base.string() + ".weft");
  std::string message;
  try {
    ir::parse(text, GetParam() + ".weft");
  } catch (const Error& e) {
    message = kind_of(e) + ": " + e.what() + "\n";
  }
  ASSERT_FALSE(message.empty()) << "the file parsed";
  test::expect_golden("../error/parse/" + GetParam() + ".expected", message);
}

INSTANTIATE_TEST_SUITE_P(Files, ParseErrors, testing::ValuesIn(broken_files()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace weft
