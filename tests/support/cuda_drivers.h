// What tests of a CUDA device start from: small kernels, the stand-in driver, and a device of either driver.
// Without a GPU, or without the stand-in, the tests of that driver are skipped.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"

namespace weft::runtime {

// w = {out, n, value}
inline constexpr const char* kFill = R"(
struct Args { unsigned long long w[3]; };
extern "C" __global__ void fill(const __grid_constant__ Args args) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.w[1]) ((unsigned*)args.w[0])[i] = (unsigned)args.w[2];
})";
// w = {out, in, n}
inline constexpr const char* kAddOne = R"(
struct Args { unsigned long long w[3]; };
extern "C" __global__ void add_one(const __grid_constant__ Args args) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.w[2]) ((unsigned*)args.w[0])[i] = ((const unsigned*)args.w[1])[i] + 1;
})";
inline constexpr const char* kWriteNull = R"(
struct Args { unsigned long long w[1]; };
extern "C" __global__ void write_null(const __grid_constant__ Args args) {
  *(volatile unsigned*)args.w[0] = 1;
})";

inline KernelSource source(const char* name, std::string text) { return {name, text, hash_text(text), {}}; }
inline uint64_t word(const BufferRef& buffer) { return reinterpret_cast<uint64_t>(buffer->data()); }
inline Launch blocks_for(size_t n) {
  Launch how;
  how.threads = 256;
  how.tasks = static_cast<int64_t>((n + 255) / 256);
  return how;
}

// The stand-in lies beside this program, wherever that was copied to.
inline const std::string& fake_directory() {
  static const std::string directory =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_cuda").string();
  return directory;
}
inline std::string fake_library() { return fake_directory() + "/libcuda.so.1"; }

inline CudaOptions fake_options() {
  CudaOptions options;
  options.library_directories.insert(options.library_directories.begin(), fake_directory());
  return options;
}

template <class Function>
Function* fake_function(const char* symbol) {
  // Not closed: the library keeps its counts as long as it is loaded, and the devices keep it loaded anyway.
  void* library = dlopen(fake_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, symbol));
}
inline long fake_calls(const char* name) { return fake_function<long(const char*)>("fake_cuda_calls")(name); }

// Without it the device would be the real one.
#define NEED_STAND_IN() \
  if (!std::filesystem::exists(fake_library())) GTEST_SKIP() << "no stand-in driver: " << fake_library()

enum class Driver { Fake, Real };

class CudaDevice : public testing::TestWithParam<Driver> {
 protected:
  CudaOptions options() const { return GetParam() == Driver::Fake ? fake_options() : CudaOptions{}; }

  void SetUp() override {
    std::string reason;
    if (GetParam() == Driver::Fake) NEED_STAND_IN();
    if (cuda_device_count(reason, options()) == 0) GTEST_SKIP() << reason;
    device_ = make_cuda_device(0, options(), nullptr, counters_);
  }

  KernelRef load(const KernelSource& what) {
    std::string reason;
    if (!cuda::Nvrtc::open(options().library_directories, reason)) return nullptr;
    return device_->load(what);
  }

  std::vector<uint32_t> read(const BufferRef& buffer) {
    std::vector<uint32_t> values(buffer->bytes() / 4);
    device_->download(values.data(), *buffer, 0, buffer->bytes());
    return values;
  }

  Counters counters_;
  std::shared_ptr<Device> device_;
};

#define NEED(kernel) \
  if (!kernel) GTEST_SKIP() << "no NVRTC on this machine"

}  // namespace weft::runtime
