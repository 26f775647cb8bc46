// How libraries are opened that other parts of the program may have brought too.
#pragma once

#include <dlfcn.h>

#include <string>

namespace weft::runtime {

// Its own symbols first, so that another copy in the program does not answer for it. Sanitizers refuse that.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kOwnSymbols = RTLD_NOW | RTLD_LOCAL;
#else
inline constexpr int kOwnSymbols = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

// Whether the library, or one that it needs, has the function.
template <typename Function>
bool find(void* library, const std::string& name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name.c_str()));
  return function != nullptr;
}

}  // namespace weft::runtime
