// A line of the user's program.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft {

// `file` lives as long as the program: a literal, or text interned by the front end.
struct SourceLine {
  const char* file = nullptr;
  uint32_t line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// "blur.cpp:12, blur.cpp:14"; file names without their directories.
std::string to_string(std::span<const SourceLine> lines);

}  // namespace weft
