// When a value was recorded, as the session counts nodes.
#pragma once

#include <cstdint>
#include <limits>

namespace weft::detail {

// When a value's oldest node that is still to be computed was recorded, as the session counts nodes: no more
// nodes than were recorded since then can be pending.
using Age = uint64_t;
constexpr Age kInMemory = std::numeric_limits<Age>::max();

}  // namespace weft::detail
