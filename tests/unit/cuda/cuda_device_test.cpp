// CUDA devices: memory, copies and streams, on the GPU and on the stand-in driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "compiler/base/error.h"
#include "tests/support/cuda_drivers.h"

namespace weft::runtime {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

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

TEST_P(CudaDevice, CopiesToAnotherGpuInOrder) {
  std::string reason;
  if (cuda_device_count(reason, options()) < 2) GTEST_SKIP() << "there is one GPU only";
  const std::shared_ptr<Device> other = make_cuda_device(1, options(), nullptr, counters_);
  constexpr size_t kBytes = 9'000'001;
  const std::vector<uint8_t> sent = pattern(kBytes, 4), later = pattern(kBytes, 5);
  std::vector<uint8_t> received(kBytes);
  BufferRef a = device_->allocate(kBytes), b = other->allocate(kBytes);
  device_->upload(*a, 0, sent.data(), kBytes);
  other->copy(*b, 13, *a, 13, kBytes - 13);
  device_->upload(*a, 0, later.data(), kBytes);  // waits for the copy
  other->copy(*b, 0, *a, 0, 13);
  other->download(received.data(), *b, 0, kBytes);
  EXPECT_TRUE(std::equal(sent.begin() + 13, sent.end(), received.begin() + 13));
  EXPECT_TRUE(std::equal(later.begin(), later.begin() + 13, received.begin()));
  EXPECT_THROW(other->copy(*b, 0, *a, 1, kBytes), InternalError);
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

TEST_P(CudaDevice, AClockTimesWhatTheThreadGives) {
  const KernelRef fill = load(source("fill", kFill));
  NEED(fill);
  const size_t n = size_t{1} << 20;
  const BufferRef buffer = device_->allocate(n * 4);
  const auto give = [&](uint32_t value) {
    device_->launch(*fill, blocks_for(n), std::vector<uint64_t>{word(buffer), n, value});
  };
  device_->synchronize();
  const std::unique_ptr<DeviceClock> clock = device_->start_clock();
  ASSERT_TRUE(clock);
  for (uint32_t value = 1; value <= 20; ++value)
    give(value);  // one alone may take less than the clock's own error
  EXPECT_GT(clock->stop(), 0);
  EXPECT_EQ(read(buffer)[n - 1], 20u);
  static_cast<void>(device_->start_clock());  // never stopped, as where the start throws
  give(21);
  EXPECT_EQ(read(buffer)[n - 1], 21u);
}

TEST_P(CudaDevice, AClockLetsWorkGoOnThatWaitsBeforeItStops) {
  const std::unique_ptr<DeviceClock> clock = device_->start_clock();
  device_->synchronize();
  EXPECT_GE(clock->stop(), 0);
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

INSTANTIATE_TEST_SUITE_P(Drivers, CudaDevice, testing::Values(Driver::Fake, Driver::Real),
                         [](const auto& test) { return test.param == Driver::Fake ? "Fake" : "Real"; });

}  // namespace
}  // namespace weft::runtime
