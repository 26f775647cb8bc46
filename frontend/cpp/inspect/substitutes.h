// What to write in the place of functions that NumPy answers, where Weft's own can say it.
#pragma once

#include <string_view>

namespace weft::detail {

// `function` as rows name it: "numpy.histogram"; empty where there is nothing but to call it outside of loops.
std::string_view substitute_of(std::string_view function);

}  // namespace weft::detail
