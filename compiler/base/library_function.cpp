#include "compiler/base/library_function.h"

#include <algorithm>
#include <deque>

namespace weft {
namespace {

std::deque<LibraryFunction>& library_functions() {
  static std::deque<LibraryFunction> all;
  return all;
}

}  // namespace

bool add_library_function(const LibraryFunction& function) {
  library_functions().push_back(function);
  return true;
}

const LibraryFunction* library_function(std::string_view name) {
  const auto found =
      std::ranges::find_if(library_functions(), [&](const LibraryFunction& one) { return name == one.name; });
  return found == library_functions().end() ? nullptr : &*found;
}

}  // namespace weft
