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

// The OpenBLAS of NumPy's wheel, in the build's own Python; empty where there is none.
std::string openblas_of_numpy() {
  const fs::path venv = fs::read_symlink("/proc/self/exe").parent_path() / "../../venv/lib";
  std::error_code none;
  for (const auto& version : fs::directory_iterator(venv, none))
    for (const auto& file : fs::directory_iterator(version.path() / "site-packages/numpy.libs", none))
      if (file.path().filename().string().starts_with("libscipy_openblas64_"))
        return fs::canonical(file.path()).string();
  return {};
}

template <typename T>
void expect_products_and_solutions(const BlasFunctions<T>& blas) {
  const std::vector<T> a{1, 2, 3, 4, 5, 6}, b{7, 8, 9, 10, 11, 12};  // 2 x 3 and 3 x 2
  std::vector<T> c(4), y(2), squares(4);
  const T one{1}, zero{0};
  blas.gemm(kBlasRowMajor, kBlasPlain, kBlasPlain, 2, 2, 3, blas_scalar<T>(one), a.data(), 3, b.data(), 2,
            blas_scalar<T>(zero), c.data(), 2);
  EXPECT_EQ(c, (std::vector<T>{58, 64, 139, 154}));
  blas.gemv(kBlasRowMajor, kBlasPlain, 2, 3, blas_scalar<T>(one), a.data(), 3, b.data(), 1,
            blas_scalar<T>(zero), y.data(), 1);
  EXPECT_EQ(y, (std::vector<T>{50, 122}));
  blas.syrk(kBlasRowMajor, kBlasLower, kBlasPlain, 2, 3, blas_scalar<T>(one), a.data(), 3,
            blas_scalar<T>(zero), squares.data(), 2);
  EXPECT_EQ(squares, (std::vector<T>{14, 0, 32, 77}));
  const std::vector<T> lower{2, 0, 1, 4};
  std::vector<T> x{2, 9};
  blas.trsm(kBlasRowMajor, kBlasLeft, kBlasLower, kBlasPlain, kBlasNonUnit, 2, 1, blas_scalar<T>(one),
            lower.data(), 2, x.data(), 1);
  EXPECT_EQ(x, (std::vector<T>{1, 2}));
  std::vector<T> factored{1, 4, 2, 3};  // columns: rows are exchanged
  const int side = 2;
  int pivots[2] = {0, 0}, info = -1;
  blas.getrf(&side, &side, factored.data(), &side, pivots, &info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(pivots[0], 2);
  EXPECT_EQ(pivots[1], 2);
  EXPECT_EQ(factored, (std::vector<T>{4, T{0.25f}, 3, T{1.25f}}));
}

TEST(OpenBlasOfNumPy, ComputesWithItsWideIntegers) {
  const std::string file = openblas_of_numpy();
  if (file.empty()) GTEST_SKIP() << "the build's Python has no NumPy that brings OpenBLAS";
  const OpenBlas blas = open_openblas({file}, "");
  EXPECT_TRUE(blas.shared);  // NumPy would compute on one thread ever after otherwise
  const int threads = blas.get_num_threads();
  {
    const OneBlasThread one(blas);
    EXPECT_EQ(blas.get_num_threads(), 1);
    expect_products_and_solutions(blas.of<float>());
    expect_products_and_solutions(blas.of<double>());
    expect_products_and_solutions(blas.of<std::complex<float>>());
    expect_products_and_solutions(blas.of<std::complex<double>>());
  }
  EXPECT_EQ(blas.get_num_threads(), threads);
}

}  // namespace
}  // namespace weft::runtime
