// What CUDA kernels call beside the prelude, as text, of which a kernel gets what it names. A file each for
// memory, for what threads and blocks exchange, and, in support.cpp, for numbers.
#pragma once

#include <span>

namespace weft::emit {

struct CudaSection {
  const char* word;  // sections whose word the text does not hold are left out
  const char* text;
};

// Vectors that are loaded, stored and copied. Users come before what they use, here and in the others.
std::span<const CudaSection> cuda_memory_sections();
// What the threads of a warp, the blocks of a cluster, and all blocks of a kernel tell each other.
std::span<const CudaSection> cuda_exchange_sections();

}  // namespace weft::emit
