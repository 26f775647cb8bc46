// The files in page/ as text: what comes before the page's data, and what comes after. CMake writes the source.
#pragma once

#include <string_view>

namespace weft::detail {

extern const std::string_view kPageHead, kPageScript;

}  // namespace weft::detail
