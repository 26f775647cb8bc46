// One element for many, at the speed of a copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace weft {

// Writes the element of `size` bytes at `item` to the first `count` places at `to`.
inline void repeat(std::byte* to, const std::byte* item, size_t size, size_t count) {
  constexpr size_t kBlock = 4096;  // stays in the first cache while it is copied
  const size_t bytes = size * count;
  if (bytes == 0) return;
  std::memcpy(to, item, size);
  for (size_t done = size; done < bytes;) {
    const size_t more = std::min({done, kBlock, bytes - done});
    std::memcpy(to + done, to, more);
    done += more;
  }
}

}  // namespace weft
