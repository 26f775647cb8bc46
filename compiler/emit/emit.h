// What emitting gives, the same for both targets: a source and how it is launched.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/program/program.h"

namespace weft::emit {

struct Emitted {
  KernelSource source;
  Launch launch;
  std::vector<int64_t> params;  // the argument words between the buffers and the scalars
  int64_t partial_bytes = 0;    // a temporary, passed as the last buffer, that split reductions use; 0: none
};

}  // namespace weft::emit
