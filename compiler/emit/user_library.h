// What kernels of a user's own text find in place of the system's headers, as neither compiler reads a file.
#pragma once

#include <string>
#include <string_view>

namespace weft::emit {

// As the file of which Clang's notes say that a name is from here.
inline constexpr std::string_view kUserLibrary = "weft's own";
// What the name of the file starts with in which the kernel is called.
inline constexpr std::string_view kUserCall = "the call of ";

// Whether the headers of this name hold what is there already: "cmath".
bool user_library_has(std::string_view header);

// The types of <cstdint>; on the CPU the functions of <cmath>, limits, and what of <algorithm> takes numbers: what this text names of them.
std::string user_library(const std::string& text, bool cuda);

}  // namespace weft::emit
