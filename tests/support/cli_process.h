// The built program `weft` as its users run it: arguments in; exit code, output and errors out.
#pragma once

#include <string>
#include <vector>

#define WEFT_NEEDS_A_COMPILER() \
  if (!WEFT_TEST_COMPILES) GTEST_SKIP() << "this program compiles no kernels"

namespace weft::test {

struct Ran {
  int code = -1;  // 128 + the signal when one ended it
  std::string out, err;
};

// Runs `weft` with the arguments, `input` on its standard input, and no cache folder but one that is named.
Ran run_weft(const std::vector<std::string>& arguments, const std::string& input = "");
// The same with its output and its errors going to these files.
int run_weft_into(const std::string& out, const std::string& err, const std::vector<std::string>& arguments);

// A folder of its own for each test, removed at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_text(const std::string& path, const std::string& text);

}  // namespace weft::test
