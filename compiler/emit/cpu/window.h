// What masked loads may ask for. A processor looks up the page of lanes that a mask leaves out, too, and
// takes hundreds of nanoseconds where it is not mapped. So a row whose window, all that its vectors cover, is
// not within the memory of its array is read from a copy, and one that a guard shuts off from a row of zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// Elements behind a row that its last vector may ask for: the smallest masked load is of 16 bytes.
inline int64_t slack_of_window(int lanes, int64_t bytes) {
  return std::max<int64_t>(lanes, 16 / std::min<int64_t>(bytes, 16));
}

// Sets where the load named `n` reads a row, whose lanes [low, high) are live.
std::string place_window(const Entry& entry, const plan::Load& load, const std::string& low,
                         const std::string& high);

// What an entry finds before its loops: where the memory of buffers begins and ends, and zeros.
std::string find_bounds(const Entry& entry);

}  // namespace weft::emit::cpu
