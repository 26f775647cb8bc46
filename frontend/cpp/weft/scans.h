// Running values along an axis: the shape stays.
#pragma once

#include <optional>

#include "frontend/cpp/weft/array.h"

namespace weft {

// Element i along the axis is the reduction of elements 0 … i. The axis counts from the end when negative,
// and may be left out of an array of one axis. As in sum() bools and integers become i64, unsigned ones u64,
// unless a dtype is asked for. With `include_initial`, what nothing sums or multiplies to stands before the
// first element.
Array cumulative_sum(const Operand& x, std::optional<int64_t> axis = {}, std::optional<DType> dtype = {},
                     bool include_initial = false);
Array cumulative_prod(const Operand& x, std::optional<int64_t> axis = {}, std::optional<DType> dtype = {},
                      bool include_initial = false);
// The largest, or smallest, so far; NaN from the first NaN on.
Array cumulative_max(const Operand& x, std::optional<int64_t> axis = {});
Array cumulative_min(const Operand& x, std::optional<int64_t> axis = {});

}  // namespace weft
