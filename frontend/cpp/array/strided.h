// Copies between row-major elements and elements at strides, in host memory.
#pragma once

#include <cstddef>

#include "compiler/base/shape.h"

namespace weft::detail {

// Where elements lie: at offset + sum(position * stride), counted in items.
struct Strided {
  const Shape& shape;
  const Dims& strides;
  int64_t offset;
  int64_t item;  // bytes
};

void gather(const Strided& at, const std::byte* from, std::byte* row_major);
// Puts one item everywhere.
void fill(const Strided& at, const std::byte* item, std::byte* to);
void scatter(const Strided& at, const std::byte* row_major, std::byte* to);

}  // namespace weft::detail
