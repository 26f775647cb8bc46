// Whether two arrays are certain to have the same elements, without looking at these: they are one value, or
// equal expressions of the same values.
#pragma once

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// False for expressions of more than a few dozen operations, whatever they are.
bool same_value(const Array& x, const Array& y);

}  // namespace weft::detail
