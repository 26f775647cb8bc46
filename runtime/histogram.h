// How many pieces of work took how long, for services to ask. Any number of threads add.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::runtime {

class Histogram {
 public:
  // Nanoseconds: a piece of work belongs to the first that it does not pass, or behind the last.
  static constexpr std::array<int64_t, 12> kBounds = {
      1'000'000,   2'500'000,   5'000'000,     10'000'000,    25'000'000,    50'000'000,
      100'000'000, 250'000'000, 1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};

  void add(int64_t ns) {
    const auto place = std::ranges::lower_bound(kBounds, ns) - kBounds.begin();
    counts_[static_cast<size_t>(place)].fetch_add(1, std::memory_order_relaxed);
    ns_.fetch_add(ns, std::memory_order_relaxed);
  }
  // Of each bound, and behind the last.
  std::array<int64_t, kBounds.size() + 1> counts() const {
    std::array<int64_t, kBounds.size() + 1> out{};
    for (size_t i = 0; i < out.size(); ++i) out[i] = counts_[i].load(std::memory_order_relaxed);
    return out;
  }
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<int64_t>, kBounds.size() + 1> counts_{};
  std::atomic<int64_t> ns_{0};
};

}  // namespace weft::runtime
