// 128-bit content hashes (XXH3) for graphs, plans, sources and cache entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

struct Hash {
  uint64_t low = 0, high = 0;
  friend bool operator==(const Hash&, const Hash&) = default;
};

Hash hash_bytes(const void* data, size_t size, uint64_t seed = 0);
inline Hash hash_text(std::string_view text) { return hash_bytes(text.data(), text.size()); }
// 32 lower-case hexadecimal digits.
std::string to_string(const Hash& hash);

struct HashOf {
  size_t operator()(const Hash& h) const { return h.low; }
};

}  // namespace weft
