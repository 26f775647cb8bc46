// The assembly of the streaming stores, written when the tests are built.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/base/dtype.h"

namespace weft {
namespace {

std::string assembly_of(const std::string& text, const std::string& function) {
  size_t begin = text.find(function);
  while (begin != std::string::npos && text.compare(text.find('\n', begin) - 1, 1, ":") != 0 &&
         text.substr(begin, text.find('\n', begin) - begin).find(':') == std::string::npos)
    begin = text.find(function, begin + 1);
  return begin == std::string::npos ? "" : text.substr(begin, text.find("retq", begin) - begin);
}

TEST(PreludeStream, CompilesToNonTemporalStores) {
  for (const char* file : {WEFT_STREAM_ASSEMBLY_V3, WEFT_STREAM_ASSEMBLY_V4}) {
    std::ifstream in(file);
    if (!in) GTEST_SKIP() << file << " stayed where it was built";
    std::stringstream all;
    all << in.rdbuf();
    for (int i = 0; i < kDTypeCount; ++i) {
      std::string function = "call_weft_stream_" + std::string(name(static_cast<DType>(i)));
      std::string body = assembly_of(all.str(), std::to_string(function.size()) + function);
      ASSERT_FALSE(body.empty()) << file << " has no " << function;
      EXPECT_NE(body.find("movnt"), std::string::npos) << file << ":\n" << body;
    }
  }
}

}  // namespace
}  // namespace weft
