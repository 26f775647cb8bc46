// The loops that are compiled with the library, for each kind of vectors.
#pragma once

#include <cstdint>

namespace weft::runtime {

// out[i] = f(in[0][i], ...) for n vectors of elements in the format of memory. A step is the bytes from one
// vector of an operand to the next: 0 for one value that is the same in all.
using BlockLoop = void(char* out, const char* const* in, const long* steps, long n);

struct BlockLoops {
  int lanes = 0;                      // of a vector, whatever its dtype
  BlockLoop* const* loops = nullptr;  // by the numbers of compiler/blocks/loops.h
};

enum class Vectors : uint8_t { Bits128, Bits256, Bits512 };

// For vectors that this processor has.
const BlockLoops& block_loops(Vectors vectors);
// Those on which this processor's kernels compute, or none: where it has some of AVX-512 that the loops do
// without.
const BlockLoops* block_loops_here();

}  // namespace weft::runtime
