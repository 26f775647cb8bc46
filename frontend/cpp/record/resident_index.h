// Whether positions lie within an axis: looked at for nothing where they are in host memory already, else
// computed and looked at where they lie. Positions that depend on the arguments of a function that is being
// recorded have no values; they are noted, and looked at in each of its calls.
#pragma once

#include <string_view>

#include "frontend/cpp/array/cell.h"

namespace weft::detail {

// IndexError when `index` holds a position outside of [-extent, extent) and lies in host memory. Positions
// that are still to be computed, or lie on a GPU, are not waited for: kernels hold them to the axis.
void check_resident_index(std::string_view op, const Array& index, size_t axis, int64_t extent);
// The same, whatever it takes: pending positions are computed, those on a GPU are looked at there.
void check_index(std::string_view op, const Array& index, size_t axis, int64_t extent);
// Whether the value depends on the arguments of a function that is being recorded.
bool depends_on_arguments(const Array& x);
// Error when these do not keep their rule: IndexError for a position outside of its axis.
void check_late(const LateCheck& late);
// Error where whole numbers of dtype `base` are raised to negative ones.
void check_exponents(DType base, const Array& exponents);
void check_exponents(DType base, int64_t exponent);
// IndexError where a mask picks too few elements, of which `counts` says how many, for the one at `number` to be read, counted from the end
// where that is negative.
void check_picked(const Array& counts, int64_t number);
// Applies a noted rule to the values that have taken the place of its own.
void check_again(const LateCheck& late, const Array& values);
// Whether the positions are known to be 0, 1, 2 and so on: made by `arange`, or in host memory.
bool counts_up(const Array& index);

}  // namespace weft::detail
