#include "runtime/kernel_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uint64_t kPlenty = 1 << 30;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
void set_age(const fs::path& path, int64_t seconds) {
  const time_t then = std::time(nullptr) - seconds;
  const timespec times[2] = {{then, 0}, {then, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "weft-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    directory_ = (root_ / "cache").string();
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory_)) found.push_back(entry.path());
    return found;
  }

  fs::path root_;
  std::string directory_;
};

TEST_F(KernelCacheTest, GivesBackWhatWasPutAlsoToAnotherObject) {
  const std::string binary("\0obj\xff\n", 6);
  KernelCache cache(directory_, kPlenty);
  ASSERT_EQ(cache.disabled_because(), "");
  EXPECT_EQ(cache.find("clang", "source"), std::nullopt);
  cache.put("clang", "k0", "source", binary);
  EXPECT_EQ(cache.find("clang", "source"), binary);
  EXPECT_EQ(KernelCache(directory_, kPlenty).find("clang", "source"), binary);
}

TEST_F(KernelCacheTest, KeysOnToolchainAndSource) {
  KernelCache cache(directory_, kPlenty);
  cache.put("clang-19", "k", "source", "one");
  EXPECT_EQ(cache.find("clang-20", "source"), std::nullopt);
  EXPECT_EQ(cache.find("clang-19", "source2"), std::nullopt);
  EXPECT_EQ(cache.find("clang-19s", "ource"), std::nullopt);
  cache.put("clang-20", "k", "source", "two");
  EXPECT_EQ(cache.find("clang-19", "source"), "one");
  EXPECT_EQ(cache.find("clang-20", "source"), "two");
}

TEST_F(KernelCacheTest, ALaterPutReplacesAnEarlierOne) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "s", "one");
  cache.put("t", "k", "s", "");
  EXPECT_EQ(cache.find("t", "s"), "");
  EXPECT_EQ(cache.list().size(), 1u);
}

TEST_F(KernelCacheTest, MakesAPrivateDirectoryAndPrivateFiles) {
  const std::string deep = (root_ / "a" / "b" / "cache").string();
  KernelCache cache(deep + "/", kPlenty);
  ASSERT_EQ(cache.disabled_because(), "");
  cache.put("t", "k", "s", "b");
  struct stat status;
  ASSERT_EQ(::stat(deep.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const auto& entry : fs::directory_iterator(deep)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
  }
}

TEST_F(KernelCacheTest, WithoutADirectoryItIsOff) {
  KernelCache cache("", kPlenty);
  EXPECT_THAT(cache.disabled_because(), HasSubstr("no directory"));
  cache.put("t", "k", "s", "b");
  EXPECT_EQ(cache.find("t", "s"), std::nullopt);
  EXPECT_TRUE(cache.list().empty());
  EXPECT_EQ(cache.clear(), 0);
}

TEST_F(KernelCacheTest, MovesToAnotherDirectoryOrSaysWhyNot) {
  KernelCache cache(directory_, kPlenty);
  cache.put("clang", "k", "source", "binary");
  const std::string other = directory_ + "_other";
  EXPECT_EQ(cache.move_to(other + "/", 1 << 20), "");
  EXPECT_EQ(cache.directory(), other);
  EXPECT_EQ(cache.max_bytes(), uint64_t{1} << 20);
  EXPECT_FALSE(cache.find("clang", "source"));
  EXPECT_THAT(cache.move_to("/dev/null/x", kPlenty), HasSubstr("/dev/null/x: cannot be made"));
  EXPECT_EQ(cache.directory(), other);
  EXPECT_EQ(cache.move_to("", kPlenty), "");
  cache.put("clang", "k", "source", "another");
  EXPECT_EQ(cache.move_to(directory_, kPlenty), "");
  EXPECT_EQ(cache.find("clang", "source"), "binary");
}

TEST_F(KernelCacheTest, ARelativeNameMeansTheFolderThatItMeantAtFirst) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  KernelCache cache("kernels", kPlenty);
  fs::current_path(before);
  EXPECT_EQ(cache.directory(), (fs::canonical(root_) / "kernels").string());
  cache.put("clang", "k", "source", "binary");
  EXPECT_EQ(cache.find("clang", "source"), "binary");
  EXPECT_EQ(cache.list().size(), 1U);
}

TEST_F(KernelCacheTest, RefusesADirectoryThatOthersCanWrite) {
  fs::create_directory(directory_);
  ASSERT_EQ(::chmod(directory_.c_str(), 0770), 0);
  KernelCache cache(directory_, kPlenty);
  EXPECT_THAT(cache.disabled_because(), HasSubstr("other users can write"));
  cache.put("t", "k", "s", "b");
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(KernelCacheTest, RefusesADirectoryThatAnotherUserOwns) {
  // Root can hand the directory away; any other user finds root's own directories.
  if (::geteuid() == 0) {
    fs::create_directory(directory_);
    ASSERT_EQ(::chmod(directory_.c_str(), 0700), 0);
    ASSERT_EQ(::chown(directory_.c_str(), 12345, 12345), 0);
    EXPECT_THAT(KernelCache(directory_, kPlenty).disabled_because(), HasSubstr("owned by user 12345"));
  } else {
    EXPECT_THAT(KernelCache("/usr", kPlenty).disabled_because(), HasSubstr("owned by user 0"));
  }
}

TEST_F(KernelCacheTest, RefusesADirectoryThatOthersCanReplace) {
  const fs::path open = root_ / "open", deep = open / "own";
  fs::create_directories(deep);
  ASSERT_EQ(::chmod(deep.c_str(), 0700), 0);
  for (const mode_t mode : {0777, 0757}) {
    ASSERT_EQ(::chmod(open.c_str(), mode), 0);
    for (const fs::path& directory : {open / "cache", deep / "cache"})
      EXPECT_THAT(KernelCache(directory.string(), kPlenty).disabled_because(),
                  HasSubstr("they can write to " + open.string() + ", which is not sticky"));
  }
  // What a link leads to counts as well as where the link lies.
  fs::create_directory_symlink(deep, root_ / "link");
  EXPECT_THAT(KernelCache((root_ / "link" / "cache").string(), kPlenty).disabled_because(),
              HasSubstr(open.string() + ", which is not sticky"));
  ASSERT_EQ(::chmod(open.c_str(), 01777), 0);
  EXPECT_EQ(KernelCache((deep / "cache").string(), kPlenty).disabled_because(), "");
  EXPECT_EQ(KernelCache((root_ / "link" / "cache").string(), kPlenty).disabled_because(), "");
  // A group counts as others, but for one that by its number is the user's own.
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(open.c_str(), 0, 12345), 0);
    ASSERT_EQ(::chmod(open.c_str(), 0775), 0);
    EXPECT_THAT(KernelCache((deep / "cache").string(), kPlenty).disabled_because(), HasSubstr("not sticky"));
    ASSERT_EQ(::chown(open.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(open.c_str(), 0775), 0);
    EXPECT_EQ(KernelCache((deep / "cache").string(), kPlenty).disabled_because(), "");
  }
}

TEST_F(KernelCacheTest, DropsAnEntryThatItsUserAloneMayNotHaveWritten) {
  KernelCache cache(directory_, kPlenty);
  const auto dropped = [&](const std::string& problem, auto&& change) {
    cache.put("t", "k", "s", "binary");
    ASSERT_EQ(cache.find("t", "s"), "binary");
    const fs::path entry = files().at(0);
    change(entry);
    ASSERT_EQ(cache.list().size(), 1u);
    EXPECT_THAT(cache.list()[0].problem, HasSubstr(problem));
    EXPECT_EQ(cache.find("t", "s"), std::nullopt) << problem;
    EXPECT_FALSE(fs::exists(entry)) << problem;
    cache.put("t", "k", "s", "binary");
    change(entry);
    EXPECT_EQ(cache.verify().size(), 1u) << problem;
    EXPECT_FALSE(fs::exists(entry)) << problem;
  };
  for (const mode_t mode : {0620, 0602, 0666})
    dropped("other users can write to it",
            [&](const fs::path& entry) { ASSERT_EQ(::chmod(entry.c_str(), mode), 0); });
  dropped("it has 2 names", [&](const fs::path& entry) {
    fs::remove(root_ / "elsewhere");
    fs::create_hard_link(entry, root_ / "elsewhere");
  });
  dropped("not a regular file", [&](const fs::path& entry) {
    fs::remove(entry);
    ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  });
  if (::geteuid() == 0)
    dropped("owned by user 12345",
            [&](const fs::path& entry) { ASSERT_EQ(::chown(entry.c_str(), 12345, 12345), 0); });
}

TEST_F(KernelCacheTest, FollowsALinkOfItsUserAloneAndRefusesAFile) {
  fs::create_directory(root_ / "real");
  ASSERT_EQ(::chmod((root_ / "real").c_str(), 0700), 0);
  fs::create_directory_symlink(root_ / "real", directory_);
  EXPECT_EQ(KernelCache(directory_, kPlenty).disabled_because(), "");
  if (::geteuid() == 0) {
    ASSERT_EQ(::lchown(directory_.c_str(), 12345, 12345), 0);
    EXPECT_THAT(KernelCache(directory_, kPlenty).disabled_because(),
                HasSubstr("a symbolic link of user 12345"));
  }
  fs::create_directory_symlink(root_ / "nowhere", root_ / "dangling");
  EXPECT_THAT(KernelCache((root_ / "dangling").string(), kPlenty).disabled_because(),
              HasSubstr("a symbolic link to nothing"));
  write_file(root_ / "file", "x");
  EXPECT_THAT(KernelCache((root_ / "file").string(), kPlenty).disabled_because(),
              HasSubstr("not a directory"));
}

TEST_F(KernelCacheTest, AnUnwritablePlaceTurnsItOffWithTheReason) {
  // Nobody, root included, can make a directory in /proc.
  KernelCache cache("/proc/weft-cache", kPlenty);
  EXPECT_THAT(cache.disabled_because(), HasSubstr("/proc/weft-cache: cannot be made: "));
  cache.put("t", "k", "s", "b");
  EXPECT_EQ(cache.find("t", "s"), std::nullopt);
}

TEST_F(KernelCacheTest, WarnsOnceWhereNoEntryCanBeWritten) {
  std::vector<std::string> warnings;
  KernelCache cache(directory_, kPlenty, [&](const std::string& text) { warnings.push_back(text); });
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // a write past the limit fails instead
  const rlimit little = {64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  cache.put("t", "k", "s", "binary");
  cache.put("t", "k", "another", "binary");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("a kernel cannot be kept: File too large")));
  EXPECT_TRUE(files().empty());
  cache.put("t", "k", "s", "binary");
  EXPECT_EQ(cache.find("t", "s"), "binary");
}

TEST_F(KernelCacheTest, AClockThatWasSetBackKeepsNothingForever) {
  KernelCache cache(directory_, kPlenty);
  const int64_t in_a_year = -365 * 86400;
  cache.put("t", "k", "old", "binary");
  set_age(files().at(0), in_a_year);
  EXPECT_EQ(cache.find("t", "old"), "binary");
  EXPECT_LE(cache.list().at(0).last_used,
            std::time(nullptr) + 1);  // and is the next to go where others are used
  write_file(fs::path(directory_) / ".new-1-1-1", "half");
  set_age(fs::path(directory_) / ".new-1-1-1", in_a_year);
  cache.trim(kPlenty);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(KernelCacheTest, EveryBitFlipIsFoundAndTheEntryDropped) {
  KernelCache cache(directory_, kPlenty);
  cache.put("toolchain", "kernel", "source", "binary");
  const fs::path path = files().at(0);
  const std::string whole = read_file(path);
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(path, damaged);
    EXPECT_EQ(cache.find("toolchain", "source"), std::nullopt) << "bit " << bit;
    EXPECT_FALSE(fs::exists(path)) << "bit " << bit;
  }
}

TEST_F(KernelCacheTest, EveryTruncationIsFoundByVerify) {
  KernelCache cache(directory_, kPlenty);
  cache.put("toolchain", "kernel", "source", "binary");
  const fs::path path = files().at(0);
  const std::string whole = read_file(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    const std::vector<CacheEntry> damaged = cache.verify();
    ASSERT_EQ(damaged.size(), 1u) << size;
    EXPECT_NE(damaged[0].problem, "");
    EXPECT_FALSE(fs::exists(path));
  }
  write_file(path, whole);
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(cache.find("toolchain", "source"), "binary");
}

TEST_F(KernelCacheTest, ForeignContentUnderAnEntrysNameIsDropped) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "one", "1");
  const fs::path path = files().at(0);
  const std::string sound = read_file(path);
  write_file(path, std::string(4096, 'x'));
  EXPECT_THAT(cache.list().at(0).problem, HasSubstr("not a kernel cache entry"));
  EXPECT_EQ(cache.verify().size(), 1u);

  // A sound entry under another's name must not be taken for it.
  const std::string other =
      directory_ + "/" + to_string(KernelCache::key("t", "two")) + path.extension().string();
  write_file(other, sound);
  EXPECT_EQ(cache.find("t", "two"), std::nullopt);
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(KernelCacheTest, KeepsWhatAKernelComputesApartFromWhatItWasMadeFor) {
  KernelCache cache(directory_, kPlenty);
  const KernelNote note{"exp, my\nown", "array 0 (read), dtype: f32\nlines: blur.py:12\n", 1500};
  cache.put("t", "k", "s", "binary", note);
  const auto holds = [&](const KernelCache& of) {
    ASSERT_EQ(of.list().size(), 1u);
    const CacheEntry entry = of.list()[0];
    EXPECT_EQ(entry.problem, "");
    EXPECT_EQ(entry.note.ops, note.ops);
    EXPECT_EQ(entry.note.facts, note.facts);
    EXPECT_EQ(entry.note.compile_us, note.compile_us);
  };
  holds(cache);
  KernelCache other((root_ / "other").string(), kPlenty);
  EXPECT_EQ(other.import_from(directory_).kernels, 1);
  holds(other);
  EXPECT_EQ(other.find("t", "s"), "binary");
}

TEST_F(KernelCacheTest, AnEntryOfAnotherVersionIsForeignAndMadeAnew) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "s", "binary");
  const fs::path path = files().at(0);
  std::string older = read_file(path);
  older.at(8) = 2;  // the version, behind eight bytes that say what the file is
  const auto age = [&] { write_file(path, older); };
  age();
  ASSERT_EQ(cache.list().size(), 1u);
  EXPECT_TRUE(cache.list()[0].foreign);
  EXPECT_THAT(cache.list()[0].problem, HasSubstr("another version of Weft wrote it, in format 2"));
  KernelCache other((root_ / "other").string(), kPlenty);
  const CacheImport import = other.import_from(directory_);
  EXPECT_EQ(import.kernels, 0);
  ASSERT_EQ(import.refused.size(), 1u);
  EXPECT_TRUE(import.refused[0].foreign);
  EXPECT_EQ(cache.find("t", "s"), std::nullopt);
  cache.put("t", "k", "s", "binary");
  EXPECT_EQ(cache.find("t", "s"), "binary");
  EXPECT_FALSE(cache.list()[0].foreign);
  age();
  EXPECT_EQ(cache.verify().size(), 1u);
  EXPECT_TRUE(files().empty());
}

TEST_F(KernelCacheTest, LeavesFilesThatAreNotItsOwnAlone) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "s", "b");
  write_file(directory_ + "/README", "mine");
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(cache.list().size(), 1u);
  cache.trim(0);
  EXPECT_EQ(cache.clear(), 0);
  EXPECT_EQ(read_file(directory_ + "/README"), "mine");
}

TEST_F(KernelCacheTest, ListsWhatEntriesAre) {
  KernelCache cache(directory_, kPlenty);
  cache.put("clang-19 znver4", "softmax_1", "source", "binary", {"exp, sum", "", 12'345});
  write_file(directory_ + "/.new-1-2-3", "half");
  const std::vector<CacheEntry> entries = cache.list();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].key, KernelCache::key("clang-19 znver4", "source"));
  EXPECT_EQ(entries[0].toolchain, "clang-19 znver4");
  EXPECT_EQ(entries[0].kernel, "softmax_1");
  EXPECT_EQ(entries[0].note.ops, "exp, sum");
  EXPECT_EQ(entries[0].note.compile_us, 12'345);
  EXPECT_EQ(entries[0].problem, "");
  EXPECT_EQ(entries[0].bytes, 96 + 15 + 9 + 8 + 6 + 6u);

  KernelCache other(directory_ + "_other", kPlenty);
  EXPECT_EQ(other.import_from(directory_).kernels, 1);
  EXPECT_EQ(other.list().at(0).note.ops, "exp, sum");
  EXPECT_EQ(other.list().at(0).note.compile_us, 12'345);
}

TEST_F(KernelCacheTest, TrimRemovesTheLeastRecentlyUsedFirst) {
  KernelCache cache(directory_, kPlenty);
  for (const char* source : {"a", "b", "c", "d"}) cache.put("t", "k", source, std::string(1000, '.'));
  auto path = [&](const char* source) {
    return directory_ + "/" + to_string(KernelCache::key("t", source)) + ".kernel";
  };
  set_age(path("a"), 400);
  set_age(path("b"), 300);
  set_age(path("c"), 200);
  set_age(path("d"), 100);
  EXPECT_TRUE(cache.find("t", "a").has_value());  // a hit marks it used
  cache.trim(2500);
  EXPECT_TRUE(fs::exists(path("a")));
  EXPECT_FALSE(fs::exists(path("b")));
  EXPECT_FALSE(fs::exists(path("c")));
  EXPECT_TRUE(fs::exists(path("d")));
  EXPECT_EQ(cache.clear(), 2);
  EXPECT_TRUE(cache.list().empty());
}

TEST_F(KernelCacheTest, AHitWithinTheMinuteDoesNotWriteToTheDisk) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "s", "b");
  set_age(files().at(0), 30);
  const int64_t before = cache.list().at(0).last_used;
  EXPECT_TRUE(cache.find("t", "s").has_value());
  EXPECT_EQ(cache.list().at(0).last_used, before);
}

TEST_F(KernelCacheTest, StaysWithinItsBound) {
  constexpr uint64_t kBound = 20'000;
  KernelCache cache(directory_, kBound);
  for (int i = 0; i < 200; ++i) {
    cache.put("t", "k", "source " + std::to_string(i), std::string(1000, '.'));
    uint64_t total = 0;
    for (const CacheEntry& entry : cache.list()) total += entry.bytes;
    ASSERT_LE(total, kBound) << i;
  }
  EXPECT_GT(cache.list().size(), 10u);
  EXPECT_TRUE(cache.find("t", "source 199").has_value());
  cache.put("t", "k", "huge", std::string(kBound, '.'));
  EXPECT_EQ(cache.find("t", "huge"), std::nullopt);
  EXPECT_GT(cache.list().size(), 10u);
}

TEST_F(KernelCacheTest, TrimRemovesWhatCrashedWritersLeftAfterAnHour) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "s", "b");
  write_file(directory_ + "/.new-old", "half");
  write_file(directory_ + "/.new-young", "half");
  set_age(directory_ + "/.new-old", 2 * 3600);
  cache.trim(kPlenty);
  EXPECT_FALSE(fs::exists(directory_ + "/.new-old"));
  EXPECT_TRUE(fs::exists(directory_ + "/.new-young"));
  EXPECT_TRUE(cache.find("t", "s").has_value());
}

TEST_F(KernelCacheTest, GoesOnAfterTheDirectoryWasRemoved) {
  KernelCache cache(directory_, kPlenty);
  cache.put("t", "k", "s", "b");
  fs::remove_all(directory_);
  EXPECT_EQ(cache.find("t", "s"), std::nullopt);
  cache.put("t", "k", "s", "b");
  EXPECT_EQ(cache.find("t", "s"), "b");
}

// What a source compiles to in the tests below: its own text many times, so that mixed-up parts show.
std::string binary_of(const std::string& source, int round) {
  std::string binary;
  for (int i = 0; i < 200 + round; ++i) binary += source;
  return binary;
}
bool made_from(const std::string& binary, const std::string& source) {
  if (binary.empty() || binary.size() % source.size() != 0) return false;
  for (size_t at = 0; at < binary.size(); at += source.size())
    if (binary.compare(at, source.size(), source) != 0) return false;
  return true;
}

TEST_F(KernelCacheTest, ManyProcessesShareADirectory) {
  constexpr int kProcesses = 8, kRounds = 150, kKeys = 12;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      // A bound that is passed all the time, so that trims race with everything else.
      KernelCache cache(directory_, 30'000);
      int wrong = !cache.disabled_because().empty();
      for (int round = 0; round < kRounds; ++round) {
        const std::string source = "source of kernel " + std::to_string((round * (child + 1)) % kKeys) + ";";
        const std::optional<std::string> found = cache.find("t", source);
        if (found && !made_from(*found, source)) ++wrong;
        if (!found || round % 5 == 0) cache.put("t", "k", source, binary_of(source, round));
        if (round % 10 == child) wrong += static_cast<int>(cache.verify().size());
        if (round % 40 == 39) cache.trim(20'000);
      }
      ::_exit(wrong > 100 ? 100 : wrong);
    }
    children.push_back(pid);
  }
  for (pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "wrong or damaged entries seen by one process";
  }
  KernelCache cache(directory_, kPlenty);
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_FALSE(cache.list().empty());
  for (const fs::path& path : files()) EXPECT_EQ(path.extension(), ".kernel") << path;
}

TEST_F(KernelCacheTest, ManyThreadsShareAnObject) {
  KernelCache cache(directory_, 30'000);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int round = 0; round < 150; ++round) {
          const std::string source = "source " + std::to_string((round * (thread + 1)) % 10) + ";";
          const std::optional<std::string> found = cache.find("t", source);
          if (found && !made_from(*found, source)) ++wrong;
          if (!found) cache.put("t", "k", source, binary_of(source, round));
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(cache.verify().empty());
}

}  // namespace
}  // namespace weft::runtime
