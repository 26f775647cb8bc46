#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weft::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

bool updating_goldens() {
  const char* flag = std::getenv("WEFT_UPDATE_GOLDENS");
  return flag && std::string_view(flag) == "1";
}

std::string golden_path(const std::string& path) { return fs::path("tests/golden") / path; }

std::string read_text(const std::string& path) {
  EXPECT_TRUE(fs::is_regular_file(path)) << path << " cannot be read";
  return contents(path);
}

void expect_golden(const std::string& path, std::string_view text) {
  const fs::path file = golden_path(path);
  const bool exists = fs::is_regular_file(file);
  const std::string golden = exists ? contents(file) : "";
  if (exists && golden == text) return;
  if (updating_goldens()) {
    fs::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    EXPECT_TRUE(out.flush()) << file << " cannot be written";
    return;
  }
  if (!exists) {
    ADD_FAILURE() << "no golden file " << file << "; run with --update to write it:\n" << text;
    return;
  }
  EXPECT_EQ(golden, text) << "differs from " << file << "; run with --update to accept it";
}

}  // namespace weft::test
