// Whether a kernel may write a result into memory that it reads: its other elements are not disturbed, since
// each is read by nobody but the point that writes it, and before.
#pragma once

#include "compiler/plan/schedule/schedule.h"

namespace weft::plan {

// Buffers of the scheduled program; `read` holds nothing that is needed afterwards.
bool may_overwrite(const RowProgram& program, const Schedule& schedule, int read, int written);

}  // namespace weft::plan
