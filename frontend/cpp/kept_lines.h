// Lines of the user's program whose values had to be computed a second time because no program had kept them:
// a loop that looks at one result in each turn, say, and carries another on. From then on they are kept.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_set>

#include "compiler/ir/lines.h"

namespace weft::detail {

class KeptLines {
 public:
  void add(const ir::SourceLine& line) {
    if (!line.file) return;
    std::lock_guard lock(mutex_);
    lines_.insert(line);
    any_.store(true, std::memory_order_relaxed);
  }
  bool contains(const ir::SourceLine& line) const {
    if (!any_.load(std::memory_order_relaxed)) return false;
    std::lock_guard lock(mutex_);
    return lines_.contains(line);
  }

 private:
  struct HashOf {
    size_t operator()(const ir::SourceLine& line) const {
      return reinterpret_cast<uintptr_t>(line.file) * 31 + line.line;
    }
  };
  mutable std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::unordered_set<ir::SourceLine, HashOf> lines_;
};

}  // namespace weft::detail
