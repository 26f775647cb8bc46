// What a user may write instead, where fusion says why a value goes through memory.
#pragma once

#include <string_view>

namespace weft::detail {

// "" where nothing is to be gained, or nobody knows a way.
std::string_view way_to_fuse(std::string_view reason);

}  // namespace weft::detail
