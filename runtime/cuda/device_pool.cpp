#include "runtime/cuda/device_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/base/error.h"
#include "runtime/cuda/cuda_stream.h"

namespace weft::runtime::cuda {

namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kLargestStep = size_t{2} << 20;  // the driver's own page size

// Eight sizes an octave and never more than 2 MiB on top, so that blocks of nearly the same size serve each
// other.
size_t rounded(size_t bytes) {
  size_t step = std::clamp(std::bit_floor(bytes) / 8, kAlignment, kLargestStep);
  return (bytes + step - 1) / step * step;
}

std::string readable(size_t bytes) {
  if (bytes >= size_t{1} << 30) return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= size_t{1} << 20) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{} bytes", bytes);
}

// The smallest of at least `least` bytes and below `limit`; of equal ones the last that was freed. What other queues
// read waits for them in the pool.
bool take_from(std::vector<Block>& blocks, size_t least, size_t limit, Block& block) {
  auto best = blocks.end();
  for (auto it = blocks.begin(); it != blocks.end(); ++it)
    if (it->bytes >= least && it->bytes < limit && it->uses.elsewhere.empty() &&
        (best == blocks.end() || it->bytes <= best->bytes))
      best = it;
  if (best == blocks.end()) return false;
  block = std::move(*best);
  blocks.erase(best);
  return true;
}

}  // namespace

DevicePool::DevicePool(std::shared_ptr<Context> context) : context_(std::move(context)) {
  const DriverApi& driver = context_->driver();
  context_->check(driver.cuDeviceTotalMem(&device_bytes_, context_->device()), "cuDeviceTotalMem");
  CUmemPoolProps props;
  props.location_id = context_->ordinal();
  context_->check(driver.cuMemPoolCreate(&pool_, &props), "cuMemPoolCreate");
  uint64_t keep_all = UINT64_MAX;
  CUresult result = driver.cuMemPoolSetAttribute(pool_, kPoolReleaseThreshold, &keep_all);
  if (result != kCudaSuccess) {
    driver.cuMemPoolDestroy(pool_);
    context_->fail(result, "cuMemPoolSetAttribute");
  }
}

DevicePool::~DevicePool() {
  Context::Scope scope(*context_);
  if (!scope.entered()) return;
  try {
    trim_locked();
  } catch (const std::exception&) {
    // The context has failed, and its memory goes with it.
  }
  context_->driver().cuMemPoolDestroy(pool_);
}

Block DevicePool::allocate(size_t bytes) {
  if (bytes == 0) return {0, 0, {&queue_of_thread(*context_), 0, {}}};
  // Also keeps absurd sizes away from the rounding.
  const bool fits = bytes <= device_bytes_;
  Block block{0, fits ? rounded(bytes) : 0, {}};
  if (fits && take_kept(block)) return block;
  std::lock_guard lock(mutex_);
  if (!fits) out_of_memory(bytes);
  Queue& queue = queue_of_thread(*context_);
  if (!take_free(block.bytes, queue, block)) {
    const DriverApi& driver = context_->driver();
    // Sizes that changed for good would otherwise stay here unused; the driver can split and join them.
    if (free_bytes_ > peak_) release_free();
    CUresult result = driver.cuMemAllocFromPoolAsync(&block.pointer, block.bytes, pool_, queue.handle());
    if (result == kCudaOutOfMemory) {
      trim_locked();
      result = driver.cuMemAllocFromPoolAsync(&block.pointer, block.bytes, pool_, queue.handle());
      if (result == kCudaOutOfMemory) out_of_memory(bytes);
    }
    context_->check(result, "allocate");
    queue.gave();
  }
  block.uses = {&queue, queue.given(), {}};
  in_use_ += block.bytes;
  peak_ = std::max(peak_, in_use_);
  return block;
}

// What the thread's keeper has, or the pool where that has it smaller.
bool DevicePool::take_kept(Block& block) {
  BlockKeeper* const keeper = BlockKeeper::of_thread(*context_);
  if (!keeper) return false;
  std::unique_lock lock(mutex_);
  size_t limit = block.bytes + block.bytes / 8 + 1;
  const auto larger = free_.lower_bound(block.bytes);
  if (larger != free_.end() && keeper->prefers_smaller()) limit = std::min(limit, larger->first + 1);
  Queue& queue = queue_of_thread(*context_);
  if (!take_from(keeper->kept, block.bytes, limit, block)) {
    if (!take_free(block.bytes, queue, block)) {
      lock.unlock();
      keeper->has_none();
      return false;
    }
    in_use_ += block.bytes;
    peak_ = std::max(peak_, in_use_);
  }
  block.uses = {&queue, queue.given(), {}};
  return true;
}

void DevicePool::free(Block&& block) noexcept {
  if (block.pointer == 0) return;
  BlockKeeper* const keeper = BlockKeeper::of_thread(*context_);
  if (!keeper || block.uses.home != &queue_of_thread(*context_)) return free_now(std::move(block));
  try {
    keeper->kept.push_back(std::move(block));
  } catch (const std::bad_alloc&) {
    // No host memory for the list: the block stays with the driver's pool until the pool ends.
  }
}

void DevicePool::free_now(Block&& block) noexcept {
  std::lock_guard lock(mutex_);
  in_use_ -= block.bytes;
  try {
    const uint64_t until = block.uses.home->given();
    free_[block.bytes].push_back({block.pointer, until, std::move(block.uses)});
    free_bytes_ += block.bytes;
  } catch (const std::bad_alloc&) {
    // No host memory for the list: the block stays with the driver's pool until the pool ends.
  }
}

void DevicePool::trim() {
  std::lock_guard lock(mutex_);
  trim_locked();
}

MemoryInfo DevicePool::info() const {
  std::lock_guard lock(mutex_);
  uint64_t reserved = 0;
  context_->check(context_->driver().cuMemPoolGetAttribute(pool_, kPoolReserved, &reserved), "memory");
  return {in_use_, reserved > in_use_ ? reserved - in_use_ : 0, peak_};
}

bool DevicePool::usable(const Free& block, Queue& queue) {
  if (block.uses.home != &queue && !block.uses.home->passed(block.until)) return false;
  return std::all_of(block.uses.elsewhere.begin(), block.uses.elsewhere.end(), [&](const Uses::Read& read) {
    return read.queue == &queue || read.queue->passed(read.position);
  });
}

bool DevicePool::take_free(size_t bytes, Queue& queue, Block& block) {
  constexpr int kMostLooks = 16;
  int looks = 0;
  for (auto it = free_.lower_bound(bytes); it != free_.end() && it->first <= bytes + bytes / 8; ++it) {
    std::vector<Free>& same = it->second;
    for (size_t i = same.size(); i-- > 0 && looks < kMostLooks; ++looks) {
      if (!usable(same[i], queue)) continue;
      block.pointer = same[i].pointer;
      block.bytes = it->first;
      same.erase(same.begin() + static_cast<std::ptrdiff_t>(i));
      if (same.empty()) free_.erase(it);
      free_bytes_ -= block.bytes;
      return true;
    }
  }
  return false;
}

void DevicePool::release_free() {
  // A failure here is that of earlier work, which the next call that can throw reports.
  for (const auto& [bytes, blocks] : free_) {
    for (const Free& block : blocks) {
      Queue& home = *block.uses.home;
      for (const Uses::Read& read : block.uses.elsewhere) home.wait_for(*read.queue, read.position);
      context_->driver().cuMemFreeAsync(block.pointer, home.handle());
      home.gave();
    }
  }
  free_.clear();
  free_bytes_ = 0;
}

void DevicePool::trim_locked() {
  release_free();
  context_->synchronize("trim");
  context_->check(context_->driver().cuMemPoolTrimTo(pool_, 0), "trim");
}

void DevicePool::out_of_memory(size_t bytes) const {
  size_t available = 0, total = 0;
  uint64_t reserved = 0;
  context_->check(context_->driver().cuMemGetInfo(&available, &total), "cuMemGetInfo");
  context_->check(context_->driver().cuMemPoolGetAttribute(pool_, kPoolReserved, &reserved), "memory");
  throw OutOfMemory(fmt::format(
      "{}: no room for {} ({}); Weft holds {} in live buffers and {} in its pool, and {} of the device's {} "
      "are free",
      context_->name(), readable(bytes), bytes, readable(in_use_),
      readable(reserved > in_use_ ? reserved - in_use_ : 0), readable(available), readable(total)));
}

}  // namespace weft::runtime::cuda
