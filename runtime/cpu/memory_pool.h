// Host memory that is kept for the next request of its size: fresh pages cost several times the work done on
// them. The most recently freed block is handed out first, since its lines may still be in a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "runtime/device.h"

namespace weft::runtime {

class MemoryPool {
 public:
  // `limit`: most bytes in blocks, given out and free together. `keep`: free bytes that are kept in any case;
  // more than that is kept only up to the bytes in use, the least recently freed going first.
  MemoryPool(size_t limit, size_t keep);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  struct Block {
    void* data;
    size_t bytes;  // its size class, at least what was asked for
  };
  // Aligned at 64 bytes, and at 2 MiB from 2 MiB on. Throws OutOfMemory when the limit or the machine's
  // available memory is passed even after a trim.
  Block take(size_t bytes);
  void give(Block block);
  void trim();
  MemoryInfo info() const;

  // Blocks come in eight sizes for each power of two; from 2 MiB on in whole huge pages.
  static size_t class_bytes(size_t bytes);

 private:
  struct Free {
    void* data;
    uint64_t freed;  // a running number: the order of frees
  };
  void* fresh(size_t bytes, size_t asked);
  void release_free(size_t most);

  mutable std::mutex mutex_;
  const size_t limit_, keep_;
  std::vector<std::deque<Free>> free_;  // by size class, most recently freed at the back
  MemoryInfo info_;
  uint64_t frees_ = 0;
  size_t unchecked_ = 0;  // bytes taken from the system since its available memory was last looked at
};

}  // namespace weft::runtime
