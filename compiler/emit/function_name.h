// The name under which a kernel has a scalar function.
#pragma once

#include <string>

#include "compiler/ir/function.h"

namespace weft::emit {

// Functions that do the same have the same name.
inline std::string name_of(const ir::Function& function) {
  return "weft_function_" + to_string(function.hash).substr(0, 16);
}

}  // namespace weft::emit
