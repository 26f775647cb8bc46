// Positions that can be looked at for nothing: those that lie in host memory already.
#pragma once

#include <string_view>

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// IndexError when `index` holds a position outside of [-extent, extent) and lies in host memory. Positions
// that are still to be computed, or lie on a GPU, are not waited for: kernels hold them to the axis.
void check_resident_index(std::string_view op, const Array& index, size_t axis, int64_t extent);

}  // namespace weft::detail
