// Looking at numbers that are derived.
#pragma once

#include <string_view>

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// Error where the array's elements, or for "item" one of them, have derivatives by what this thread derives by: what is made of numbers
// outside has none.
void check_look(std::string_view op, const Array& x);
// The array's value, computed now, as one that nothing is known to have made.
Array forgotten(const Array& x);

}  // namespace weft::detail
