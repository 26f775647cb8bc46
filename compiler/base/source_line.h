// A line of the user's program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft {

// `file` lives as long as the program: a literal, or text interned by the front end.
struct SourceLine {
  const char* file = nullptr;
  uint32_t line = 0;
  uint32_t callers = 0;  // of the function that it is in, as callers_of() gives them; 0: not noted
  // Whoever called.
  friend bool operator==(const SourceLine& a, const SourceLine& b) {
    return a.file == b.file && a.line == b.line;
  }
};
// The same line, reached by the same calls.
inline bool are_one(const SourceLine& a, const SourceLine& b) { return a == b && a.callers == b.callers; }

// The number by which lines name this caller, with the callers that it has itself. The process keeps some ten
// thousands of them; 0 beyond.
uint32_t number_of_caller(const SourceLine& caller);
// The lines that called, the innermost first.
std::vector<SourceLine> callers_of(const SourceLine& line);

// "blur.cpp:12, blur.cpp:14 from main.cpp:3"; file names without their directories.
std::string to_string(std::span<const SourceLine> lines);

}  // namespace weft
