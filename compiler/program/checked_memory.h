// What kernels of the user's own text and the CPU's runtime agree on where loads and stores are checked.
//
// Each array of the kernel is given at its address plus a tag, in bits that no address has. Arithmetic on addresses keeps
// the tag, through the user's own functions too. Before each load and store the tag tells which array is meant, and is
// taken off (runtime/jit/check_memory.h).
#pragma once

#include <cstdint>

namespace weft {

// An array of the kernel.
struct CheckedMemory {
  uint64_t address, bytes;
  uint64_t element;  // bytes of one
  const char* name;  // of the parameter
};

// Tags lie so far apart that an index which is far out still tells its array.
inline constexpr uint64_t kTagBit = 48, kFirstTag = 0x2000, kTagStep = 16;
constexpr uint64_t tag_of(uint64_t array) { return (kFirstTag + array * kTagStep) << kTagBit; }

}  // namespace weft
