#include "runtime/cpu/onednn.h"

#include "runtime/cpu/own_library.h"

namespace weft::runtime {
namespace {

// Null when there is none, or when it brings threads of its own that cannot be held back.
const OneDnn* open() {
#if defined(__SANITIZE_ADDRESS__)
  return nullptr;  // the check for leaks crashes, one time in ten, on what libgomp keeps for each thread
#endif
  for (const char* name : {"libdnnl.so.3", "libdnnl.so.2"}) {
    void* library = dlopen(name, kOwnSymbols);
    static OneDnn found{};
    if (library && find(library, "dnnl_sgemm", found.sgemm) &&
        find(library, "omp_get_max_threads", found.get_threads) &&
        find(library, "omp_set_num_threads", found.set_threads)) {
      find(library, "dnnl_version", found.version);
      return &found;
    }
    if (library) dlclose(library);
  }
  return nullptr;
}

}  // namespace

const OneDnn* onednn() {
  static const OneDnn* const library = open();
  return library;
}

}  // namespace weft::runtime
