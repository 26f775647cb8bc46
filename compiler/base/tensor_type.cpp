#include "compiler/base/tensor_type.h"

namespace weft {

std::string to_string(const TensorType& type) {
  std::string text(name(type.dtype));
  for (size_t i = 0; i < type.shape.size(); ++i) text += (i > 0 ? ", " : "[") + std::to_string(type.shape[i]);
  return text += type.shape.empty() ? "[]" : "]";
}

}  // namespace weft
