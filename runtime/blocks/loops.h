// The loops that are compiled with the library, for each kind of vectors.
#pragma once

#include <cstdint>

namespace weft::runtime {

// out[i] = f(in[0][i], ...) for n vectors of elements in the format of memory. A step is the bytes from one
// vector of an operand to the next: 0 for one value that is the same in all.
using BlockLoop = void(char* out, const char* const* in, const long* steps, long n);

// Adds n vectors of `lanes` lanes to a total of as many. A step is the bytes from one vector of `width` to the
// next. `positions`: of a total that finds one.
using BlockFold = void(char* total, char* positions, const char* const* in, const long* steps, long lanes,
                       long n);
// Joins the lanes of one vector: the result is in each.
using BlockJoin = void(char* total, char* positions);

struct BlockFolds {
  int width = 0;
  BlockFold* const* folds = nullptr;
  BlockJoin* const* joins = nullptr;
};

// By the numbers of compiler/blocks/loops.h.
struct BlockLoops {
  int lanes = 0;  // of a vector, whatever its dtype
  BlockLoop* const* loops = nullptr;
  BlockFolds wide, narrow;  // for multiples of 16 lanes, and of 4
};

enum class Vectors : uint8_t { Bits128, Bits256, Bits512 };

// The widest that this processor has.
Vectors vectors_here();
// For vectors that this processor has.
const BlockLoops& block_loops(Vectors vectors);
// Those on which this processor's kernels compute: some functions have another way where there is AVX-512,
// however wide the vectors.
const BlockLoops& block_loops_here();

}  // namespace weft::runtime
