// The draws behind every generated test: the same seed gives the same numbers on every platform, which the
// standard library's distributions do not promise.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace weft::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // splitmix64, by Sebastiano Vigna (public domain).
  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to n - 1, n above 0.
  int64_t below(int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }
  // An index, each as likely as its weight says.
  size_t weighted(const std::vector<double>& weights) {
    double total = 0;
    for (double w : weights) total += w;
    double at = unit() * total;
    for (size_t i = 0; i + 1 < weights.size(); ++i)
      if ((at -= weights[i]) < 0) return i;
    return weights.size() - 1;
  }

 private:
  uint64_t state_;
};

}  // namespace weft::test
