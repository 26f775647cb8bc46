// NVRTC as Weft uses it; needs the library but no GPU.
#include "runtime/cuda/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "compiler/base/error.h"
#include "runtime/cuda/shared_library.h"

namespace weft::runtime::cuda {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kAxpy = R"(
struct Args { unsigned long long w[4]; };
extern "C" __global__ void axpy(const __grid_constant__ Args args) {
  float* out = (float*)args.w[0];
  const float* in = (const float*)args.w[1];
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long)args.w[2]) out[i] = out[i] + __uint_as_float((unsigned)args.w[3]) * in[i];
}
)";

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    nvrtc_ = Nvrtc::open(SharedLibrary::default_directories(), reason);
    if (!nvrtc_) GTEST_SKIP() << reason;
  }
  std::unique_ptr<Nvrtc> nvrtc_;
};

// The machine and architecture fields of an ELF header: EM_CUDA.
bool is_cuda_elf(const std::string& image) {
  if (image.size() < 64 || std::memcmp(image.data(),
                                       "\x7f"
                                       "ELF",
                                       4) != 0)
    return false;
  return static_cast<unsigned char>(image[18]) == 190 && image[19] == 0;
}

TEST_F(NvrtcTest, CompilesToMachineCodeOfTheArchitectureAskedFor) {
  std::string sm_90 = nvrtc_->compile(kAxpy, "axpy", "sm_90");
  std::string sm_80 = nvrtc_->compile(kAxpy, "axpy", "sm_80");
  EXPECT_TRUE(is_cuda_elf(sm_90));
  EXPECT_TRUE(is_cuda_elf(sm_80));
  EXPECT_NE(sm_90, sm_80);
  EXPECT_THAT(sm_90, HasSubstr("axpy"));
}

TEST_F(NvrtcTest, CompilesTheSameSourceToTheSameCode) {
  EXPECT_EQ(nvrtc_->compile(kAxpy, "axpy", "sm_90"), nvrtc_->compile(kAxpy, "axpy", "sm_90"));
}

TEST_F(NvrtcTest, ContractsAMultiplicationAndAnAddition) {
  EXPECT_THAT(nvrtc_->ptx(kAxpy, "axpy", "sm_90"), HasSubstr("fma.rn.f32"));
}

TEST_F(NvrtcTest, ShowsPtxOfTheArchitectureAskedFor) {
  std::string ptx = nvrtc_->ptx(kAxpy, "axpy", "sm_80");
  EXPECT_THAT(ptx, HasSubstr(".target sm_80"));
  EXPECT_THAT(ptx, HasSubstr(".entry axpy"));
  EXPECT_THAT(ptx, HasSubstr(".loc")) << "the lines of the source";
  EXPECT_EQ(ptx.find('\0'), std::string::npos);
}

TEST_F(NvrtcTest, TreatsPlainFunctionsAsDeviceFunctions) {
  std::string source = R"(
inline float twice(float x) { return x + x; }
struct Args { unsigned long long w[1]; };
extern "C" __global__ void k(const __grid_constant__ Args args) { *(float*)args.w[0] = twice(2.0f); })";
  EXPECT_TRUE(is_cuda_elf(nvrtc_->compile(source, "k", "sm_90")));
}

// Two blocks of 1024 threads do not run at once where a multiprocessor runs 1536.
TEST_F(NvrtcTest, TellsWarningsOfWhatCompiles) {
  std::string log;
  nvrtc_->compile(
      "extern \"C\" __global__ void __launch_bounds__(1024, 2) k(float* x) { x[threadIdx.x] = 1; }", "k",
      "sm_89", &log);
  EXPECT_THAT(log, HasSubstr("ignored"));
}

TEST_F(NvrtcTest, ReportsTheCompilersLogAndTheSource) {
  std::string source = "extern \"C\" __global__ void broken() { int x = no_such_name; }";
  try {
    nvrtc_->compile(source, "broken", "sm_90");
    FAIL() << "a wrong source was compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log(), HasSubstr("identifier \"no_such_name\" is undefined"));
    EXPECT_THAT(error.log(), HasSubstr("broken.cu(1)"));
    EXPECT_EQ(error.log().find('\0'), std::string::npos);
    EXPECT_THAT(error.what(), HasSubstr("no_such_name"));
    EXPECT_EQ(error.source(), source);
  }
}

TEST_F(NvrtcTest, NamesAnArchitectureThatItDoesNotKnow) {
  try {
    nvrtc_->compile(kAxpy, "axpy", "sm_7");
    FAIL() << "sm_7 was compiled for";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("axpy for sm_7"));
    EXPECT_THAT(error.log(), HasSubstr("gpu-architecture"));
  }
  // The refusal of one option must not cost the others, nor later programs.
  EXPECT_TRUE(is_cuda_elf(nvrtc_->compile(kAxpy, "axpy", "sm_90")));
}

TEST_F(NvrtcTest, ToolchainTellsVersionAndArchitecture) {
  EXPECT_THAT(nvrtc_->toolchain("sm_90"), HasSubstr(kNvrtcToolchainPrefix + nvrtc_->version()));
  EXPECT_NE(nvrtc_->toolchain("sm_90"), nvrtc_->toolchain("sm_80"));
  EXPECT_TRUE(nvrtc_->toolchain("sm_90").ends_with(" sm_90"));
}

TEST_F(NvrtcTest, CompilesFromManyThreads) {
  std::vector<std::string> images(4);
  std::vector<std::thread> threads;
  threads.reserve(images.size());
  for (size_t i = 0; i < images.size(); ++i)
    threads.emplace_back([&, i] { images[i] = nvrtc_->compile(kAxpy, "axpy", "sm_90"); });
  for (auto& thread : threads) thread.join();
  for (const std::string& image : images) {
    EXPECT_TRUE(is_cuda_elf(image));
    EXPECT_EQ(image, images[0]);
  }
}

// By itself NVRTC ends the process, with status 4, for a SIGINT that comes during its first compilation. A
// process of its own, since only the first does.
TEST_F(NvrtcTest, LeavesInterruptsToTheProgram) {
  const auto body = [this] {
    std::atomic<bool> done = false;
    static std::atomic<int> arrived = 0;
    struct sigaction count{};
    count.sa_handler = [](int) { ++arrived; };
    sigaction(SIGINT, &count, nullptr);
    std::thread sender([&] {
      while (!done) kill(getpid(), SIGINT);
    });
    const std::string image = nvrtc_->compile(kAxpy, "axpy", "sm_90");
    const int during = arrived;
    done = true;
    sender.join();
    std::_Exit(is_cuda_elf(image) && during > 0 ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

TEST(NvrtcSearch, SaysWhereItLookedWhenThereIsNoLibrary) {
  std::string reason;
  EXPECT_EQ(Nvrtc::open({"/nowhere/at/all"}, reason), nullptr);
  EXPECT_THAT(reason, HasSubstr("no NVRTC"));
  EXPECT_THAT(reason, HasSubstr("/nowhere/at/all/libnvrtc.so.13"));
  EXPECT_THAT(reason, HasSubstr("/nowhere/at/all/libnvrtc.so.12"));
}

TEST(NvrtcSearch, LeavesOutVersionsThatTheDriverCannotRun) {
  std::string reason;
  EXPECT_EQ(Nvrtc::open({"/nowhere"}, reason, 12), nullptr);
  EXPECT_THAT(reason, Not(HasSubstr("libnvrtc.so.13")));
}

TEST(NvrtcSearch, NeedsADirectory) {
  std::string reason;
  EXPECT_EQ(Nvrtc::open({}, reason), nullptr);
  EXPECT_THAT(reason, HasSubstr("no directory to look in"));
}

TEST_F(NvrtcTest, IsFoundWherePythonPackagesKeepIt) {
  // A folder laid out like site-packages, with the library of this machine linked into it.
  std::string reason;
  auto library =
      SharedLibrary::open({"libnvrtc.so.13", "libnvrtc.so.12"}, SharedLibrary::default_directories(), reason);
  ASSERT_TRUE(library) << reason;
  Dl_info where{};
  ASSERT_NE(dladdr(library->symbol("nvrtcVersion"), &where), 0);
  namespace fs = std::filesystem;
  fs::path root = fs::path(testing::TempDir()) / ("weft_site_packages_" + std::to_string(getpid()));
  fs::path folder = root / "nvidia" / "cuda_nvrtc" / "lib";
  fs::create_directories(folder);
  fs::path link =
      folder / fs::path(nvrtc_->version().starts_with("13") ? "libnvrtc.so.13" : "libnvrtc.so.12");
  fs::create_symlink(fs::canonical(where.dli_fname), link);
  std::unique_ptr<Nvrtc> found = Nvrtc::open({root.string()}, reason);
  fs::remove_all(root);
  ASSERT_NE(found, nullptr) << reason;
  EXPECT_TRUE(is_cuda_elf(found->compile(kAxpy, "axpy", "sm_90")));
}

}  // namespace
}  // namespace weft::runtime::cuda
