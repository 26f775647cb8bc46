// How often the host computed for a front end what no program did, as NumPy does for Python's, and for which lines.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "compiler/base/source_line.h"

namespace weft::detail {

class HostAnswers {
 public:
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }
  int64_t count() const { return count_.load(std::memory_order_relaxed); }
  // Whether the line asks this function for the first time, as far as is remembered.
  bool is_first(const std::string& function, const SourceLine& line) {
    const std::lock_guard lock(mutex_);
    if (seen_.size() >= kMost) seen_.clear();
    return seen_.insert({function, line.file ? line.file : "", line.line}).second;
  }

 private:
  static constexpr size_t kMost = 4096;

  std::atomic<int64_t> count_{0};
  std::mutex mutex_;
  std::set<std::tuple<std::string, std::string, uint32_t>> seen_;
};

}  // namespace weft::detail
