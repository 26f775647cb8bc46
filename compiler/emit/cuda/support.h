// The functions of CUDA kernels that no prelude has: vectors in memory, exchanges of whole structs,
// positions.
#pragma once

#include <string>

namespace weft::emit {

// The index type I, and those functions that `text` uses.
std::string cuda_support(const std::string& text, bool wide);

}  // namespace weft::emit
