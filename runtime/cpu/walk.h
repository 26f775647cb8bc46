// The function that CPU kernels call to walk along a row; see compiler/program/cpu_walk.h.
#pragma once

#include "compiler/program/cpu_walk.h"

namespace weft::runtime {

WEFT_CPU_WALK

// What loops of scalar functions ask now and then: whether what follows is left undone, as somebody gave it up.
extern "C" long weft_leave_rest();

}  // namespace weft::runtime
