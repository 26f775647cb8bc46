#include "tests/support/golden.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weft::test {
namespace {

namespace fs = std::filesystem;

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    const char* flag = std::getenv("WEFT_UPDATE_GOLDENS");
    was_ = flag ? flag : "";
    unsetenv("WEFT_UPDATE_GOLDENS");
    directory_ = fs::path(testing::TempDir()) / ("weft_golden_" + std::to_string(getpid()));
    fs::create_directories(directory_);
    file_ = directory_ / "some" / "text";
  }
  void TearDown() override {
    setenv("WEFT_UPDATE_GOLDENS", was_.c_str(), 1);
    fs::remove_all(directory_);
  }

  static inline std::string file_;  // static, since EXPECT_NONFATAL_FAILURE sees no locals
  fs::path directory_;
  std::string was_;
};

TEST_F(Golden, FailsWithoutAFile) {
  EXPECT_NONFATAL_FAILURE(expect_golden(file_, "a\n"), "run with --update");
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(Golden, UpdateWritesAndThenTheTextMustBeTheSame) {
  setenv("WEFT_UPDATE_GOLDENS", "1", 1);
  expect_golden(file_, "a\nb\n");
  unsetenv("WEFT_UPDATE_GOLDENS");
  EXPECT_EQ(read_text(file_), "a\nb\n");
  expect_golden(file_, "a\nb\n");
  EXPECT_NONFATAL_FAILURE(expect_golden(file_, "a\nc\n"), "-b\\n\n+c\\n");
  EXPECT_EQ(read_text(file_), "a\nb\n");
}

}  // namespace
}  // namespace weft::test
