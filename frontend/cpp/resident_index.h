// Whether positions lie within an axis: looked at for nothing where they are in host memory already, else
// computed and looked at where they lie.
#pragma once

#include <string_view>

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// IndexError when `index` holds a position outside of [-extent, extent) and lies in host memory. Positions
// that are still to be computed, or lie on a GPU, are not waited for: kernels hold them to the axis.
void check_resident_index(std::string_view op, const Array& index, size_t axis, int64_t extent);
// The same, whatever it takes: pending positions are computed, those on a GPU are looked at there.
void check_index(std::string_view op, const Array& index, size_t axis, int64_t extent);

}  // namespace weft::detail
