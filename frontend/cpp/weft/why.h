// Why programs were planned, and kernels compiled.
#pragma once

#include <cstddef>
#include <string>

namespace weft {

// Of the session's last programs, at most so many: what the nearest before each had not, as another dtype, shape, step
// between elements, or other operations, with the lines. A numbered paragraph for each.
std::string why(size_t most = 20);

}  // namespace weft
