// Memory for objects that are made and freed by the thousand, as those of a recorded graph are: a thread
// keeps what it freed, and hands out first what it freed last, which its caches still hold. Derive from
// Recycled<T> and use new and delete.
#pragma once

#include <cstddef>
#include <new>

#include "compiler/base/per_thread.h"

namespace weft {

template <class T>
class Recycled {
 public:
  static void* operator new(size_t bytes) {
    if constexpr (kKept > 0) {
      Free& mine = PerThread<Free>::get();
      if (Block* first = mine.first) {
        mine.first = first->next;
        --mine.count;
        return first;
      }
    }
    return ::operator new(bytes, std::align_val_t{alignof(T)});
  }
  static void operator delete(void* memory) noexcept {
    if constexpr (kKept > 0) {
      Free& mine = PerThread<Free>::get();
      if (mine.count < kKept) {
        mine.first = new (memory) Block{mine.first};
        ++mine.count;
        return;
      }
    }
    ::operator delete(memory, std::align_val_t{alignof(T)});
  }

 private:
  // As many as a graph may hold before it is computed, and as many again. Sanitizers want to see every object
  // come and go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr size_t kKept = 0;
#else
  static constexpr size_t kKept = 8192;
#endif
  struct Block {
    Block* next;
  };
  struct Free {
    Block* first = nullptr;
    size_t count = 0;
    ~Free() {
      while (Block* block = first) {
        first = block->next;
        ::operator delete(block, std::align_val_t{alignof(T)});
      }
    }
  };
};

}  // namespace weft
