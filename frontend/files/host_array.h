// An array as a file holds it: what the readers return and the writers take.
// The data are row-major, native-endian, without gaps: element_count(shape) * size_of(dtype) bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/shape.h"

namespace weft::io {

struct HostArray {
  DType dtype = DType::F32;
  Shape shape;
  std::vector<std::byte> data;
};

}  // namespace weft::io
