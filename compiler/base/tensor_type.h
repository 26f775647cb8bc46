// What is known of an array without its elements.
#pragma once

#include <string>

#include "compiler/base/dtype.h"
#include "compiler/base/shape.h"

namespace weft {

struct TensorType {
  DType dtype = DType::F32;
  Shape shape;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// "f32[64, 96]", as graphs have it in text.
std::string to_string(const TensorType& type);

}  // namespace weft
