// Kernels on CUDA devices: compiling, caching, launching, and what is said when they fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>
#include <thread>

#include "compiler/base/error.h"
#include "tests/support/cuda_drivers.h"

namespace weft::runtime {
namespace {

using testing::HasSubstr;

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

TEST_P(CudaDevice, ZeroesMemoryBeforeTheKernel) {
  KernelRef fill = load(source("fill", kFill)), add_one = load(source("add_one", kAddOne));
  NEED(fill);
  constexpr size_t kN = 1001;
  BufferRef a = device_->allocate(kN * 4), b = device_->allocate(kN * 4);
  device_->launch(*fill, blocks_for(kN), std::vector<uint64_t>{word(a), kN, 40});
  Launch how = blocks_for(kN);
  how.zeroed = 1;
  how.zeroed_bytes = 4 * (kN - 1);
  device_->launch(*add_one, how, std::vector<uint64_t>{word(b), word(a), kN});
  std::vector<uint32_t> want(kN, 1);
  want.back() = 41;
  EXPECT_EQ(read(b), want);
  how.zeroed = 3;
  EXPECT_THROW(device_->launch(*add_one, how, std::vector<uint64_t>{word(b), word(a), kN}), InternalError);
}

constexpr const char* kAddWeights = R"(
__constant__ unsigned weights[4];
struct Args { unsigned long w[4]; };
extern "C" __global__ void add_weights(const __grid_constant__ Args args) {
  unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < args.w[2]) ((unsigned*)args.w[0])[i] = ((const unsigned*)args.w[1])[i] + weights[i % 4];
})";

Launch with_weights(size_t count, const std::string& name, size_t bytes) {
  Launch how = blocks_for(count);
  how.constants =
      std::make_shared<const std::vector<KernelConstant>>(std::vector<KernelConstant>{{name, 3, bytes}});
  return how;
}

// The last word says where they lie.
TEST_P(CudaDevice, GivesConstantArraysTheirElementsBeforeTheKernel) {
  KernelRef fill = load(source("fill", kFill)), add = load(source("add_weights", kAddWeights));
  NEED(fill);
  constexpr size_t kN = 1002;
  BufferRef a = device_->allocate(kN * 4), b = device_->allocate(kN * 4), c = device_->allocate(kN * 4);
  BufferRef ones = device_->allocate(16), twos = device_->allocate(16);
  device_->launch(*fill, blocks_for(kN), std::vector<uint64_t>{word(a), kN, 40});
  device_->launch(*fill, blocks_for(4), std::vector<uint64_t>{word(ones), 4, 1});
  device_->launch(*fill, blocks_for(4), std::vector<uint64_t>{word(twos), 4, 2});
  const Launch how = with_weights(kN, "weights", 16);
  device_->launch(*add, how, std::vector<uint64_t>{word(b), word(a), kN, word(ones)});
  device_->launch(*add, how, std::vector<uint64_t>{word(c), word(b), kN, word(twos)});
  EXPECT_EQ(read(b), std::vector<uint32_t>(kN, 41));
  EXPECT_EQ(read(c), std::vector<uint32_t>(kN, 43));
  const auto refused = [&](const Launch& wrong) {
    try {
      device_->launch(*add, wrong, std::vector<uint64_t>{word(b), word(a), kN, word(ones)});
      return std::string("was launched");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused(with_weights(kN, "weights", 12)),
              HasSubstr("__constant__ weights has 16 bytes: got an array of 12"));
  EXPECT_THAT(refused(with_weights(kN, "others", 16)),
              HasSubstr("no __constant__ others that the kernel reads"));
  const KernelResources takes = device_->resources(*add, blocks_for(kN));
  EXPECT_GT(takes.blocks_per_processor, 0);
}

// Of another stream, too: each launch waits for those before it that read other elements.
TEST_P(CudaDevice, GivesStreamsTheirOwnConstants) {
  KernelRef fill = load(source("fill", kFill)), add = load(source("add_weights", kAddWeights));
  NEED(fill);
  constexpr size_t kN = 5000;
  constexpr uint32_t kStreams = 4;
  BufferRef zeros = device_->allocate(kN * 4);
  device_->launch(*fill, blocks_for(kN), std::vector<uint64_t>{word(zeros), kN, 0});
  device_->synchronize();
  std::vector<BufferRef> weights, results;
  for (uint32_t k = 0; k < kStreams; ++k) {
    weights.push_back(device_->allocate(16));
    results.push_back(device_->allocate(kN * 4));
  }
  std::vector<std::thread> threads;
  threads.reserve(kStreams);
  for (uint32_t k = 0; k < kStreams; ++k)
    threads.emplace_back([&, k] {
      const StreamScope scope(device_->make_stream());
      for (int turn = 0; turn < 20; ++turn) {
        device_->launch(*fill, blocks_for(4), std::vector<uint64_t>{word(weights[k]), 4, k + 1});
        device_->launch(*add, with_weights(kN, "weights", 16),
                        std::vector<uint64_t>{word(results[k]), word(zeros), kN, word(weights[k])});
      }
    });
  for (std::thread& thread : threads) thread.join();
  device_->synchronize();
  for (uint32_t k = 0; k < kStreams; ++k) EXPECT_EQ(read(results[k]), std::vector<uint32_t>(kN, k + 1));
}

TEST_P(CudaDevice, GivesKernelsCountersThatAreZero) {
  KernelRef fill = load(source("fill", kFill)), add_one = load(source("add_one", kAddOne));
  NEED(fill);
  for (uint32_t count : {1U, 7U, 5000U}) {
    BufferRef a = device_->allocate(count * 4);
    device_->launch(*fill, blocks_for(count), std::vector<uint64_t>{word(a), count, 40});
    Launch how = blocks_for(count);
    how.counters = count;
    how.counting = 1;
    device_->launch(*add_one, how, std::vector<uint64_t>{word(a), 0, count});
    EXPECT_EQ(read(a), std::vector<uint32_t>(count, 1));
    how.counting = 3;
    EXPECT_THROW(device_->launch(*add_one, how, std::vector<uint64_t>{word(a), 0, count}), InternalError);
  }
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

// What the stand-in cannot do.
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
  odd.cluster = 1, odd.cooperating = 2;
  EXPECT_THROW(device_->launch(*ranks, odd, std::vector<uint64_t>{0}), InternalError);
}

TEST_F(CudaHardware, RunsBlocksThatMeetAtOnce) {
  std::string text = R"(
struct Args { unsigned long long w[1]; };
extern "C" __global__ void meet(const __grid_constant__ Args args) {
  unsigned* const come = (unsigned*)args.w[0];
  if (threadIdx.x > 0) return;
  atomicAdd(come, 1u);
  while (*(volatile unsigned*)come < gridDim.x) {}
  come[1 + blockIdx.x] = blockIdx.x + 1;
})";
  KernelRef meet = device_->load(source("meet", text));
  const auto blocks = static_cast<uint32_t>(device_->info().threads);
  std::vector<uint32_t> values(blocks + 1);
  BufferRef buffer = device_->allocate(values.size() * 4);
  device_->upload(*buffer, 0, values.data(), values.size() * 4);
  Launch how;
  how.tasks = how.cooperating = blocks;
  how.threads = 32;
  device_->launch(*meet, how, std::vector<uint64_t>{word(buffer)});
  device_->download(values.data(), *buffer, 0, values.size() * 4);
  for (uint32_t i = 0; i <= blocks; ++i) EXPECT_EQ(values[i], i == 0 ? blocks : i);
  // More than there is room for would wait for ever.
  how.tasks = how.cooperating = blocks * 1000;
  EXPECT_THROW(device_->launch(*meet, how, std::vector<uint64_t>{word(buffer)}), InternalError);
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
