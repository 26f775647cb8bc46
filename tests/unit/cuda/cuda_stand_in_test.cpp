// What only the stand-in CUDA driver shows: how often it is called, and what it is not asked once it is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "compiler/base/error.h"
#include "tests/support/cuda_drivers.h"

namespace weft::runtime {
namespace {

using testing::HasSubstr;

class FakeCuda : public testing::Test {
 protected:
  void SetUp() override { NEED_STAND_IN(); }
};

TEST_F(FakeCuda, CallsTheDriverOnceForABlockThatIsUsedAgain) {
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, fake_options(), nullptr, counters);
  const long before = fake_calls("cuMemAllocFromPoolAsync"), freed = fake_calls("cuMemFreeAsync");
  for (int i = 0; i < 100; ++i) device->allocate(1'000'000);
  EXPECT_EQ(fake_calls("cuMemAllocFromPoolAsync"), before + 1);
  EXPECT_EQ(fake_calls("cuMemFreeAsync"), freed);
}

TEST_F(FakeCuda, WaitsForEachCopyWhileATraceIsOn) {
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, fake_options(), nullptr, counters);
  const BufferRef buffer = device->allocate(1000);
  std::vector<char> host(1000);
  const auto copy = [&] {
    device->upload(*buffer, 0, host.data(), 600);
    device->download(host.data(), *buffer, 0, 400);
  };
  const auto waits = [&] {
    const long before = fake_calls("cuStreamSynchronize");
    copy();
    return fake_calls("cuStreamSynchronize") - before;
  };
  const long without = waits();
  ASSERT_TRUE(counters.trace.start());
  EXPECT_FALSE(counters.trace.start()) << "one at a time";
  EXPECT_EQ(waits(), without + 4) << "before and after each";
  const Trace::Taken taken = counters.trace.stop();
  EXPECT_EQ(waits(), without);
  ASSERT_EQ(taken.events.size(), 2u);
  EXPECT_EQ(taken.events[0].work, Work::Upload);
  EXPECT_EQ(taken.events[0].bytes_written, 600);
  EXPECT_EQ(taken.events[1].work, Work::Download);
  EXPECT_EQ(taken.events[1].bytes_written, 400);
  EXPECT_GE(taken.events[1].start, taken.events[0].start + taken.events[0].ns);
}

TEST_F(FakeCuda, TriesAgainAfterGivingEverythingFreeBack) {
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, fake_options(), nullptr, counters);
  const long trims = fake_calls("cuMemPoolTrimTo");
  BufferRef kept = device->allocate(size_t{20} << 20);
  // 200 of the 256 MiB, free again but of sizes that the next request cannot use.
  {
    std::vector<BufferRef> buffers;
    buffers.reserve(20);
    for (int i = 0; i < 20; ++i) buffers.push_back(device->allocate(size_t{10} << 20));
  }
  BufferRef large = device->allocate(size_t{150} << 20);
  EXPECT_EQ(fake_calls("cuMemPoolTrimTo"), trims + 1);
  EXPECT_EQ(large->bytes(), size_t{150} << 20);
}

TEST_F(FakeCuda, GivesEverythingBackAtTheEnd) {
  struct Count {
    long modules, unloaded, retained, released, streams, destroyed, host, host_freed, events, events_gone;
  };
  auto count = [] {
    return Count{fake_calls("cuModuleLoadData"),
                 fake_calls("cuModuleUnload"),
                 fake_calls("cuDevicePrimaryCtxRetain"),
                 fake_calls("cuDevicePrimaryCtxRelease"),
                 fake_calls("cuStreamCreate"),
                 fake_calls("cuStreamDestroy"),
                 fake_calls("cuMemHostAlloc"),
                 fake_calls("cuMemFreeHost"),
                 fake_calls("cuEventCreate"),
                 fake_calls("cuEventDestroy")};
  };
  const Count before = count();
  std::string reason;
  const bool compiler = cuda::Nvrtc::open(fake_options().library_directories, reason) != nullptr;
  Counters counters;
  {
    std::shared_ptr<Device> device = make_cuda_device(0, fake_options(), nullptr, counters);
    BufferRef buffer = device->allocate(40);
    uint32_t value = 1;
    device->upload(*buffer, 0, &value, 4);
    if (compiler) device->load(source("fill", kFill));
  }
  const Count after = count();
  EXPECT_EQ(after.modules - before.modules, compiler ? 1 : 0);
  EXPECT_EQ(after.unloaded - before.unloaded, compiler ? 1 : 0);
  EXPECT_EQ(after.retained - before.retained, 1);
  EXPECT_EQ(after.released - before.released, 1);
  EXPECT_EQ(after.streams - before.streams, after.destroyed - before.destroyed);
  EXPECT_EQ(after.host - before.host, 1);
  EXPECT_EQ(after.host_freed - before.host_freed, 1);
  EXPECT_EQ(after.events - before.events, 64);
  EXPECT_EQ(after.events_gone - before.events_gone, 64);
}

TEST_F(FakeCuda, CallsNothingOnceTheDriverHasShutDown) {
  auto* shut_down = fake_function<void(bool)>("fake_cuda_shut_down");
  std::string reason;
  const bool compiler = cuda::Nvrtc::open(fake_options().library_directories, reason) != nullptr;
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, fake_options(), nullptr, counters);
  BufferRef buffer = device->allocate(40);
  uint32_t value = 1;
  device->upload(*buffer, 0, &value, 4);
  KernelRef fill = compiler ? device->load(source("fill", kFill)) : nullptr;
  const char* ends[] = {"cuModuleUnload", "cuMemFreeHost",   "cuMemFreeAsync",
                        "cuEventDestroy", "cuStreamDestroy", "cuDevicePrimaryCtxRelease"};
  auto ended = [&] {
    long count = 0;
    for (const char* name : ends) count += fake_calls(name);
    return count;
  };
  const long before = ended();
  shut_down(true);
  EXPECT_THROW(device->synchronize(), InternalError);
  buffer.reset();
  device.reset();
  fill.reset();
  EXPECT_EQ(ended(), before);
  shut_down(false);
}

TEST_F(FakeCuda, UsesCachedKernelsWhereThereIsNoCompiler) {
  std::string reason;
  if (!cuda::Nvrtc::open(fake_options().library_directories, reason)) GTEST_SKIP() << reason;
  namespace fs = std::filesystem;
  fs::path directory = fs::path(testing::TempDir()) / ("weft_cuda_bundle_" + std::to_string(getpid()));
  fs::remove_all(directory);
  auto cache = std::make_shared<KernelCache>(directory.string(), uint64_t{1} << 30);
  Counters counters;
  make_cuda_device(0, fake_options(), cache, counters)->load(source("fill", kFill));

  CudaOptions bare;
  bare.library_directories = {fake_directory()};
  std::shared_ptr<Device> device = make_cuda_device(0, bare, cache, counters);
  EXPECT_NE(device->load(source("fill", kFill)), nullptr);
  EXPECT_EQ(counters.disk_hits, 1);
  try {
    device->load(source("add_one", kAddOne));
    FAIL() << "compiled without a compiler";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cuda:0: kernels cannot be compiled: no NVRTC"));
  }
  fs::remove_all(directory);
}

TEST_F(FakeCuda, SaysThatThereIsNoMatrixLibrary) {
  CudaOptions bare;
  bare.library_directories = {fake_directory()};
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, bare, nullptr, counters);
  EXPECT_FALSE(device->supports_dot(DType::F32));
  BufferRef buffer = device->allocate(4);
  try {
    device->dot({DType::F32, 1, 1, 1, 1, false, false, 1, 1, 1, 0, 0, 0}, buffer->data(), buffer->data(),
                buffer->data());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no matrix products: no cuBLASLt for CUDA 13"));
  }
}

TEST_F(FakeCuda, NamesAnOrdinalThatIsNotThere) {
  Counters counters;
  for (int ordinal : {-1, 2}) {
    try {
      make_cuda_device(ordinal, fake_options(), nullptr, counters);
      FAIL() << "cuda:" << ordinal;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no such device; this machine shows 2 CUDA devices"));
    }
  }
}

TEST(CudaSearch, SaysThatThereIsNoDriver) {
  CudaOptions nowhere;
  nowhere.library_directories = {"/nowhere"};
  std::string reason;
  EXPECT_EQ(cuda_device_count(reason, nowhere), 0);
  EXPECT_THAT(reason, HasSubstr("no NVIDIA driver"));
  EXPECT_THAT(reason, HasSubstr("/nowhere/libcuda.so.1"));
  Counters counters;
  try {
    make_cuda_device(3, nowhere, nullptr, counters);
    FAIL() << "a device without a driver";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cuda:3: no NVIDIA driver"));
  }
}

}  // namespace
}  // namespace weft::runtime
