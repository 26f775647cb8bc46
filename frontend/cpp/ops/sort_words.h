// Real numbers as unsigned integers of the same order, and back.
#pragma once

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// In the order of x's values, NaN the last; zeros of both signs are equal.
Array words(const Array& x);
// The values of this dtype whose words these are: zeros are positive, and NaN is one.
Array values_of(const Array& words, DType dtype);
// Whether there is a value among x that values_of(words(x)) would change: NaN, or a negative zero. A scalar.
Array loses_bits(const Array& x);

}  // namespace weft::detail
