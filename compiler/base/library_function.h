// Functions of the library that are called as kernels are, for parts of a range.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

// `words` are the addresses of the operands and of the results, then the numbers of the call.
struct LibraryFunction {
  const char* name;
  void (*run)(const uint64_t* words, long begin, long end, char* scratch);
};

// Text names them: each is added as the process starts.
bool add_library_function(const LibraryFunction& function);
const LibraryFunction* library_function(std::string_view name);  // null: there is none

}  // namespace weft
