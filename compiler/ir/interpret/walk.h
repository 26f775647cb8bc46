// Visits every index of a shape in row-major order, with the element offsets that several stridings give it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compiler/base/shape.h"

namespace weft::ir {

// f(offsets) for each index i: offsets[k] = start[k] + sum over the axes of i[axis] * strides[k][axis].
template <size_t count, class F>
void walk(const Dims& shape, const std::array<Dims, count>& strides, std::array<int64_t, count> start,
          F&& f) {
  for (int64_t extent : shape) {
    if (extent == 0) return;
  }
  if (shape.empty()) {
    f(start);
    return;
  }
  const size_t last = shape.size() - 1;
  Dims index(shape.size(), 0);
  std::array<int64_t, count> step;
  for (size_t k = 0; k < count; ++k) step[k] = strides[k][last];
  while (true) {
    std::array<int64_t, count> at = start;
    for (int64_t i = 0; i < shape[last]; ++i) {
      f(at);
      for (size_t k = 0; k < count; ++k) at[k] += step[k];
    }
    size_t axis = last;
    while (true) {
      if (axis == 0) return;
      --axis;
      for (size_t k = 0; k < count; ++k) start[k] += strides[k][axis];
      if (++index[axis] < shape[axis]) break;
      for (size_t k = 0; k < count; ++k) start[k] -= strides[k][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace weft::ir
