// How often each number occurs, counted by the host where the numbers lie: a kernel would add them one by one, too,
// and how many counts there are is known only once they have been looked at.
#pragma once

#include <optional>

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// The counts of 0, 1, 2 and so on, at least so many of them, in i64. None for what is no axis of
// integers from 0 to a few millions that lie on the host, and in a function that is being recorded.
std::optional<Array> counts_on_host(const Array& x, int64_t at_least);

// The same of the sums of the f64 weights that are given to each number, added in their order.
std::optional<Array> sums_on_host(const Array& x, const Array& weights, int64_t at_least);

}  // namespace weft::detail
