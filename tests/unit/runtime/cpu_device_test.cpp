#include "runtime/cpu/cpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include "compiler/base/error.h"
#include "runtime/progress.h"

namespace weft::runtime {
namespace {

using testing::HasSubstr;

constexpr size_t kMiB = size_t{1} << 20;

std::shared_ptr<Device> make_device(Counters& counters, CpuOptions options = {},
                                    std::shared_ptr<KernelCache> cache = nullptr) {
  return make_cpu_device(options, std::move(cache), counters);
}

KernelSource source_of(std::string name, std::string text) {
  const Hash hash = hash_text(text);
  return {std::move(name), std::move(text), hash};
}

// Adds its second argument, a scalar, to each count of [begin, end).
KernelSource counting_kernel(const std::string& amount = "1") {
  return source_of("count", R"(extern "C" void count(const unsigned long* args, long begin, long end, char*) {
    int* counts = (int*)args[0];
    for (long i = begin; i < end; ++i) counts[i] += )" +
                                amount + R"(;
  })");
}

uint64_t word(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

long page_faults() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

TEST(CpuDevice, DescribesTheMachine) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 3});
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.name, "cpu");
  EXPECT_EQ(info.threads, 3);
  EXPECT_NE(info.architecture, "");
  EXPECT_NE(info.description, "");
  EXPECT_THAT(info.vector_bytes, testing::AnyOf(16, 32, 64));
  EXPECT_GE(info.cache_bytes, 64u << 10);
  EXPECT_GE(info.memory_bytes, 64 * kMiB);
  EXPECT_GE(make_device(counters)->info().threads, 1);
  EXPECT_LT(make_device(counters, {.threads = 99999})->info().threads, 99999);
  EXPECT_TRUE(device->host_visible());
  EXPECT_THAT(message_of([&] { make_device(counters, {.threads = -1}); }), HasSubstr("got -1"));
}

// Memory

TEST(CpuDevice, AlignsEveryBlock) {
  Counters counters;
  const auto device = make_device(counters);
  std::vector<BufferRef> buffers;
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{65}, size_t{1000}, size_t{4097}, kMiB - 1,
                       2 * kMiB - 1, 2 * kMiB, 2 * kMiB + 1, 17 * kMiB}) {
    BufferRef buffer = device->allocate(bytes);
    ASSERT_NE(buffer->data(), nullptr);
    EXPECT_EQ(buffer->bytes(), bytes);
    EXPECT_EQ(word(buffer->data()) % (bytes >= 2 * kMiB ? 2 * kMiB : 64), 0u) << bytes;
    std::memset(buffer->data(), 0xab, bytes);
    buffers.push_back(std::move(buffer));
  }
}

TEST(CpuDevice, BlocksDoNotOverlap) {
  Counters counters;
  const auto device = make_device(counters);
  std::mt19937 random(1);
  std::vector<std::pair<BufferRef, unsigned char>> live;
  for (int step = 0; step < 3000; ++step) {
    if (live.size() > 50) {
      auto& [buffer, mark] = live[random() % live.size()];
      const auto* bytes = static_cast<const unsigned char*>(buffer->data());
      for (size_t i = 0; i < buffer->bytes(); i += 61) ASSERT_EQ(bytes[i], mark);
      std::swap(live.back().first, buffer);
      std::swap(live.back().second, mark);
      live.pop_back();
    }
    const size_t bytes = size_t{1} << random() % 16 | random() % 128;
    const auto mark = static_cast<unsigned char>(random());
    live.emplace_back(device->allocate(bytes), mark);
    std::memset(live.back().first->data(), mark, bytes);
  }
}

TEST(CpuDevice, ReusesTheMostRecentlyFreedBlock) {
  Counters counters;
  const auto device = make_device(counters);
  BufferRef first = device->allocate(1000), second = device->allocate(1000);
  const void *first_data = first->data(), *second_data = second->data();
  second.reset();
  first.reset();
  EXPECT_EQ(device->allocate(1001)->data(), first_data);
  BufferRef again = device->allocate(990), other = device->allocate(980);
  EXPECT_EQ(again->data(), first_data);
  EXPECT_EQ(other->data(), second_data);
}

TEST(CpuDevice, AReusedBlockCostsNoPageFaults) {
  Counters counters;
  const auto device = make_device(counters);
  const size_t bytes = 64 * kMiB;
  const long before = page_faults();
  BufferRef buffer = device->allocate(bytes);
  std::memset(buffer->data(), 1, bytes);
  const long fresh = page_faults() - before;
  EXPECT_GE(fresh, 32);  // as many as there are huge pages, or more where the system gives small ones
  buffer.reset();
  const long middle = page_faults();
  buffer = device->allocate(bytes);
  std::memset(buffer->data(), 2, bytes);
  EXPECT_LE(page_faults() - middle, fresh / 8);  // a few that the system makes
}

TEST(CpuDevice, CountsMemoryInUseAndPooled) {
  Counters counters;
  const auto device = make_device(counters);
  BufferRef a = device->allocate(4 * kMiB), b = device->allocate(8 * kMiB);
  EXPECT_EQ(device->memory().in_use, 12 * kMiB);
  EXPECT_EQ(device->memory().pooled, 0u);
  b.reset();
  EXPECT_EQ(device->memory().in_use, 4 * kMiB);
  EXPECT_EQ(device->memory().pooled, 8 * kMiB);
  EXPECT_EQ(device->memory().peak, 12 * kMiB);
  device->trim();
  EXPECT_EQ(device->memory().in_use, 4 * kMiB);
  EXPECT_EQ(device->memory().pooled, 0u);
  EXPECT_EQ(device->memory().peak, 12 * kMiB);
}

TEST(CpuDevice, BoundsTheFreeMemoryThatItKeeps) {
  Counters counters;
  const auto device = make_device(counters, {.pool_keep = 16 * kMiB});
  std::vector<BufferRef> buffers;
  for (int i = 0; i < 10; ++i) buffers.push_back(device->allocate(8 * kMiB));
  for (int i = 0; i < 5; ++i) buffers.pop_back();
  EXPECT_EQ(device->memory().pooled, 40 * kMiB);  // up to what is in use
  buffers.clear();
  EXPECT_EQ(device->memory().pooled, 16 * kMiB);
}

TEST(CpuDevice, MoreMemoryThanThereIsIsAnErrorNotACrash) {
  Counters counters;
  const auto device = make_device(counters);
  BufferRef held = device->allocate(2 * kMiB);
  const size_t huge = size_t{10} << 40;
  const std::string message = message_of([&] { device->allocate(huge); });
  EXPECT_THAT(message, HasSubstr("allocate: " + std::to_string(huge) + " bytes exceed"));
  EXPECT_THAT(message, HasSubstr(std::to_string(2 * kMiB) + " bytes are held by live arrays"));
  EXPECT_THROW(device->allocate(huge), OutOfMemory);
  for (size_t bytes : {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() - 100,
                       (size_t{1} << 63) + 1, (size_t{1} << 47) + 1, size_t{1} << 47})
    EXPECT_THROW(device->allocate(bytes), OutOfMemory) << bytes;
  EXPECT_EQ(device->memory().in_use, 2 * kMiB);
  EXPECT_EQ(device->allocate(100)->bytes(), 100u);
}

TEST(CpuDevice, TrimsThePoolBeforeItGivesUp) {
  Counters counters;
  const auto device = make_device(counters, {.memory_limit = 32 * kMiB});
  BufferRef held = device->allocate(8 * kMiB);
  device->allocate(20 * kMiB);  // back in the pool at once
  EXPECT_EQ(device->memory().pooled, 20 * kMiB);
  BufferRef other = device->allocate(22 * kMiB);
  EXPECT_EQ(device->memory().pooled, 0u);
  EXPECT_THAT(message_of([&] { device->allocate(4 * kMiB); }), HasSubstr("exceed the device's limit"));
  other.reset();
  EXPECT_EQ(device->allocate(24 * kMiB)->bytes(), 24 * kMiB);
}

TEST(CpuDevice, BuffersKeepTheirDeviceAlive) {
  Counters counters;
  BufferRef buffer = make_device(counters)->allocate(100);
  std::memset(buffer->data(), 1, 100);
  EXPECT_EQ(buffer->device()->memory().in_use, 128u);
}

TEST(CpuDevice, CopiesBytesAndChecksRanges) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  for (size_t bytes : {size_t{0}, size_t{7}, 5 * kMiB + 3}) {
    std::vector<char> in(bytes), out(bytes);
    for (size_t i = 0; i < bytes; ++i) in[i] = static_cast<char>(i * 7 + i / 4096);
    BufferRef a = device->allocate(bytes + 10), b = device->allocate(bytes + 10);
    device->upload(*a, 3, in.data(), bytes);
    device->copy(*b, 10, *a, 3, bytes);
    device->download(out.data(), *b, 10, bytes);
    EXPECT_EQ(in, out);
    EXPECT_THROW(device->upload(*a, 11, in.data(), bytes), InternalError);
    EXPECT_THROW(device->copy(*b, 0, *a, 11, bytes), InternalError);
    EXPECT_THROW(device->download(out.data(), *a, std::numeric_limits<size_t>::max(), bytes + 2),
                 InternalError);
  }
}

std::atomic<int> looks_at_the_clock{0};

// Pieces of a copy are smaller than what is shown of it.
TEST(CpuDevice, SaysHowFarALongCopyIs) {
  static std::vector<std::string> said;
  said.clear(), looks_at_the_clock = 0;
  Progress::show_by([](std::string_view line) { said.emplace_back(line); });
  Progress::time_by(
      [] { return Progress::Clock::time_point(std::chrono::milliseconds(400 * looks_at_the_clock++)); });
  Counters counters;
  const std::shared_ptr<Device> device = make_device(counters, {.threads = 1});  // which speaks alone
  constexpr size_t kBytes = 75 * kMiB + 12345;
  std::vector<char> host(kBytes, 'x'), back(kBytes);
  const BufferRef buffer = device->allocate(kBytes);
  device->upload(*buffer, 0, host.data(), kBytes);
  const size_t up = said.size();
  device->download(back.data(), *buffer, 0, kBytes);
  device->upload(*buffer, 0, host.data(), 1000);
  Progress::show_by(nullptr), Progress::time_by(nullptr);
  EXPECT_EQ(back, host);
  for (const size_t end : {up, said.size()}) {
    ASSERT_GT(end, 2u);
    EXPECT_EQ(said[end - 1], "");  // the line is taken away
    EXPECT_THAT(said[end - 2], testing::MatchesRegex("copying: [1-7][0-9]* of 75 MB, [0-9]+ s"));
  }
}

TEST(CpuDevice, CopiesWithinOneBufferAsIfThroughACopy) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  const size_t bytes = 6 * kMiB;
  BufferRef buffer = device->allocate(bytes + 1);
  auto* data = static_cast<unsigned char*>(buffer->data());
  for (size_t i = 0; i <= bytes; ++i) data[i] = static_cast<unsigned char>(i % 251);
  device->copy(*buffer, 1, *buffer, 0, bytes);
  for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i + 1], i % 251);
}

// Kernels

TEST(CpuDevice, RunsEveryTaskOnce) {
  Counters counters;
  for (int threads : {1, 2, 5}) {
    const auto device = make_device(counters, {.threads = threads});
    const KernelRef kernel = device->load(counting_kernel());
    for (int64_t tasks : {0, 1, 2, 7, 64, 1000, 100003}) {
      for (int64_t grain : {1, 3, 1000, 1000000}) {
        std::vector<int> counts(static_cast<size_t>(tasks) + 2, 0);
        const uint64_t args[] = {word(counts.data() + 1)};
        device->launch(*kernel, {.tasks = tasks, .grain = grain}, args);
        EXPECT_EQ(counts.front(), 0);
        EXPECT_EQ(counts.back(), 0);
        for (int64_t i = 0; i < tasks; ++i)
          ASSERT_EQ(counts[static_cast<size_t>(i) + 1], 1) << tasks << " tasks, grain " << grain;
      }
    }
  }
}

TEST(CpuDevice, RangesAreNoShorterThanTheGrain) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 4});
  const KernelRef kernel = device->load(
      source_of("k", R"(extern "C" void k(const unsigned long* args, long begin, long end, char*) {
        for (long i = begin; i < end; ++i) ((long*)args[0])[i] = end - begin;
      })"));
  std::vector<int64_t> lengths(1000);
  const uint64_t args[] = {word(lengths.data())};
  device->launch(*kernel, {.tasks = 1000, .grain = 90}, args);
  for (int64_t length : lengths) EXPECT_GE(length, 90);
  EXPECT_LT(lengths[0], 1000);
  device->launch(*kernel, {.tasks = 1000, .grain = 501}, args);
  for (int64_t length : lengths) EXPECT_EQ(length, 1000);
}

TEST(CpuDevice, GivesEachThreadAlignedScratch) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 4});
  const KernelRef kernel = device->load(
      source_of("k", R"(extern "C" void k(const unsigned long* args, long begin, long end, char* scratch) {
        const long bytes = args[1];
        for (long i = begin; i < end; ++i) {
          __builtin_memset(scratch, (int)i, bytes);
          long same = 0;
          for (long j = 0; j < bytes; ++j) same += scratch[j] == (char)i;
          ((long*)args[0])[i] = same == bytes && (unsigned long)scratch % 64 == 0;
        }
      })"));
  for (size_t bytes : {size_t{1}, size_t{100}, size_t{70000}, size_t{333}}) {
    std::vector<int64_t> good(200, 0);
    const uint64_t args[] = {word(good.data()), bytes};
    device->launch(*kernel, {.tasks = 200, .scratch_bytes = bytes}, args);
    EXPECT_THAT(good, testing::Each(1));
  }
}

constexpr const char* kTwoPhases = R"(
  // args: input, partial sums, result, count of tasks. Each task sums 1000 values.
  extern "C" void sum(const unsigned long* args, long begin, long end, char*) {
    const float* in = (const float*)args[0];
    float* partial = (float*)args[1];
    for (long t = begin; t < end; ++t) {
      float s = 0;
      for (long i = t * 1000; i < t * 1000 + 1000; ++i) s += in[i];
      partial[t] = s;
    }
  }
  extern "C" void sum_finish(const unsigned long* args, long begin, long end, char*) {
    const float* partial = (const float*)args[1];
    for (long r = begin; r < end; ++r) {
      float s = 0;
      for (long t = 0; t < (long)args[3]; ++t) s += partial[t];
      ((float*)args[2])[r] = s + r;
    }
  })";

TEST(CpuDevice, FinishesAfterAllTasksAndWithTheSameBitsForAnyThreads) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> in(200 * 1000);
  for (float& x : in) x = normal(random);
  std::vector<std::vector<float>> results;
  for (int threads : {1, 2, 3, 8}) {
    Counters counters;
    const auto device = make_device(counters, {.threads = threads});
    const KernelRef kernel = device->load(source_of("sum", kTwoPhases));
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<float> partial(200, NAN), result(40, NAN);
      const uint64_t args[] = {word(in.data()), word(partial.data()), word(result.data()), 200};
      device->launch(*kernel, {.tasks = 200, .grain = 3, .finish_tasks = 40}, args);
      results.push_back(result);
    }
  }
  EXPECT_FALSE(std::isnan(results[0][0]));
  for (const auto& result : results)
    EXPECT_EQ(std::memcmp(result.data(), results[0].data(), result.size() * sizeof(float)), 0);
}

TEST(CpuDevice, AMissingFinishIsAnError) {
  Counters counters;
  const auto device = make_device(counters);
  const KernelRef kernel = device->load(counting_kernel());
  const uint64_t args[] = {0};
  EXPECT_THAT(message_of([&] { device->launch(*kernel, {.tasks = 0, .finish_tasks = 1}, args); }),
              HasSubstr("count has no count_finish"));
}

TEST(CpuDevice, ThreadsLaunchAtTheSameTime) {
  Counters counters;
  const auto device = make_device(counters, {.threads = 2});
  const KernelRef kernel = device->load(counting_kernel());
  std::vector<std::vector<int>> counts(4, std::vector<int>(5000, 0));
  {
    std::vector<std::jthread> threads;
    for (auto& mine : counts)
      threads.emplace_back([&] {
        const uint64_t args[] = {word(mine.data())};
        for (int i = 0; i < 100; ++i) device->launch(*kernel, {.tasks = 5000, .grain = 100}, args);
      });
  }
  for (const auto& mine : counts) EXPECT_THAT(mine, testing::Each(100));
  EXPECT_EQ(counters.kernels_launched, 400);
}

TEST(CpuDevice, WorksInAForkedChild) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's allocator keeps the locks that threads of the parent held";
#endif
  Counters counters;
  const auto device = make_device(counters, {.threads = 4});
  const KernelRef kernel = device->load(counting_kernel());
  std::vector<int> counts(1000, 0);
  const uint64_t args[] = {word(counts.data())};
  device->launch(*kernel, {.tasks = 1000}, args);
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    ::alarm(60);
    device->launch(*kernel, {.tasks = 1000}, args);
    device->launch(*device->load(counting_kernel("8")), {.tasks = 1000}, args);
    double x[2] = {2, 3}, product = 0;
    device->dot({DType::F64, 1, 1, 1, 2, false, false, 2, 1, 1, 0, 0, 0}, &product, x, x);
    ::_exit(product == 13 && std::count(counts.begin(), counts.end(), 10) == 1000 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(CpuDevice, ReportsASourceThatDoesNotCompileEveryTime) {
  Counters counters;
  const auto device = make_device(counters);
  const KernelSource wrong = source_of("k", "extern \"C\" void k() { missing(); }");
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(message_of([&] { device->load(wrong); }), HasSubstr("undeclared identifier 'missing'"));
  EXPECT_THAT(message_of([&] { device->load(source_of("k", "extern \"C\" void other() {}")); }),
              HasSubstr("does not define its entry k"));
  EXPECT_EQ(counters.memory_hits, 0);
}

TEST(CpuDevice, ThreadsThatAskForOneKernelCompileItOnce) {
  Counters counters;
  const auto device = make_device(counters);
  const KernelSource source = counting_kernel("42");
  std::vector<KernelRef> kernels(8);
  {
    std::vector<std::jthread> threads;
    for (KernelRef& kernel : kernels) threads.emplace_back([&] { kernel = device->load(source); });
  }
  for (const KernelRef& kernel : kernels) EXPECT_EQ(kernel, kernels[0]);
  EXPECT_EQ(counters.compiles, 1);
  EXPECT_EQ(counters.memory_hits, 7);
  EXPECT_GT(counters.compile_ns, 0);
  EXPECT_EQ(counters.disk_misses, 0);  // there is no disk cache
}

TEST(CpuDevice, ForgetsTheLeastRecentlyUsedKernelButNotOneInUse) {
  Counters counters;
  const auto device = make_device(counters, {.loaded_kernels = 2});
  const KernelRef first = device->load(counting_kernel("1"));
  device->load(counting_kernel("2"));
  device->load(counting_kernel("1"));
  device->load(counting_kernel("3"));  // drops 2
  EXPECT_EQ(counters.compiles, 3);
  EXPECT_EQ(device->load(counting_kernel("1")), first);
  EXPECT_EQ(counters.compiles, 3);
  device->load(counting_kernel("2"));  // drops 3
  device->load(counting_kernel("3"));  // drops 1
  EXPECT_EQ(counters.compiles, 5);
  int count = 0;
  const uint64_t args[] = {word(&count)};
  device->launch(*first, {}, args);
  EXPECT_EQ(count, 1);
}

TEST(CpuDevice, KernelsThatAreForgottenGiveTheirMemoryBack) {
  const auto maps = [] {
    std::ifstream in("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
  };
  Counters counters;
  const auto device = make_device(counters, {.loaded_kernels = 16});
  const auto load = [&](int first, int last) {
    for (int i = first; i < last; ++i) device->load(counting_kernel(std::to_string(i)));
  };
  load(0, 50);
  const auto before = maps();
  load(50, 250);
  EXPECT_EQ(counters.compiles, 250);
  // A kernel has two maps or three: 200 that were kept would be hundreds.
  EXPECT_LT(maps(), before + 60);
}

class CpuDeviceWithCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "weft-device-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    cache_ = std::make_shared<KernelCache>(directory_, 1 << 30);
    ASSERT_EQ(cache_->disabled_because(), "");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Loads the counting kernel on a new device and returns what one task adds.
  int run_once(Counters& counters, const std::string& amount) {
    const auto device = make_device(counters, {}, cache_);
    int count = 0;
    const uint64_t args[] = {word(&count)};
    device->launch(*device->load(counting_kernel(amount)), {}, args);
    return count;
  }

  std::string directory_;
  std::shared_ptr<KernelCache> cache_;
};

TEST_F(CpuDeviceWithCache, TakesKernelsFromTheDisk) {
  Counters first, second;
  EXPECT_EQ(run_once(first, "5"), 5);
  EXPECT_EQ(first.compiles, 1);
  EXPECT_EQ(first.disk_misses, 1);
  EXPECT_EQ(run_once(second, "5"), 5);
  EXPECT_EQ(second.compiles, 0);
  EXPECT_EQ(second.disk_hits, 1);
  EXPECT_EQ(second.disk_misses, 0);
  EXPECT_EQ(cache_->list().at(0).kernel, "count");
}

TEST_F(CpuDeviceWithCache, CompilesAnewWhenTheStoredObjectCannotBeLinked) {
  Counters first, second, third;
  EXPECT_EQ(run_once(first, "5"), 5);
  const std::string toolchain = cache_->list().at(0).toolchain;
  cache_->put(toolchain, "count", counting_kernel("5").text, "no object at all");
  EXPECT_EQ(run_once(second, "5"), 5);
  EXPECT_EQ(second.compiles, 1);
  EXPECT_EQ(second.disk_hits, 0);
  EXPECT_EQ(run_once(third, "5"), 5);
  EXPECT_EQ(third.disk_hits, 1);
}

TEST(CpuDevice, ShowsAssembly) {
  Counters counters;
  const auto device = make_device(counters);
  EXPECT_THAT(device->assembly(counting_kernel()), HasSubstr("count:"));
  EXPECT_EQ(counters.kernels_launched, 0);
}

}  // namespace
}  // namespace weft::runtime
