// The files in page/ as text: what comes before the page's data, and what comes after. CMake writes the source.
#pragma once

#include <string_view>

namespace weft::detail {

extern const std::string_view page_head, page_script;

}  // namespace weft::detail
