// Golden files: expected text that lives beside the tests and is read like code when it changes. A test
// program that links weft_golden rewrites them when run with `--update`, or with WEFT_UPDATE_GOLDENS=1 (ctest
// passes no flags on).
#pragma once

#include <string>
#include <string_view>

namespace weft::test {

// A failure of the running test, with a diff, unless the file holds `text`. `path` is relative to
// tests/golden; absolute paths are taken as they are.
void expect_golden(const std::string& path, std::string_view text);

// Whether this run rewrites golden files instead of comparing.
bool updating_goldens();

// Where the golden file of this path relative to tests/golden lies.
std::string golden_path(const std::string& path);

// The whole file; a test failure and "" when it cannot be read.
std::string read_text(const std::string& path);

}  // namespace weft::test
