// `weft cache` on a folder that `weft run` filled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/cli_process.h"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CliCache : public testing::Test {
 protected:
  CliCache() {
    Ran ran = run_weft({"run", "docs/examples/svd.weft", "--random", "1", "--cache-dir", directory});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  Ran cache(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cache");
    arguments.insert(arguments.end(), {"--cache-dir", directory});
    return run_weft(arguments);
  }
  // Files of the cache that hold kernels.
  std::vector<std::filesystem::path> entries() {
    std::vector<std::filesystem::path> out;
    for (auto& e : std::filesystem::recursive_directory_iterator(directory))
      if (e.is_regular_file()) out.push_back(e.path());
    return out;
  }
  Folder folder;
  std::string directory = folder / "cache";
};

TEST_F(CliCache, ListsEveryKernel) {
  WEFT_NEEDS_A_COMPILER();
  Ran ran = cache({"ls"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("weft_"), HasSubstr("clang-"), HasSubstr("2 kernels, ")));
  EXPECT_THAT(ran.out,
              testing::ContainsRegex("[0-9]+ ms  weft_[0-9a-f]{16}  clang-[^\n]*  [a-z, ()0-9]*multiply"));
}

TEST_F(CliCache, ListingMakesNoFolder) {
  const std::string none = folder / "none";
  Ran ran = run_weft({"cache", "ls", "--cache-dir", none});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "0 kernels, 0 bytes in " + none + ", which does not exist\n");
  EXPECT_FALSE(std::filesystem::exists(none));
}

TEST_F(CliCache, FindsAndRemovesADamagedKernel) {
  WEFT_NEEDS_A_COMPILER();
  EXPECT_EQ(cache({"verify"}).out, "2 kernels checked, 0 damaged or of another version, and removed\n");
  ASSERT_EQ(entries().size(), 2u);
  std::fstream file(entries()[0], std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-8, std::ios::end);
  file.write("damaged!", 8);
  file.close();
  Ran ran = cache({"verify"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(StartsWith("removed "), HasSubstr("2 kernels checked, 1 damaged")));
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(CliCache, ClearsAndTrims) {
  WEFT_NEEDS_A_COMPILER();
  EXPECT_EQ(cache({"trim", "--max-bytes", "1GiB"}).out.substr(0, 18), "0 kernels removed,");
  for (const char* wrong : {"-5", "99999999999999999999"})
    EXPECT_EQ(cache({"trim", "--max-bytes", wrong}).code, 2) << wrong;
  EXPECT_EQ(cache({"trim", "--max-bytes", "0"}).out, "2 kernels removed, 0 kernels with 0 bytes left\n");
  EXPECT_THAT(cache({"clear"}).out, StartsWith("0 kernels removed from "));
}

TEST_F(CliCache, ABundleServesAnotherFolder) {
  WEFT_NEEDS_A_COMPILER();
  const std::string bundle = folder / "bundle", other = folder / "other";
  EXPECT_THAT(cache({"export", bundle}).out,
              AllOf(StartsWith("2 kernels, "), HasSubstr("exported to " + bundle)));
  EXPECT_EQ(run_weft({"cache", "import", bundle, "--cache-dir", other}).out.substr(0, 10), "2 kernels,");
  Ran ran = run_weft({"run", "docs/examples/svd.weft", "--random", "1", "--time", "--cache-dir", other});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out + ran.err, HasSubstr("0 compiled")) << ran.out << ran.err;
}

TEST_F(CliCache, ABundleHoldsSoundKernelsOfTheTargetOnly) {
  WEFT_NEEDS_A_COMPILER();
  const std::string bundle = folder / "bundle", none = folder / "none", other = folder / "other";
  EXPECT_EQ(cache({"export", none, "--target", "sm_90"}).out.substr(0, 10), "0 kernels,");
  std::fstream file(entries()[0], std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-8, std::ios::end);
  file.write("damaged!", 8);
  file.close();
  EXPECT_THAT(cache({"export", bundle, "--target", "clang-"}).out,
              AllOf(StartsWith("left out "), HasSubstr("checksum"), HasSubstr("1 kernel, ")));
  for (auto& e : std::filesystem::directory_iterator(bundle)) std::filesystem::resize_file(e.path(), 100);
  EXPECT_THAT(run_weft({"cache", "import", bundle, "--cache-dir", other}).out,
              AllOf(HasSubstr("the file has 100"), HasSubstr("0 kernels, 0 bytes imported")));
  Ran ran = run_weft({"cache", "import", folder / "nowhere", "--cache-dir", other});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("cannot be read"));
}

// The name of the kernel that runs the graph, which is the only one in its folder.
std::string kernel_of(const std::string& graph, const std::string& directory) {
  const Ran ran = run_weft({"run", graph, "--random", "1", "--cache-dir", directory});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string list = run_weft({"cache", "ls", "--cache-dir", directory}).out;
  return list.substr(list.find("weft_"), 21);
}

TEST_F(CliCache, SaysWhyAKernelIsAnotherThanTheNearest) {
  WEFT_NEEDS_A_COMPILER();
  const std::string wide = folder / "wide.weft", narrow = folder / "narrow.weft", apart = folder / "narrow";
  write_text(wide,
             "graph {\n  %x = input : f64[5000]\n  %y = exp %x\n  %z = multiply %y, %x\n  return %z\n}\n");
  write_text(narrow,
             "graph {\n  %x = input : f32[5000]\n  %y = exp %x\n  %z = multiply %y, %x\n  return %z\n}\n");
  const std::string name = kernel_of(narrow, apart);
  EXPECT_THAT(run_weft({"cache", "why", name, "--cache-dir", apart}).out,
              AllOf(HasSubstr("array 0 (read), dtype: f32\n"), HasSubstr("lengths of the axes: 5000\n"),
                    HasSubstr("lines: narrow.weft:3"), HasSubstr("no other kernel here is of these")));
  run_weft({"run", wide, "--random", "1", "--cache-dir", directory});
  run_weft({"run", narrow, "--random", "1", "--cache-dir", directory});
  const Ran said = cache({"why", name});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("  array 0 (read), dtype: f32, and there f64\n"),
                              HasSubstr("  lines: narrow.weft:3, narrow.weft:4, and there wide.weft:3")));
  EXPECT_THAT(cache({"why", name, "--json"}).out,
              AllOf(HasSubstr(R"("schema":"weft.cache.why")"), HasSubstr(R"("now":"f32")"),
                    HasSubstr(R"("then":"f64")")));
}

TEST_F(CliCache, WhyRefusesWhatNamesNoKernelOrSeveral) {
  EXPECT_THAT(cache({"why", "weft_0"}).err, HasSubstr("there is no kernel whose key starts with 'weft_0'"));
  EXPECT_EQ(cache({"why"}).code, 2);
  EXPECT_THAT(run_weft({"cache", "why", "1", "--cache-dir", folder / "none"}).err,
              HasSubstr("does not exist"));
}

TEST_F(CliCache, SaysWhyThereIsNone) {
  Ran ran = run_weft({"cache", "ls"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "weft: error: cache: there is no cache folder; name one with --cache-dir\n");
  EXPECT_EQ(run_weft({"cache"}).code, 2);
  EXPECT_EQ(run_weft({"cache", "trim"}).code, 2);
}

TEST_F(CliCache, AFolderInAnEntrysPlaceIsRemovedAsDamaged) {
  WEFT_NEEDS_A_COMPILER();
  const std::filesystem::path entry = entries().front();
  std::filesystem::remove(entry);
  std::filesystem::create_directories(entry / "inner");
  EXPECT_THAT(cache({"verify"}).out, HasSubstr("1 damaged or of another version, and removed"));
  EXPECT_FALSE(std::filesystem::exists(entry));
}

TEST_F(CliCache, CommandsThatLookForKernelsMakeNoFolder) {
  directory = folder / "absent";
  for (const char* command : {"clear", "verify", "ls"}) {
    Ran ran = cache({command});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("does not exist")) << command;
  }
  EXPECT_EQ(cache({"trim", "--max-bytes", "0"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(CliCache, ALinkToAFolderOfOnesOwnIsFollowed) {
  const std::string link = folder / "link";
  std::filesystem::create_directory_symlink(directory, link);
  const std::string through_link = run_weft({"cache", "ls", "--cache-dir", link}).out;
  EXPECT_EQ(std::count(through_link.begin(), through_link.end(), '\n'),
            static_cast<std::ptrdiff_t>(entries().size()) + 1);
}

}  // namespace
}  // namespace weft::test
