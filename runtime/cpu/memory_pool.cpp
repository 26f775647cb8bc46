#include "runtime/cpu/memory_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "compiler/base/error.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/refused_mapping.h"

namespace weft::runtime {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kLargest = size_t{1} << 47;  // what user space addresses
constexpr size_t kUncheckedBytes = size_t{64}
                                   << 20;  // reading /proc/meminfo costs as much as touching some pages
constexpr size_t kClassCount = 8 * 48;

constexpr size_t round_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

// The row of the free table; `bytes` is a class size.
size_t class_index(size_t bytes) {
  const int log = std::bit_width(bytes) - 1;
  return static_cast<size_t>(log) * 8 + ((bytes >> (log - 3)) & 7);
}

// Blocks under a huge page come from the C library, others from the system.
void* obtain(size_t bytes) {
  if (bytes < kHugePage) return std::aligned_alloc(kAlignment, bytes);
  void* mapped = ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(mapped);
  char* aligned = start + (kHugePage - reinterpret_cast<uintptr_t>(start) % kHugePage) % kHugePage;
  if (aligned != start) ::munmap(start, static_cast<size_t>(aligned - start));
  if (const size_t tail = static_cast<size_t>(start + kHugePage - aligned)) ::munmap(aligned + bytes, tail);
  ::madvise(aligned, bytes, MADV_HUGEPAGE);
  return aligned;
}

void release(void* data, size_t bytes) {
  if (bytes < kHugePage) {
    std::free(data);
  } else {
    ::munmap(data, bytes);
  }
}

// The sizes of the classes, by index.
size_t bytes_of_class(size_t index) { return (8 + index % 8) << (index / 8) >> 3; }

}  // namespace

MemoryPool::MemoryPool(size_t limit, size_t keep) : limit_(limit), keep_(keep), free_(kClassCount) {}

MemoryPool::~MemoryPool() { trim(); }

size_t MemoryPool::class_bytes(size_t bytes) {
  bytes = std::max(bytes, kAlignment);
  const size_t step = std::max(kAlignment, size_t{1} << (std::bit_width(bytes - 1) - 1) >> 3);
  bytes = round_up(bytes, step);
  return bytes < kHugePage ? bytes : round_up(bytes, kHugePage);
}

MemoryPool::Block MemoryPool::take(size_t bytes) {
  if (bytes > kLargest)
    throw OutOfMemory(
        fmt::format("allocate: {} bytes are more than a process can address ({})", bytes, kLargest));
  const size_t size = class_bytes(bytes);
  std::lock_guard lock(mutex_);
  Block block{nullptr, size};
  std::deque<Free>& same = free_[class_index(size)];
  if (!same.empty()) {
    block.data = same.back().data;
    same.pop_back();
    info_.pooled -= size;
  } else {
    block.data = fresh(size, bytes);
  }
  info_.in_use += size;
  info_.peak = std::max(info_.peak, info_.in_use);
  return block;
}

void* MemoryPool::fresh(size_t bytes, size_t asked) {
  std::string reason;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt == 1) release_free(0);
    if (info_.in_use + info_.pooled + bytes > limit_) {
      reason = fmt::format("{} bytes exceed the device's limit, {} bytes", asked,
                           limit_ - std::min(limit_, info_.in_use + info_.pooled));
      continue;
    }
    if (unchecked_ + bytes > kUncheckedBytes) {
      // The system hands out more than it has and kills whoever touches it; so ask first.
      const size_t available = available_memory();
      if (bytes > available) {
        reason =
            fmt::format("{} bytes exceed the memory that the system has left, {} bytes", asked, available);
        continue;
      }
      unchecked_ = 0;
    }
    if (void* data = obtain(bytes)) {
      unchecked_ += bytes;
      return data;
    }
    reason = fmt::format("no {} bytes: the system refuses {}", asked, refused_mapping());
  }
  throw OutOfMemory(
      fmt::format("allocate: {}; {} bytes are held by live arrays and {} by the pool after a trim", reason,
                  info_.in_use, info_.pooled));
}

void MemoryPool::give(Block block) {
  std::lock_guard lock(mutex_);
  info_.in_use -= block.bytes;
  info_.pooled += block.bytes;
  free_[class_index(block.bytes)].push_back({block.data, frees_++});
  release_free(std::max(keep_, info_.in_use));
}

void MemoryPool::release_free(size_t most) {
  while (info_.pooled > most) {
    std::deque<Free>* oldest = nullptr;
    for (std::deque<Free>& row : free_)
      if (!row.empty() && (!oldest || row.front().freed < oldest->front().freed)) oldest = &row;
    const size_t bytes = bytes_of_class(static_cast<size_t>(oldest - free_.data()));
    release(oldest->front().data, bytes);
    oldest->pop_front();
    info_.pooled -= bytes;
  }
}

void MemoryPool::trim() {
  std::lock_guard lock(mutex_);
  release_free(0);
}

MemoryInfo MemoryPool::info() const {
  std::lock_guard lock(mutex_);
  return info_;
}

}  // namespace weft::runtime
