// What bounds a compressed file that tells how much it holds.
#pragma once

#include <cstdint>

namespace weft::io {

// zlib packs at most this many bytes into one.
constexpr uint64_t kMaxDeflateRatio = 1032;

}  // namespace weft::io
