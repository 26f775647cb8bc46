// What the entry of a kernel takes, read from its text in C++ or CUDA C++.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/dtype.h"

namespace weft::ir {

struct KernelParameter {
  std::string
      type;  // without const and __restrict__: "float", of which the argument is an address or a value
  std::string name;
  bool is_pointer = false, is_const = false;
  std::optional<DType> dtype;  // none where the type is none of C's
};

// A __constant__ array of the text that has no elements of its own.
struct KernelConstantText {
  std::string name, type;
  std::optional<DType> dtype;  // none where the type is none of C's
};

struct KernelText {
  std::string name;  // as it is called: "saxpy<float>"
  std::vector<KernelParameter> parameters;
  std::vector<KernelConstantText> constants;
  std::optional<int64_t> most_threads;  // of a block, where __launch_bounds__ says a number
};

// The function of this name; `name` says the types of a template, as in "saxpy<float>". Errors give line and column.
KernelText read_kernel_text(std::string_view text, const std::string& name, bool cuda);

}  // namespace weft::ir
