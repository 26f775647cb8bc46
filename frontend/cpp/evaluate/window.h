// The part of an input that a graph reads or writes; it begins where the first of its slices does.
#pragma once

#include <cstdint>

#include "compiler/base/shape.h"

namespace weft::detail {

struct Window {
  uint32_t input = 0;  // among the graph's inputs
  Dims starts;         // in the input
  Shape extents;
  Dims strides;          // of its elements, in memory; empty: row-major
  int64_t offset = 0;    // of its first element
  int64_t reach = 0;     // elements from the first to behind the last, in memory
  int32_t written = -1;  // the node that the last update of it is; -1: it is only read
  bool used = true;      // false: the program is given the whole input
};

}  // namespace weft::detail
