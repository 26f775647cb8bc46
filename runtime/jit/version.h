// The version that libweft and libweft_jit.so have in common: Weft's, and a digest of what is in this folder. Each holds its own copy.
#pragma once

namespace weft::runtime {

extern const char* const kJitVersion;

}  // namespace weft::runtime
