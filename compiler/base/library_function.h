// Functions of the library that are called as kernels are, for parts of a range.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/base/tensor_type.h"

namespace weft {

// Calls for parts of the range from 0 to `range` make up the results. All arrays are contiguous.
struct LibraryCall {
  std::span<const TensorType> operands, results;
  int64_t range;
  std::span<const int64_t> numbers;
};

// `words` are the addresses of the operands and of the results, then the numbers of the call.
struct LibraryFunction {
  const char* name;
  void (*run)(const uint64_t* words, long begin, long end, char* scratch);
  // The rule that a call breaks; empty: it stays inside of its arrays. Text can say any call.
  std::string (*broken_rule)(const LibraryCall& call);
};

// Text names them: each is added as the process starts.
bool add_library_function(const LibraryFunction& function);
const LibraryFunction* library_function(std::string_view name);  // null: there is none

}  // namespace weft
