// How much of its buffers a kernel touches: what profiles and statistics count as moved.
#pragma once

#include <vector>

#include "compiler/plan/plan.h"

namespace weft::plan {

// About how many elements of each buffer are read or written: no more than its accesses reach, and no more
// than there are accesses. Those of computed positions may reach all.
std::vector<int64_t> touched_elements(const RowProgram& program);

}  // namespace weft::plan
