// The CUDA device: memory, copies, kernels and errors on a stand-in driver (everywhere) and on the real one
// (where there is a GPU); matrix products and what only hardware does on a GPU alone.
#include "runtime/cuda/cuda_device.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <thread>

#include "compiler/base/error.h"
#include "runtime/cuda/nvrtc.h"

namespace weft::runtime {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// w = {out, n, value}
constexpr const char* kFill = R"(
struct Args { unsigned long long w[3]; };
extern "C" __global__ void fill(const __grid_constant__ Args args) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.w[1]) ((unsigned*)args.w[0])[i] = (unsigned)args.w[2];
})";
// w = {out, in, n}
constexpr const char* kAddOne = R"(
struct Args { unsigned long long w[3]; };
extern "C" __global__ void add_one(const __grid_constant__ Args args) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.w[2]) ((unsigned*)args.w[0])[i] = ((const unsigned*)args.w[1])[i] + 1;
})";
constexpr const char* kWriteNull = R"(
struct Args { unsigned long long w[1]; };
extern "C" __global__ void write_null(const __grid_constant__ Args args) {
  *(volatile unsigned*)args.w[0] = 1;
})";

KernelSource source(const char* name, std::string text) { return {name, text, hash_text(text)}; }
uint64_t word(const BufferRef& buffer) { return reinterpret_cast<uint64_t>(buffer->data()); }
Launch blocks_for(size_t n) {
  Launch how;
  how.threads = 256;
  how.tasks = static_cast<int64_t>((n + 255) / 256);
  return how;
}

// The stand-in lies beside this program, wherever that was copied to.
const std::string& fake_directory() {
  static const std::string directory =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_cuda").string();
  return directory;
}
std::string fake_library() { return fake_directory() + "/libcuda.so.1"; }

CudaOptions fake_options() {
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
long fake_calls(const char* name) { return fake_function<long(const char*)>("fake_cuda_calls")(name); }

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

// Random bytes that repeat after a prime number of them, so that no two pieces of a copy look alike.
std::vector<uint8_t> pattern(size_t bytes, uint32_t seed) {
  constexpr size_t kPeriod = 65521;
  std::vector<uint8_t> data(bytes);
  std::mt19937 random(seed);
  const size_t first = std::min(bytes, kPeriod);
  std::generate_n(data.begin(), first, [&] { return static_cast<uint8_t>(random()); });
  for (size_t i = first; i < bytes; i += kPeriod)
    std::memcpy(&data[i], data.data(), std::min(kPeriod, bytes - i));
  return data;
}

TEST_P(CudaDevice, DescribesTheGpu) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.name, "cuda:0");
  EXPECT_FALSE(info.description.empty());
  EXPECT_THAT(info.architecture, ContainsRegex("^sm_[0-9]+$"));
  EXPECT_GT(info.threads, 0);
  EXPECT_GT(info.cache_bytes, 0u);
  EXPECT_GT(info.memory_bytes, size_t{100} << 20);
  EXPECT_GE(info.shared_bytes, 48u << 10);
  EXPECT_FALSE(device_->host_visible());
}

TEST_P(CudaDevice, CopiesAnySizeThereAndBack) {
  constexpr size_t k4M = size_t{4} << 20;
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{7}, size_t{255}, size_t{65535}, size_t{65536},
                       size_t{65537}, k4M - 1, k4M, k4M + 1, 9 * k4M + 13}) {
    std::vector<uint8_t> sent = pattern(bytes, static_cast<uint32_t>(bytes)), received(bytes, 0);
    BufferRef buffer = device_->allocate(bytes);
    EXPECT_EQ(buffer->bytes(), bytes);
    device_->upload(*buffer, 0, sent.data(), bytes);
    device_->download(received.data(), *buffer, 0, bytes);
    EXPECT_TRUE(sent == received) << bytes << " bytes";
  }
}

TEST_P(CudaDevice, UploadLetsTheHostReuseItsMemoryAtOnce) {
  constexpr size_t kBytes = 9'000'001, kBuffers = 4;
  std::vector<uint8_t> host(kBytes);
  std::vector<BufferRef> buffers;
  for (size_t i = 0; i < kBuffers; ++i) {
    buffers.push_back(device_->allocate(kBytes));
    std::fill(host.begin(), host.end(), static_cast<uint8_t>(i + 1));
    device_->upload(*buffers[i], 0, host.data(), kBytes);
  }
  for (size_t i = 0; i < kBuffers; ++i) {
    device_->download(host.data(), *buffers[i], 0, kBytes);
    EXPECT_EQ(std::count(host.begin(), host.end(), static_cast<uint8_t>(i + 1)),
              static_cast<int64_t>(kBytes));
  }
}

TEST_P(CudaDevice, HoldsMoreSmallUploadsThanItHasSlots) {
  constexpr uint32_t kCount = 1000;
  BufferRef buffer = device_->allocate(kCount * 4);
  for (uint32_t i = 0; i < kCount; ++i) device_->upload(*buffer, i * 4, &i, 4);
  std::vector<uint32_t> values = read(buffer);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], i);
}

TEST_P(CudaDevice, CopiesPartsOfBuffers) {
  std::vector<uint8_t> sent = pattern(1000, 3), received(300);
  BufferRef a = device_->allocate(1000), b = device_->allocate(500);
  device_->upload(*a, 0, sent.data(), 1000);
  device_->copy(*b, 100, *a, 333, 300);
  device_->download(received.data(), *b, 100, 300);
  EXPECT_TRUE(std::equal(received.begin(), received.end(), sent.begin() + 333));
}

TEST_P(CudaDevice, RefusesCopiesPastTheEnd) {
  BufferRef a = device_->allocate(100), b = device_->allocate(100);
  uint8_t host[8] = {};
  EXPECT_THROW(device_->upload(*a, 96, host, 5), InternalError);
  EXPECT_THROW(device_->download(host, *a, 101, 0), InternalError);
  EXPECT_THROW(device_->copy(*a, 0, *b, 50, 51), InternalError);
  device_->upload(*a, 96, host, 4);
}

TEST_P(CudaDevice, AlignsMemoryAndKeepsCount) {
  const size_t before = device_->memory().in_use;
  {
    std::vector<BufferRef> buffers;
    for (size_t bytes : {1, 3, 256, 257, 5000, 100'000}) buffers.push_back(device_->allocate(bytes));
    for (const BufferRef& buffer : buffers) EXPECT_EQ(word(buffer) % 256, 0u);
    EXPECT_GE(device_->memory().in_use, before + 105'517);
    EXPECT_GE(device_->memory().peak, device_->memory().in_use);
  }
  EXPECT_EQ(device_->memory().in_use, before);
  EXPECT_GE(device_->memory().pooled, 105'517u);
}

TEST_P(CudaDevice, HandsAFreedBlockOutAgain) {
  BufferRef first = device_->allocate(1'000'000);
  const void* where = first->data();
  first.reset();
  BufferRef second = device_->allocate(990'000);
  EXPECT_EQ(second->data(), where);
  BufferRef third = device_->allocate(990'000);
  EXPECT_NE(third->data(), where);
}

TEST_P(CudaDevice, TrimGivesFreeMemoryBack) {
  BufferRef kept = device_->allocate(size_t{1} << 20);
  device_->allocate(size_t{64} << 20).reset();
  EXPECT_GE(device_->memory().pooled, size_t{64} << 20);
  device_->trim();
  EXPECT_LT(device_->memory().pooled, size_t{64} << 20);
  EXPECT_GE(device_->memory().in_use, size_t{1} << 20);
}

TEST_P(CudaDevice, SaysWhatIsHeldWhenMemoryRunsOut) {
  BufferRef held = device_->allocate(size_t{8} << 20);
  // One that nobody could ever have, and one that fits the device but not beside the rest.
  for (size_t bytes : {size_t{1} << 60, device_->info().memory_bytes - 1}) {
    try {
      device_->allocate(bytes);
      FAIL() << bytes << " bytes were found";
    } catch (const OutOfMemory& error) {
      EXPECT_THAT(error.what(), HasSubstr("cuda:0: no room for "));
      EXPECT_THAT(error.what(), HasSubstr("(" + std::to_string(bytes) + ")"));
      EXPECT_THAT(error.what(), HasSubstr("Weft holds 8.0 MiB in live buffers"));
      EXPECT_THAT(error.what(), ContainsRegex("of the device's .* are free"));
    }
  }
  device_->upload(*held, 0, "still here", 10);
  char text[10];
  device_->download(text, *held, 0, 10);
  EXPECT_EQ(std::string(text, 10), "still here");
}

TEST_P(CudaDevice, AStreamDoesNotWaitForAnother) {
  const std::shared_ptr<Stream> side = device_->make_stream();
  const std::vector<uint8_t> data = pattern(1 << 20, 3);
  const BufferRef buffer = device_->allocate(data.size());
  {
    const StreamScope scope(side);
    EXPECT_EQ(device_->stream(), side);
    device_->start_upload(*buffer, 0, data.data(), data.size());
  }
  EXPECT_NE(device_->stream()->handle(), side->handle());
  device_->stream()->synchronize();
  EXPECT_TRUE(GetParam() != Driver::Fake || !side->done());
  side->synchronize();
  EXPECT_TRUE(side->done());
}

TEST_P(CudaDevice, ReadsWaitForTheStreamThatWrites) {
  const std::shared_ptr<Stream> one = device_->make_stream(), other = device_->make_stream();
  const std::vector<uint8_t> data = pattern(3 << 20, 4);
  const BufferRef first = device_->allocate(data.size()), second = device_->allocate(data.size());
  std::vector<uint8_t> back(data.size());
  {
    const StreamScope scope(one);
    device_->start_upload(*first, 0, data.data(), data.size());
  }
  {
    const StreamScope scope(other);
    device_->copy(*second, 0, *first, 0, data.size());
  }
  device_->download(back.data(), *second, 0, back.size());
  EXPECT_EQ(back, data);
}

TEST_P(CudaDevice, WritesWaitForTheStreamsThatRead) {
  const std::shared_ptr<Stream> reader = device_->make_stream();
  const std::vector<uint8_t> data = pattern(3 << 20, 5), later = pattern(3 << 20, 6);
  const BufferRef buffer = device_->allocate(data.size());
  device_->upload(*buffer, 0, data.data(), data.size());
  std::vector<uint8_t> back(data.size());
  {
    const StreamScope scope(reader);
    device_->start_download(back.data(), *buffer, 0, back.size());
  }
  device_->upload(*buffer, 0, later.data(), later.size());
  device_->stream()->synchronize();
  reader->synchronize();
  EXPECT_EQ(back, data);
  device_->download(back.data(), *buffer, 0, back.size());
  EXPECT_EQ(back, later);
}

TEST_P(CudaDevice, FreedMemoryStaysWithTheStreamsThatUseIt) {
  const std::shared_ptr<Stream> reader = device_->make_stream();
  const std::vector<uint8_t> data = pattern(3 << 20, 7), later = pattern(3 << 20, 8);
  BufferRef buffer = device_->allocate(data.size());
  const void* place = buffer->data();
  device_->upload(*buffer, 0, data.data(), data.size());
  std::vector<uint8_t> back(data.size());
  {
    const StreamScope scope(reader);
    device_->start_download(back.data(), *buffer, 0, back.size());
  }
  buffer.reset();
  buffer = device_->allocate(data.size());
  device_->upload(*buffer, 0, later.data(), later.size());
  device_->stream()->synchronize();
  reader->synchronize();
  EXPECT_EQ(back, data);
  EXPECT_TRUE(GetParam() != Driver::Fake || buffer->data() != place);
  // Once all are done, any stream gets it.
  const BufferRef again = device_->allocate(data.size());
  EXPECT_TRUE(buffer->data() == place || again->data() == place);
}

TEST_P(CudaDevice, KernelsAreOrderedByTheBuffersThatAreNamed) {
  const KernelRef fill = load(source("fill", kFill)), add_one = load(source("add_one", kAddOne));
  NEED(fill);
  constexpr size_t kCount = 100000;
  const BufferRef x = device_->allocate(kCount * 4), y = device_->allocate(kCount * 4);
  const std::shared_ptr<Stream> side = device_->make_stream();
  {
    const StreamScope scope(side);
    device_->before(*x, Device::Use::Write);
    device_->launch(*fill, blocks_for(kCount), std::vector<uint64_t>{word(x), kCount, 41});
    device_->after(*x, Device::Use::Write);
  }
  device_->before(*x, Device::Use::Read);
  device_->before(*y, Device::Use::Write);
  device_->launch(*add_one, blocks_for(kCount), std::vector<uint64_t>{word(y), word(x), kCount});
  device_->after(*x, Device::Use::Read);
  device_->after(*y, Device::Use::Write);
  const std::shared_ptr<Stream> third = device_->make_stream();
  const StreamScope scope(third);
  EXPECT_EQ(read(y), std::vector<uint32_t>(kCount, 42));
}

TEST_P(CudaDevice, EventsOrderStreamsAndAreTimed) {
  const std::shared_ptr<Stream> one = device_->make_stream(), other = device_->make_stream();
  const std::shared_ptr<Event> start = one->record();
  const std::vector<uint8_t> data = pattern(3 << 20, 9);
  const BufferRef buffer = device_->allocate(data.size());
  {
    const StreamScope scope(one);
    device_->start_upload(*buffer, 0, data.data(), data.size());
  }
  const std::shared_ptr<Event> end = one->record();
  other->wait(*end);
  other->synchronize();
  EXPECT_TRUE(end->done());
  end->synchronize();
  EXPECT_GT(end->milliseconds_since(*start), 0);
}

TEST_P(CudaDevice, StreamsThatEndAreUsedAgain) {
  const uint64_t handle = device_->make_stream()->handle();
  EXPECT_EQ(device_->make_stream()->handle(), handle);
  const std::shared_ptr<Stream> one = device_->make_stream(), other = device_->make_stream();
  EXPECT_NE(one->handle(), other->handle());
}

TEST_P(CudaDevice, AdoptedMemoryIsGivenBackWhenItsUsersAreDone) {
  const std::vector<uint8_t> data = pattern(3 << 20, 10);
  const BufferRef owner = device_->allocate(data.size());
  device_->upload(*owner, 0, data.data(), data.size());
  device_->synchronize();
  std::vector<uint8_t> back(data.size()), seen;
  const std::shared_ptr<Stream> side = device_->make_stream();
  BufferRef adopted = device_->adopt(owner->data(), data.size(), [&] { seen = back; }, side->handle());
  EXPECT_FALSE(adopted->writable());
  {
    const StreamScope scope(side);
    device_->start_download(back.data(), *adopted, 0, back.size());
  }
  EXPECT_TRUE(seen.empty());
  adopted.reset();
  EXPECT_EQ(seen, data);
}

TEST_P(CudaDevice, OtherLibrariesStreamsAreWaitedForBothWays) {
  const std::vector<uint8_t> data = pattern(3 << 20, 11);
  const BufferRef lent = device_->allocate(data.size()), theirs = device_->allocate(data.size());
  const std::shared_ptr<Stream> side = device_->make_stream();
  {
    const StreamScope scope(side);
    device_->start_upload(*lent, 0, data.data(), data.size());
  }
  // A stream that we order nothing on by ourselves stands for the other library's.
  const std::shared_ptr<Stream> other = device_->make_stream();
  device_->lend_to(*lent, other->handle());
  other->synchronize();
  EXPECT_TRUE(side->done());
  EXPECT_EQ(device_->stream_of(*lent), side->handle());
  EXPECT_NE(device_->stream_of(*theirs), side->handle());
  device_->take_back(*lent, other->handle());
  device_->take_back(*lent, 1);
}

TEST_P(CudaDevice, GivesPageLockedMemory) {
  const std::vector<uint8_t> data = pattern(1 << 20, 12);
  const std::shared_ptr<void> memory = device_->allocate_host(data.size());
  std::memcpy(memory.get(), data.data(), data.size());
  const BufferRef buffer = device_->allocate(data.size());
  device_->start_upload(*buffer, 0, memory.get(), data.size());
  std::vector<uint8_t> back(data.size());
  device_->download(back.data(), *buffer, 0, back.size());
  EXPECT_EQ(back, data);
}

TEST_P(CudaDevice, RunsKernelsInOrder) {
  KernelRef fill = load(source("fill", kFill)), add_one = load(source("add_one", kAddOne));
  NEED(fill);
  constexpr size_t kN = 100'001;
  BufferRef a = device_->allocate(kN * 4), b = device_->allocate(kN * 4);
  device_->launch(*fill, blocks_for(kN), std::vector<uint64_t>{word(a), kN, 40});
  device_->launch(*add_one, blocks_for(kN), std::vector<uint64_t>{word(b), word(a), kN});
  device_->launch(*add_one, blocks_for(kN), std::vector<uint64_t>{word(a), word(b), kN});
  EXPECT_EQ(read(a), std::vector<uint32_t>(kN, 42));
  EXPECT_EQ(counters_.kernels_launched, 3);
  KernelResources resources = fill->resources();
  EXPECT_GT(resources.registers, 0);
  EXPECT_EQ(resources.spill_bytes, 0);
  EXPECT_GT(resources.blocks_per_processor, 0);
}

TEST_P(CudaDevice, RunsTheFinishAfterAllBlocks) {
  KernelRef fill = load(source("fill", kFill)), add_one = load(source("add_one", std::string(kAddOne) + R"(
extern "C" __global__ void add_one_finish(const __grid_constant__ Args args) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.w[2]) ((unsigned*)args.w[0])[i] *= 2;
})"));
  NEED(fill);
  constexpr size_t kN = 100'001;
  BufferRef a = device_->allocate(kN * 4), b = device_->allocate(kN * 4);
  device_->launch(*fill, blocks_for(kN), std::vector<uint64_t>{word(a), kN, 40});
  Launch how = blocks_for(kN);
  how.finish_tasks = how.tasks;
  how.finish_threads = how.threads;
  device_->launch(*add_one, how, std::vector<uint64_t>{word(b), word(a), kN});
  EXPECT_EQ(read(b), std::vector<uint32_t>(kN, 82));
  EXPECT_EQ(counters_.kernels_launched, 3);
  how.tasks = how.finish_tasks = 1;
  EXPECT_THROW(device_->launch(*fill, how, std::vector<uint64_t>{word(a), 1, 40}), InternalError);
}

TEST_P(CudaDevice, StartsNothingForNoTasks) {
  KernelRef fill = load(source("fill", kFill));
  NEED(fill);
  Launch how = blocks_for(0);
  device_->launch(*fill, how, std::vector<uint64_t>{0, 0, 0});
  EXPECT_EQ(counters_.kernels_launched, 0);
  device_->synchronize();
}

TEST_P(CudaDevice, RefusesLaunchesThatNoGridHolds) {
  KernelRef fill = load(source("fill", kFill));
  NEED(fill);
  Launch how;
  how.tasks = int64_t{1} << 31;
  std::vector<uint64_t> three(3);
  EXPECT_THROW(device_->launch(*fill, how, three), Error);
  EXPECT_THROW(device_->launch(*fill, Launch{}, std::vector<uint64_t>(501)), Error);
  how = Launch{};
  how.shared_bytes = static_cast<uint32_t>(device_->info().shared_bytes) + 1;
  try {
    device_->launch(*fill, how, three);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a block of fill wants " + std::to_string(how.shared_bytes)));
  }
  device_->synchronize();
}

TEST_P(CudaDevice, RefusesTheWrongNumberOfArguments) {
  std::string reason;
  KernelRef fill = load(source("fill", kFill));
  NEED(fill);
  try {
    device_->launch(*fill, Launch{}, std::vector<uint64_t>(2));
    FAIL() << "a launch with 2 of 3 words";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("16 bytes of arguments given, its source declares 24"));
  }
}

TEST_P(CudaDevice, CompilesOnceForManyThreads) {
  NEED(load(source("add_one", kAddOne)));
  const int64_t before = counters_.compiles;
  std::vector<KernelRef> kernels(8);
  std::vector<std::thread> threads;
  for (KernelRef& kernel : kernels)
    threads.emplace_back([&] { kernel = device_->load(source("fill", kFill)); });
  for (auto& thread : threads) thread.join();
  for (const KernelRef& kernel : kernels) EXPECT_EQ(kernel, kernels[0]);
  EXPECT_EQ(counters_.compiles, before + 1);
  EXPECT_EQ(counters_.memory_hits, 7);
}

TEST_P(CudaDevice, ReportsTheLogOfAWrongSourceEachTime) {
  NEED(load(source("fill", kFill)));
  KernelSource wrong = source("wrong", "extern \"C\" __global__ void wrong() { no_such_name(); }");
  for (int i = 0; i < 2; ++i) {
    try {
      device_->load(wrong);
      FAIL();
    } catch (const CompileError& error) {
      EXPECT_THAT(error.log(), HasSubstr("no_such_name"));
    }
  }
}

TEST_P(CudaDevice, ShowsPtx) {
  NEED(load(source("fill", kFill)));
  EXPECT_THAT(device_->assembly(source("fill", kFill)), HasSubstr(".entry fill"));
}

TEST_P(CudaDevice, ServesManyThreads) {
  KernelRef fill = load(source("fill", kFill)), add_one = load(source("add_one", kAddOne));
  NEED(fill);
  std::vector<int> wrong(8, 0);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t round = 0; round < 40; ++round) {
        const size_t n = 1 + (t * 7919 + round * 104'729) % 40'000;  // what small uploads take, and more
        BufferRef a = device_->allocate(n * 4), b = device_->allocate(n * 4);
        const uint32_t value = t * 1000 + round;
        if (round % 2) {
          device_->launch(*fill, blocks_for(n), std::vector<uint64_t>{word(a), n, value});
        } else {
          std::vector<uint32_t> host(n, value);
          device_->upload(*a, 0, host.data(), n * 4);
        }
        device_->launch(*add_one, blocks_for(n), std::vector<uint64_t>{word(b), word(a), n});
        a.reset();
        wrong[t] += read(b) != std::vector<uint32_t>(n, value + 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST_P(CudaDevice, KeepsKernelsAndBuffersUsableWithoutTheirDevice) {
  KernelRef fill = load(source("fill", kFill));
  NEED(fill);
  BufferRef buffer = device_->allocate(40);
  device_.reset();
  std::shared_ptr<Device> device = buffer->device();
  device->launch(*fill, blocks_for(10), std::vector<uint64_t>{word(buffer), 10, 5});
  uint32_t values[10];
  device->download(values, *buffer, 0, 40);
  EXPECT_EQ(values[9], 5u);
  buffer.reset();
  device.reset();
  fill.reset();  // the last owner of the context
}

TEST_P(CudaDevice, DropsKernelsPastTheBoundAndLoadsThemAgain) {
  NEED(load(source("fill", kFill)));
  CudaOptions few = options();
  few.most_kernels = 2;
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, few, nullptr, counters);
  BufferRef buffer = device->allocate(40);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) {
      // Comments make distinct sources of one kernel.
      KernelRef kernel = device->load(source("fill", std::string(kFill) + "// " + std::to_string(i)));
      device->launch(*kernel, blocks_for(10),
                     std::vector<uint64_t>{word(buffer), 10, static_cast<uint64_t>(i)});
    }
  }
  device->synchronize();
  EXPECT_EQ(counters.compiles, 6);
  uint32_t values[10];
  device->download(values, *buffer, 0, 40);
  EXPECT_EQ(values[0], 2u);
}

TEST_P(CudaDevice, TakesKernelsFromTheDiskCache) {
  NEED(load(source("fill", kFill)));
  namespace fs = std::filesystem;
  fs::path directory = fs::path(testing::TempDir()) / ("weft_cuda_cache_" + std::to_string(getpid()));
  fs::remove_all(directory);
  auto cache = std::make_shared<KernelCache>(directory.string(), uint64_t{1} << 30);
  ASSERT_EQ(cache->disabled_because(), "");
  Counters counters;
  make_cuda_device(0, options(), cache, counters)->load(source("fill", kFill));
  EXPECT_EQ(counters.compiles, 1);
  EXPECT_EQ(counters.disk_misses, 1);
  EXPECT_EQ(counters.disk_hits, 0);

  std::shared_ptr<Device> again = make_cuda_device(0, options(), cache, counters);
  KernelRef fill = again->load(source("fill", kFill));
  EXPECT_EQ(counters.compiles, 1);
  EXPECT_EQ(counters.disk_hits, 1);
  BufferRef buffer = again->allocate(40);
  again->launch(*fill, blocks_for(10), std::vector<uint64_t>{word(buffer), 10, 9});
  uint32_t values[10];
  again->download(values, *buffer, 0, 40);
  EXPECT_EQ(values[9], 9u);
  fs::remove_all(directory);
}

// In a process of its own: a failed context cannot be used again.
TEST_P(CudaDevice, ReportsAnIllegalAccessWithTheKernelsName) {
  NEED(load(source("fill", kFill)));
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto misbehave = [&] {
    KernelRef write_null = load(source("write_null", kWriteNull));
    BufferRef buffer = device_->allocate(40);
    device_->launch(*write_null, Launch{}, std::vector<uint64_t>{16});
    int reports = 0;
    std::string first;
    auto report = [&](auto&& call) {
      try {
        call();
      } catch (const InternalError& error) {
        if (++reports == 1) first = error.what();
      }
    };
    uint32_t host[10];
    report([&] { device_->synchronize(); });
    report([&] { device_->download(host, *buffer, 0, 40); });
    report([&] { device_->launch(*write_null, Launch{}, std::vector<uint64_t>{16}); });
    report([&] { device_->synchronize(); });
    std::fprintf(stderr, "%d reports; %s\n", reports, first.c_str());
    // Everything is let go of without a throw.
    write_null.reset();
    buffer.reset();
    device_.reset();
    std::exit(0);
  };
  EXPECT_EXIT(misbehave(), testing::ExitedWithCode(0),
              "4 reports; cuda:0: synchronize: .*CUDA_ERROR_ILLEGAL_ADDRESS.*write_null");
}

INSTANTIATE_TEST_SUITE_P(Drivers, CudaDevice, testing::Values(Driver::Fake, Driver::Real),
                         [](const auto& test) { return test.param == Driver::Fake ? "Fake" : "Real"; });

// what only the stand-in shows, because it counts

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

TEST_F(FakeCuda, TriesAgainAfterGivingEverythingFreeBack) {
  Counters counters;
  std::shared_ptr<Device> device = make_cuda_device(0, fake_options(), nullptr, counters);
  const long trims = fake_calls("cuMemPoolTrimTo");
  BufferRef kept = device->allocate(size_t{20} << 20);
  // 200 of the 256 MiB, free again but of sizes that the next request cannot use.
  {
    std::vector<BufferRef> buffers;
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
  for (int ordinal : {-1, 1}) {
    try {
      make_cuda_device(ordinal, fake_options(), nullptr, counters);
      FAIL() << "cuda:" << ordinal;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no such device; this machine shows 1 CUDA device"));
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

// a GPU alone

class CudaHardware : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (cuda_device_count(reason) == 0) GTEST_SKIP() << reason;
    device_ = make_cuda_device(0, {}, nullptr, counters_);
  }
  Counters counters_;
  std::shared_ptr<Device> device_;
};

TEST_F(CudaHardware, GivesABlockMoreSharedMemoryThanTheDefault) {
  const char* text = R"(
struct Args { unsigned long long w[2]; };
extern "C" __global__ void reverse(const __grid_constant__ Args args) {
  extern __shared__ unsigned row[];
  unsigned n = (unsigned)args.w[1];
  unsigned* data = (unsigned*)args.w[0];
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) row[n - 1 - i] = data[i];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) data[i] = row[i];
})";
  const uint32_t n = static_cast<uint32_t>(device_->info().shared_bytes / 4);
  ASSERT_GT(n * 4, 48u << 10) << "the device has no more than the default";
  KernelRef reverse = device_->load(source("reverse", text));
  std::vector<uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  BufferRef buffer = device_->allocate(n * 4);
  device_->upload(*buffer, 0, values.data(), n * 4);
  Launch how;
  how.threads = 1024;
  how.shared_bytes = n * 4;
  device_->launch(*reverse, how, std::vector<uint64_t>{word(buffer), n});
  std::vector<uint32_t> reversed(n);
  device_->download(reversed.data(), *buffer, 0, n * 4);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(reversed, values);
  EXPECT_EQ(reverse->resources().blocks_per_processor, 1);
}

TEST_F(CudaHardware, StartsClusters) {
  if (std::stoi(device_->info().architecture.substr(3)) < 90) GTEST_SKIP() << "clusters need sm_90";
  const char* text = R"(
struct Args { unsigned long long w[1]; };
extern "C" __global__ void ranks(const __grid_constant__ Args args) {
  unsigned rank, size;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) ((unsigned*)args.w[0])[blockIdx.x] = size * 100 + rank;
})";
  KernelRef ranks = device_->load(source("ranks", text));
  for (uint32_t cluster : {1u, 2u, 4u, 8u, 16u}) {
    const uint32_t blocks = cluster * 3;
    BufferRef buffer = device_->allocate(blocks * 4);
    Launch how;
    how.tasks = blocks;
    how.threads = 32;
    how.cluster = cluster;
    device_->launch(*ranks, how, std::vector<uint64_t>{word(buffer)});
    std::vector<uint32_t> values(blocks);
    device_->download(values.data(), *buffer, 0, blocks * 4);
    for (uint32_t i = 0; i < blocks; ++i) EXPECT_EQ(values[i], cluster * 100 + i % cluster) << cluster;
  }
  Launch odd;
  odd.tasks = 3;
  odd.cluster = 2;
  EXPECT_THROW(device_->launch(*ranks, odd, std::vector<uint64_t>{0}), InternalError);
}

TEST_F(CudaHardware, PassesFiveHundredWords) {
  std::string text = R"(
struct Args { unsigned long long w[500]; };
extern "C" __global__ void sum_words(const __grid_constant__ Args args) {
  unsigned long long sum = 0;
  for (int i = 1; i < 500; ++i) sum += args.w[i];
  *(unsigned long long*)args.w[0] = sum;
})";
  KernelRef kernel = device_->load(source("sum_words", text));
  BufferRef buffer = device_->allocate(8);
  std::vector<uint64_t> words(500);
  std::iota(words.begin(), words.end(), uint64_t{0});
  words[0] = word(buffer);
  device_->launch(*kernel, Launch{}, words);
  uint64_t sum = 0;
  device_->download(&sum, *buffer, 0, 8);
  EXPECT_EQ(sum, 499u * 500 / 2);
}

}  // namespace
}  // namespace weft::runtime
