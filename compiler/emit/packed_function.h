// A scalar function of the CPU whose loop lanes leave at different turns, for many vectors at once: after some turns those that
// are left are moved together, so that vectors stay full.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/function.h"

namespace weft::emit {

// Vectors that are packed together.
inline constexpr int kPackedVectors = 16;

// Whether it is worth it for vectors of so many lanes: one loop, outside of branches, whose lanes part; and registers that
// move lanes together in an instruction, as those of AVX-512 do.
bool packs(const ir::Function& function, int lanes);

// The name of the function that takes arrays of vectors for the arguments that vary, and writes arrays of results.
std::string packed_name(const ir::Function& function, const std::vector<char>& varies);
std::string write_packed(const ir::Function& function, const std::vector<char>& varies);

}  // namespace weft::emit
