// Batches: what a thread starts again and again becomes a CUDA graph, and gives what it gave one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "runtime/cuda/batch.h"
#include "runtime/cuda/launch_graphs.h"
#include "tests/support/cuda_drivers.h"

namespace weft::runtime {
namespace {

constexpr size_t kBatchElements = 1000;
constexpr int kBatchTimes = cuda::LaunchGraphs::kTimes;

// Runs of a fixed number of starts: a fill, then additions of one from buffer to buffer and back.
class CudaBatch : public CudaDevice {
 protected:
  void SetUp() override {
    CudaDevice::SetUp();
    if (!device_) return;
    fill_ = load(source("fill", kFill)), add_one_ = load(source("add_one", kAddOne));
    a_ = device_->allocate(kBatchElements * 4), b_ = device_->allocate(kBatchElements * 4);
  }
  void fill(uint64_t value) {
    device_->launch(*fill_, blocks_for(kBatchElements),
                    std::array<uint64_t, 3>{word(a_), kBatchElements, value});
  }
  void add(const BufferRef& to, const BufferRef& from) {
    device_->launch(*add_one_, blocks_for(kBatchElements),
                    std::array<uint64_t, 3>{word(to), word(from), kBatchElements});
  }
  void chain(uint64_t value, int length) {
    fill(value);
    for (int i = 1; i < length; ++i) i % 2 ? add(b_, a_) : add(a_, b_);
  }
  void run(uint64_t value, int length) {
    BatchScope batch(*device_);
    chain(value, length);
    batch.close();
  }
  uint32_t first(const BufferRef& of) { return read(of)[0]; }
  long graphs() { return GetParam() == Driver::Fake ? fake_calls("cuGraphLaunch") : 0; }
  long launches() { return GetParam() == Driver::Fake ? fake_calls("cuLaunchKernel") : 0; }
  bool counts() const { return GetParam() == Driver::Fake; }
  // Only the stand-in tells.
  long graphs_of(long count) const { return counts() ? count : 0; }

  KernelRef fill_, add_one_;
  BufferRef a_, b_;
};

TEST_P(CudaBatch, StartsWhatCameOftenInOneCall) {
  NEED(fill_);
  const long before = graphs();
  for (int turn = 0; turn < kBatchTimes; ++turn) {
    run(10, 9);
    EXPECT_EQ(first(a_), 18u);
  }
  EXPECT_EQ(graphs(), before) << "not before it came often";
  const int64_t counted = counters_.kernels_launched;
  const long single = launches();
  for (int turn = 1; turn <= 5; ++turn) {
    fill(0);
    run(10, 9);
    EXPECT_EQ(first(a_), 18u);
    EXPECT_EQ(first(b_), 17u);
    if (!counts()) continue;
    EXPECT_EQ(graphs(), before + turn);
    EXPECT_EQ(launches(), single + turn) << "the fill alone";
  }
  EXPECT_EQ(counters_.kernels_launched, counted + 5 * 10);
}

TEST_P(CudaBatch, FewStartsAreStartedOneByOne) {
  NEED(fill_);
  const long before = graphs();
  for (int turn = 0; turn < 3 * kBatchTimes; ++turn)
    run(3, static_cast<int>(cuda::LaunchGraphs::kFewest) - 1);
  EXPECT_EQ(first(a_), 7u);
  EXPECT_EQ(graphs(), before);
}

TEST_P(CudaBatch, AnotherWayAfterTheSameBeginningIsTaken) {
  NEED(fill_);
  for (int turn = 0; turn <= kBatchTimes; ++turn) run(10, 9);
  const long before = graphs();
  run(10, 7);  // ends early
  EXPECT_EQ(first(a_), 16u);
  {
    BatchScope batch(*device_);
    fill(10), add(b_, a_), add(a_, b_), add(b_, a_), add(b_, a_);  // the last goes elsewhere
  }
  EXPECT_EQ(first(b_), 13u);
  EXPECT_EQ(graphs(), before);
  run(10, 12);  // goes on
  EXPECT_EQ(first(b_), 21u);
  EXPECT_EQ(graphs(), before + graphs_of(1));
}

TEST_P(CudaBatch, OtherArgumentsAreAnotherSequence) {
  NEED(fill_);
  for (int turn = 0; turn <= kBatchTimes; ++turn) run(10, 8);
  for (uint64_t value = 0; value < 40; ++value) {
    run(value, 8);
    EXPECT_EQ(first(b_), value + 7);
  }
}

TEST_P(CudaBatch, HostReadsInBetweenSeeWhatCameBefore) {
  NEED(fill_);
  for (int turn = 0; turn < 3 * kBatchTimes; ++turn) {
    BatchScope outer(*device_);
    chain(5, 8);
    {
      BatchScope inner(*device_);
      add(a_, b_);
    }
    EXPECT_EQ(first(a_), 13u);
    chain(6, 8);
    EXPECT_EQ(first(b_), 13u);
    outer.close();
  }
}

TEST_P(CudaBatch, CopiesTakePart) {
  NEED(fill_);
  const long before = graphs();
  const BufferRef c = device_->allocate(kBatchElements * 8);
  for (int turn = 0; turn < 2 * kBatchTimes; ++turn) {
    {
      BatchScope batch(*device_);
      for (uint64_t half = 0; half < 2; ++half) {
        chain(half, 4);
        device_->copy(*c, half * kBatchElements * 4, *b_, 0, kBatchElements * 4);
      }
    }
    const std::vector<uint32_t> both = read(c);
    EXPECT_EQ(both.front(), 3u);
    EXPECT_EQ(both.back(), 4u);
  }
  EXPECT_EQ(graphs(), before + graphs_of(kBatchTimes));
}

TEST_P(CudaBatch, MemoryThatIsFreedIsUsedAgainByTheThreadAloneUntilAllIsStarted) {
  NEED(fill_);
  const void* other = nullptr;
  const auto turn = [&] {
    BatchScope batch(*device_);
    fill(1);
    const void* freed = nullptr;
    {
      const BufferRef temporary = device_->allocate(kBatchElements * 40);
      freed = temporary->data();
      add(temporary, a_), add(b_, temporary);
    }
    std::thread([&] { other = device_->allocate(kBatchElements * 40)->data(); }).join();
    const BufferRef again = device_->allocate(kBatchElements * 40);
    EXPECT_TRUE(again->data() == freed || other == freed);
    for (int i = 0; i < 4; ++i) add(again, b_), add(b_, again);
    batch.close();
    return freed;
  };
  for (int i = 0; i < kBatchTimes; ++i) turn();
  for (int i = 0; i < 4; ++i) {
    const void* freed = turn();
    EXPECT_NE(other, freed) << "the additions to it were not started";
    EXPECT_EQ(first(b_), 11u);
  }
}

TEST_P(CudaBatch, AnotherStreamWaitsForWhatWasHeldBack) {
  NEED(fill_);
  const std::shared_ptr<Stream> other = device_->make_stream();
  for (int turn = 0; turn < 2 * kBatchTimes; ++turn) {
    {
      BatchScope batch(*device_);
      device_->before(*a_, Device::Use::Write);
      device_->before(*b_, Device::Use::Write);
      chain(7, 8);
      device_->after(*a_, Device::Use::Write);  // as the body of a loop does
      device_->after(*b_, Device::Use::Write);
      chain(8, 8);
    }
    const StreamScope scope(other);
    EXPECT_EQ(first(b_), 15u);
  }
}

TEST_P(CudaBatch, MemoryThatAnotherStreamReadsIsNotUsedAgainBeforeItDid) {
  NEED(fill_);
  const std::shared_ptr<Stream> other = device_->make_stream();
  const auto turn = [&](bool reads) {
    BufferRef read_there = device_->allocate(kBatchElements * 40);
    const void* const place = read_there->data();
    const BufferRef copy = device_->allocate(kBatchElements * 40);
    if (reads) {
      const StreamScope scope(other);
      device_->copy(*copy, 0, *read_there, 0, copy->bytes());
    }
    BatchScope batch(*device_);
    fill(1), add(b_, a_);
    read_there = nullptr;
    const BufferRef again = device_->allocate(kBatchElements * 40);
    for (int i = 0; i < 4; ++i) add(a_, b_), add(b_, a_);
    batch.close();
    return again->data() == place;
  };
  for (int i = 0; i < kBatchTimes; ++i) turn(false);
  EXPECT_TRUE(turn(false));
  EXPECT_EQ(first(b_), 10u);
  if (counts()) {
    EXPECT_FALSE(turn(true)) << "the stand-in's other stream has not got on";
  }
}

TEST_P(CudaBatch, AGraphKeepsItsKernels) {
  NEED(fill_);
  CudaOptions few = options();
  few.most_kernels = 1;
  device_ = make_cuda_device(0, few, nullptr, counters_);
  a_ = device_->allocate(kBatchElements * 4), b_ = device_->allocate(kBatchElements * 4);
  for (int turn = 0; turn < 2 * kBatchTimes; ++turn) {
    fill_ = load(source("fill", kFill)), add_one_ = load(source("add_one", kAddOne));
    run(1, 8);
    EXPECT_EQ(first(b_), 8u);
    fill_ = add_one_ = nullptr;
  }
}

TEST_P(CudaBatch, AreOffWhereTheDeviceWasMadeWithoutGraphs) {
  NEED(fill_);
  CudaOptions none = options();
  none.graphs = false;
  device_ = make_cuda_device(0, none, nullptr, counters_);
  fill_ = load(source("fill", kFill)), add_one_ = load(source("add_one", kAddOne));
  a_ = device_->allocate(kBatchElements * 4), b_ = device_->allocate(kBatchElements * 4);
  const long before = graphs();
  for (int turn = 0; turn < 2 * kBatchTimes; ++turn) run(1, 8);
  EXPECT_EQ(first(b_), 8u);
  EXPECT_EQ(graphs(), before);
}

TEST_P(CudaBatch, ManyThreadsOfOneStream) {
  NEED(fill_);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const BufferRef x = device_->allocate(kBatchElements * 4), y = device_->allocate(kBatchElements * 4);
      for (int turn = 0; turn < 4 * kBatchTimes; ++turn) {
        {
          BatchScope batch(*device_);
          device_->launch(*fill_, blocks_for(kBatchElements),
                          std::array<uint64_t, 3>{word(x), kBatchElements, t});
          for (int i = 0; i < 4; ++i) {
            const BufferRef temporary = device_->allocate(kBatchElements * 4);
            add(temporary, x), add(y, temporary), add(x, y);
          }
        }
        std::vector<uint32_t> values(kBatchElements);
        device_->download(values.data(), *x, 0, kBatchElements * 4);
        EXPECT_TRUE(std::ranges::all_of(values, [&](uint32_t v) { return v == t + 12; }));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// What a product does: it asks the pool for memory while it is started.
class AsksForMemory final : public cuda::Starter {
 public:
  explicit AsksForMemory(cuda::DevicePool& pool) : pool_(pool) {}
  void start(const cuda::Start& /*what*/, std::span<const uint64_t> /*args*/) override {
    pool_.free(pool_.allocate(size_t{1} << 20));
    ++count;
  }
  void started(const cuda::LaunchGraph& /*graph*/) override { ++launched; }

  int count = 0, launched = 0;

 private:
  cuda::DevicePool& pool_;
};

TEST(CudaBatchAlone, WhatIsStartedMayAskForMemory) {
  NEED_STAND_IN();
  std::string reason;
  auto context =
      std::make_shared<cuda::Context>(cuda::DriverApi::open(fake_options().library_directories, reason), 0);
  cuda::Context::Scope scope(*context);
  cuda::DevicePool pool(context);
  cuda::LaunchGraphs graphs(context, pool);
  AsksForMemory starter(pool);
  const auto run = [&](size_t length, size_t other_at) {
    cuda::Batch::open(graphs, starter, context->first_queue());
    for (size_t i = 0; i < length; ++i) {
      const cuda::CopyStart copy{i, i == other_at ? 100 : i + 1, 4};
      if (!cuda::Batch::of(*context)->hold(copy, {})) starter.start(copy, {});
    }
    cuda::Batch::close(*context);
  };
  constexpr size_t kNever = 1000;
  for (int i = 0; i < kBatchTimes; ++i) run(8, kNever);
  EXPECT_EQ(starter.count, kBatchTimes * 8 + 8) << "once more, to be captured";
  run(8, kNever);
  EXPECT_EQ(starter.launched, 1);
  starter.count = 0;
  pool.trim();  // so that the first of them asks the driver
  run(8, 6);
  run(5, kNever);
  EXPECT_EQ(starter.count, 13);
  EXPECT_EQ(starter.launched, 1);
}

INSTANTIATE_TEST_SUITE_P(Drivers, CudaBatch, testing::Values(Driver::Fake, Driver::Real),
                         [](const auto& of) { return of.param == Driver::Fake ? "Fake" : "Real"; });

}  // namespace
}  // namespace weft::runtime
