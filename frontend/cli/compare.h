// Whether a device's results agree with the reference interpreter's.
#pragma once

#include <string>

#include "compiler/ir/interpret.h"

namespace weft::cli {

struct Comparison {
  bool agrees = true;
  std::string text;  // "the largest difference: 0.5000001 instead of 0.5 at (4, 7)"
};

// Integers and bools must be equal; floats may differ by sqrt(epsilon) / 8 of the reference's largest finite
// magnitude, which is what reductions in another order reach. NaNs and infinities must be in the same places.
Comparison compare(const ir::HostTensor& got, const ir::HostTensor& reference);

}  // namespace weft::cli
