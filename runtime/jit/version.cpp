// CMake defines the version for this file alone, so that a change of the JIT compiles nothing else again.
#include "runtime/jit/version.h"

namespace weft::runtime {

const char* const kJitVersion = WEFT_JIT_VERSION;

}  // namespace weft::runtime
