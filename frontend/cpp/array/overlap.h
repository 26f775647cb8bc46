// Whether two arrays show the same memory.
#pragma once

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// Whether some byte of a cell is shown by both: rows, columns and other parts that interleave are told apart.
// True, too, where that takes too long to find out.
bool may_share(const Array& a, const Array& b);

}  // namespace weft::detail
