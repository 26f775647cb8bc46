#include "runtime/ranges.h"

#include <dlfcn.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define WEFT_NVTX3
#endif

namespace weft::runtime {

std::string Ranges::open(bool injected) {
  if (on()) return {};
#ifdef WEFT_NVTX3
  if (injected) {
    push_ = &nvtxRangePushA, pop_ = &nvtxRangePop;
    return {};
  }
#else
  static_cast<void>(injected);
#endif
  void* library = nullptr;
  // Where a tool injects itself (NVTX_INJECTION64_PATH), the library finds it.
  for (const char* name : {"libnvToolsExt.so.1", "libnvToolsExt.so"})
    if (!library) library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char* said = ::dlerror();
    return std::string("no ranges for NVIDIA's tools: libnvToolsExt.so.1 cannot be opened (") +
           (said ? said : "the loader does not say why") +
           "): install CUDA's NVTX, or put its folder into LD_LIBRARY_PATH";
  }
  const auto push = reinterpret_cast<decltype(push_)>(::dlsym(library, "nvtxRangePushA"));
  const auto pop = reinterpret_cast<decltype(pop_)>(::dlsym(library, "nvtxRangePop"));
  if (!push || !pop) return "no ranges for NVIDIA's tools: libnvToolsExt.so has no nvtxRangePushA";
  push_ = push, pop_ = pop;
  return {};
}

}  // namespace weft::runtime
