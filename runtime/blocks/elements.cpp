#include "runtime/blocks/elements.h"

namespace weft::runtime {

void repeat(char* to, const char* from, int bytes, int64_t count) {
  with_element(bytes, [&](auto element) {
    const auto value = read<decltype(element)>(from);
    for (int64_t k = 0; k < count; ++k) std::memcpy(to + k * int64_t{sizeof value}, &value, sizeof value);
  });
}

void deal_in(char* to, const char* from, int64_t by, int64_t count, int bytes) {
  if (by == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * bytes));
    return;
  }
  if (by == 0) return repeat(to, from, bytes, count);
  with_element(bytes, [&](auto element) {
    using T = decltype(element);
    constexpr int64_t kBytes = sizeof(T);
    for (int64_t k = 0; k < count; ++k) std::memcpy(to + k * kBytes, from + k * by * kBytes, sizeof(T));
  });
}

void deal_out(char* to, const char* from, int64_t by, int64_t count, int bytes) {
  if (by == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * bytes));
    return;
  }
  with_element(bytes, [&](auto element) {
    using T = decltype(element);
    constexpr int64_t kBytes = sizeof(T);
    for (int64_t k = 0; k < count; ++k) std::memcpy(to + k * by * kBytes, from + k * kBytes, sizeof(T));
  });
}

void deal_in_masked(char* to, const char* from, int64_t by, const char* mask, int64_t count, int bytes) {
  for (int64_t k = 0; k < count;) {
    const bool reads = mask[k] != 0;
    int64_t end = k + 1;
    while (end < count && (mask[end] != 0) == reads) ++end;
    if (reads)
      deal_in(to + k * bytes, from + k * by * bytes, by, end - k, bytes);
    else
      std::memset(to + k * bytes, 0, static_cast<size_t>((end - k) * bytes));
    k = end;
  }
}

}  // namespace weft::runtime
