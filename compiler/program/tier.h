// What a program's first call does while its kernels are not compiled: what users choose, and the runtime heeds.
#pragma once

#include <cstdint>

namespace weft {

// compile: it waits for the kernels. blocks: kernels of the CPU that can do without are never compiled. auto: what
// takes less time without its kernel than the kernel's compilation runs so, and the kernel is compiled meanwhile.
enum class Tier : uint8_t { Auto, Compile, Blocks };

}  // namespace weft
