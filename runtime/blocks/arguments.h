// What a run of a block program is given.
#pragma once

#include <cstdint>

namespace weft::runtime {

// The words of a kernel's arguments, less the integers that its text asks for.
struct BlockArguments {
  const uint64_t* buffers = nullptr;
  const uint64_t* scalars = nullptr;
};

}  // namespace weft::runtime
