// Long rows in order on a GPU: a radix sort of unsigned words by kernels of CUDA C++, eight bits a pass, from the lowest. It is
// stable, and each pass reads and writes the words once.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// Whether a row of so many elements is sorted so, on this device.
bool radix_sorts(int64_t elements, const std::string& device);
// Whether sort() and argsort() along this axis do.
bool sorts_on_gpu(const Array& x, int64_t axis);
// The words, u32 or u64, of such a row in ascending order. `bits`: the lowest ones, above which all are equal.
Array radix_sorted(const Array& words, int bits);
// The positions, i32, that put them there.
Array radix_ordered(const Array& words, int bits);

}  // namespace weft::detail
