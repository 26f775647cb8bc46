// Whether a device's results agree with the reference interpreter's.
#pragma once

#include <span>
#include <string>

#include "compiler/ir/interpret/interpret.h"

namespace weft::detail {

struct Comparison {
  bool agrees = true;
  std::string text;  // "the largest difference: 0.5000001 instead of 0.5 at (4, 7)"
  // The most that an element is off, in units of the last place of the reference's; infinite where a NaN, an infinity
  // or an integer is another.
  double ulps = 0;
  // There are elements, and each is NaN in both: nothing was compared.
  bool nothing = false;
};

// Integers and bools must be equal; floats may differ by sqrt(epsilon) / 8 of the reference's largest finite
// magnitude, which is what reductions in another order reach, or by `rounding` if that is more. NaNs and
// infinities must be in the same places.
Comparison compare(const ir::HostTensor& got, const ir::HostTensor& reference, double rounding = 0);

// Whether each element is within so many units of the last place of what a reference gives, of any dtype that holds it.
// Integers and bools must be equal, and NaNs and infinities in the same places. The text says where the worst is.
Comparison compare_within(const ir::HostTensor& got, const ir::HostTensor& reference, double ulps);

// How far rounding alone may carry what is computed by way of these values: 4 sqrt(n) epsilon of the largest
// magnitude among n elements, sqrt(epsilon) / 8 of it at most. Results that cancel to nothing consist of it.
double rounding_of(std::span<const ir::HostTensor> values);

// "(4, 7)": of a row-major element.
std::string position(size_t index, const Shape& shape);

}  // namespace weft::detail
