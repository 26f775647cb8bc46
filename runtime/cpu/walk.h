// The function that CPU kernels call to walk along a row; see compiler/program/cpu_walk.h.
#pragma once

#include "compiler/program/cpu_walk.h"

namespace weft::runtime {

WEFT_CPU_WALK

}  // namespace weft::runtime
