#include "runtime/cpu/openblas.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/base/error.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Each test has a copy of the stand-in under a name of its own: to the loader, a library that nobody has
// opened.
class OpenBlasOpening : public testing::Test {
 protected:
  void SetUp() override {
    forget_choices();
    const fs::path beside =
        fs::read_symlink("/proc/self/exe").parent_path() / "fake_openblas/libopenblas.so.0";
    const char* test = testing::UnitTest::GetInstance()->current_test_info()->name();
    copy_ = fs::path(testing::TempDir()) / (std::to_string(getpid()) + test + ".so");
    fs::copy_file(beside, copy_);
  }
  void TearDown() override {
    fs::remove(copy_);
    forget_choices();
  }
  static void forget_choices() {
    for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OPENBLAS_FAKE_PARALLEL"})
      unsetenv(name);
  }
  std::string library() const { return copy_.string(); }
  std::string seen(const char* symbol) const {
    void* handle = dlopen(copy_.c_str(), RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<const char* (*)()>(dlsym(handle, symbol))();
  }
  std::string error(const std::vector<std::string>& libraries) const {
    try {
      open_openblas(libraries, "");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

 private:
  fs::path copy_;
};

TEST_F(OpenBlasOpening, TellsItItsKernelsAndToStartNoThreads) {
  open_openblas({library()}, "Haswell");
  EXPECT_EQ(seen("fake_core_type"), "Haswell");
  EXPECT_EQ(seen("fake_num_threads"), "1");
}

TEST_F(OpenBlasOpening, LeavesTheEnvironmentAsItWas) {
  std::vector<std::string> before, after;
  for (char** entry = environ; *entry; ++entry) before.emplace_back(*entry);
  open_openblas({library()}, "Haswell");
  for (char** entry = environ; *entry; ++entry) after.emplace_back(*entry);
  EXPECT_EQ(before, after);
}

TEST_F(OpenBlasOpening, LeavesTheUsersChoiceAlone) {
  setenv("OPENBLAS_CORETYPE", "Zen", 1);
  setenv("OPENBLAS_NUM_THREADS", "3", 1);
  const OpenBlas blas = open_openblas({library()}, "Haswell");
  EXPECT_EQ(seen("fake_core_type"), "Zen");
  EXPECT_EQ(seen("fake_num_threads"), "3");
  EXPECT_STREQ(getenv("OPENBLAS_CORETYPE"), "Zen");
  EXPECT_STREQ(getenv("OPENBLAS_NUM_THREADS"), "3");
  EXPECT_EQ(blas.get_num_threads(), 1);
}

TEST_F(OpenBlasOpening, TellsItNothingOfKernelsWhereItMayChoose) {
  open_openblas({library()}, "");
  EXPECT_EQ(seen("fake_core_type"), "");
}

TEST_F(OpenBlasOpening, KeepsItsOwnCopyOnOneThread) {
  const OpenBlas blas = open_openblas({library()}, "");
  EXPECT_FALSE(blas.shared);
  EXPECT_EQ(blas.get_num_threads(), 1);
  {
    const OneBlasThread one(blas);
  }
  EXPECT_EQ(blas.get_num_threads(), 1);
}

TEST_F(OpenBlasOpening, GivesACopyOfTheProgramItsThreadsBack) {
  ASSERT_NE(dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
  const OpenBlas blas = open_openblas({library()}, "Haswell");
  EXPECT_TRUE(blas.shared);
  EXPECT_EQ(blas.get_num_threads(), 8);
  {
    const OneBlasThread one(blas);
    EXPECT_EQ(blas.get_num_threads(), 1);
    {
      const OneBlasThread another(blas);
    }
    EXPECT_EQ(blas.get_num_threads(), 1);
  }
  EXPECT_EQ(blas.get_num_threads(), 8);
}

TEST_F(OpenBlasOpening, RefusesBuildsThatThreadsCannotCallTogether) {
  setenv("OPENBLAS_FAKE_PARALLEL", "0", 1);
  EXPECT_THAT(error({library()}), HasSubstr(library() + " is a serial build"));
  setenv("OPENBLAS_FAKE_PARALLEL", "2", 1);
  EXPECT_THAT(error({library()}), HasSubstr(library() + " is an OpenMP build"));
}

TEST_F(OpenBlasOpening, SaysWhatToInstallAndWhatWasTried) {
  const std::string text = error({"/nowhere/libopenblas.so.0", "libm.so.6"});
  EXPECT_THAT(text, HasSubstr("Debian and Ubuntu: libopenblas0-pthread"));
  EXPECT_THAT(text, HasSubstr("/nowhere/libopenblas.so.0: cannot open shared object file"));
  EXPECT_THAT(text, HasSubstr("libm.so.6 lacks functions of OpenBLAS"));
}

TEST_F(OpenBlasOpening, GoesOnToTheNextLibrary) {
  const OpenBlas blas = open_openblas({"/nowhere/libopenblas.so.0", library()}, "");
  EXPECT_FALSE(blas.shared);
}

}  // namespace
}  // namespace weft::runtime
