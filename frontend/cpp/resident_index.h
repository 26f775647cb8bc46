// Whether positions lie within an axis: looked at for nothing where they are in host memory already, else
// computed and looked at where they lie. Positions that depend on the arguments of a function that is being
// recorded have no values; they are noted, and looked at in each of its calls.
#pragma once

#include <string_view>

#include "frontend/cpp/cell.h"

namespace weft::detail {

// IndexError when `index` holds a position outside of [-extent, extent) and lies in host memory. Positions
// that are still to be computed, or lie on a GPU, are not waited for: kernels hold them to the axis.
void check_resident_index(std::string_view op, const Array& index, size_t axis, int64_t extent);
// The same, whatever it takes: pending positions are computed, those on a GPU are looked at there.
void check_index(std::string_view op, const Array& index, size_t axis, int64_t extent);
// Whether the value depends on the arguments of a function that is being recorded.
bool depends_on_arguments(const Array& x);
// IndexError when one of these lies outside of its axis.
void check_late(const LatePositions& positions);
// Whether the positions are known to be 0, 1, 2 and so on: made by `arange`, or in host memory.
bool counts_up(const Array& index);

}  // namespace weft::detail
