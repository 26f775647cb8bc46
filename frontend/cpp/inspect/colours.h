// The text of an explanation with a terminal's colours.
#pragma once

#include <string>
#include <string_view>

namespace weft::detail {

// The same text; what a reader looks for is coloured: what happens, advice, steps, what fused and what did not.
std::string coloured(std::string_view explanation);

}  // namespace weft::detail
