// The version that libweft and libweft_jit.so have in common: Weft's, and a digest of what is in this folder.
#pragma once

namespace weft::runtime {

inline constexpr const char* kJitVersion = WEFT_JIT_VERSION;

}  // namespace weft::runtime
