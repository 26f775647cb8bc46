// What the steps of a program move and compute, as planned. Explanations, advice and drawings are told by it.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/program/program.h"

namespace weft {

// A loop counts with its turns, if it has a known number of them.
struct PlannedWork {
  int kernels = 0, library_calls = 0, copies = 0, loops = 0;
  int64_t bytes_read = 0, bytes_written = 0;
  int64_t operations = 0;      // of floats, in matrix products
  bool unknown_turns = false;  // of some loop, whose work is counted once
  int64_t bytes() const { return bytes_read + bytes_written; }
};
PlannedWork work_of(const Program& program);
// Of one of its steps, added to what is there.
void add_work_of(const Program& program, size_t step, PlannedWork& work);

// Bytes a second, by which the time of so many bytes is estimated, where the memory has this speed. 0 where that says
// nothing: starting a kernel takes as long as moving fewer bytes.
double timed_speed(int64_t bytes, double memory_speed);

// What `bytes` are, in a unit that people read: "96 bytes", "12.5 kB", "1.0 MB".
std::string readable_bytes(int64_t bytes);
// "12.5 us", "3.21 ms", "1.5 s".
std::string readable_seconds(double seconds);

}  // namespace weft
