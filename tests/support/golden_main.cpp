// main() of the test programs with golden files: GoogleTest's, and `--update`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--update") setenv("WEFT_UPDATE_GOLDENS", "1", 1);
  return RUN_ALL_TESTS();
}
