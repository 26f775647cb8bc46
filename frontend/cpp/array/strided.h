// Copies between row-major elements and elements at strides, in host memory.
#pragma once

#include <cstddef>
#include <cstring>

#include "compiler/base/shape.h"

namespace weft::detail {

// Where elements lie: at offset + sum(position * stride), counted in items.
struct Strided {
  const Shape& shape;
  const Dims& strides;
  int64_t offset;
  int64_t item;  // bytes
};

// One item of 1 to 16 bytes.
inline void copy_item(std::byte* to, const std::byte* from, int64_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

void gather(const Strided& at, const std::byte* from, std::byte* row_major);
// Puts one item everywhere.
void fill(const Strided& at, const std::byte* item, std::byte* to);
void scatter(const Strided& at, const std::byte* row_major, std::byte* to);

}  // namespace weft::detail
