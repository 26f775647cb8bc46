// complex<T> for kernels of a user's own text, in C++ for both targets: neither compiler reads the library's.
#pragma once

#include <string>

namespace weft::emit {

// What such a text needs in front of it: nothing where it names no such type. For the CPU float2 and double2 too, which
// NVRTC has.
std::string complex_for(const std::string& text, bool cuda);

}  // namespace weft::emit
