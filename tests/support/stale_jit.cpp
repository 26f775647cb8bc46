// A libweft_jit.so of another version.
#include "runtime/jit/library.h"

namespace weft::runtime {
void weft_jit_library(JitLibrary* library) { library->version = "0.0.9-of-before"; }
}  // namespace weft::runtime
