#include "runtime/cuda/device_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/base/error.h"

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
  release_free();
  context_->driver().cuStreamSynchronize(context_->stream());
  context_->driver().cuMemPoolDestroy(pool_);
}

Block DevicePool::allocate(size_t bytes) {
  if (bytes == 0) return {};
  std::lock_guard lock(mutex_);
  // Also keeps absurd sizes away from the rounding.
  if (bytes > device_bytes_) out_of_memory(bytes);
  Block block{0, rounded(bytes)};
  if (!take_free(block.bytes, block)) {
    const DriverApi& driver = context_->driver();
    // Sizes that changed for good would otherwise stay here unused; the driver can split and join them.
    if (free_bytes_ > peak_) release_free();
    CUresult result = driver.cuMemAllocFromPoolAsync(&block.pointer, block.bytes, pool_, context_->stream());
    if (result == kCudaOutOfMemory) {
      trim_locked();
      result = driver.cuMemAllocFromPoolAsync(&block.pointer, block.bytes, pool_, context_->stream());
      if (result == kCudaOutOfMemory) out_of_memory(bytes);
    }
    context_->check(result, "allocate");
  }
  in_use_ += block.bytes;
  peak_ = std::max(peak_, in_use_);
  return block;
}

void DevicePool::free(Block block) noexcept {
  if (block.pointer == 0) return;
  std::lock_guard lock(mutex_);
  in_use_ -= block.bytes;
  try {
    free_[block.bytes].push_back(block.pointer);
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

bool DevicePool::take_free(size_t bytes, Block& block) {
  auto it = free_.lower_bound(bytes);
  if (it == free_.end() || it->first > bytes + bytes / 8) return false;
  block = {it->second.back(), it->first};
  it->second.pop_back();
  if (it->second.empty()) free_.erase(it);
  free_bytes_ -= block.bytes;
  return true;
}

void DevicePool::release_free() {
  // A failure here is that of earlier work, which the next call that can throw reports.
  for (const auto& [bytes, pointers] : free_)
    for (CUdeviceptr pointer : pointers) context_->driver().cuMemFreeAsync(pointer, context_->stream());
  free_.clear();
  free_bytes_ = 0;
}

void DevicePool::trim_locked() {
  release_free();
  context_->check(context_->driver().cuStreamSynchronize(context_->stream()), "trim");
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
