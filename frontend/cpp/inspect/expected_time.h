// How long a kernel should take, by what it does and how fast the machine is: the roofline, with what starting costs.
#pragma once

#include <string>

#include "compiler/explain.h"
#include "frontend/cpp/weft/calibrate.h"

namespace weft::detail {

// Seconds of its parts. Memory and computing overlap; starting and the ends of rows do not.
struct ExpectedTime {
  double memory = 0;  // bytes of arrays, from the level of memory that holds them, and of what is read again
  double computing = 0;  // arithmetic, accesses, gathers and sums that wait for themselves
  double ends = 0;       // of rows, and joining the lanes of sums
  double starting = 0;   // launches and tasks
  double seconds() const { return starting + ends + (memory > computing ? memory : computing); }
};

// Zeroes where the facts have no speeds.
ExpectedTime expected_time(const KernelCost& cost, const MachineFacts& facts);
// "1.25 ms: memory 1.2 ms, computing 310 us, starting 5 us".
std::string to_string(const ExpectedTime& time);

// Of all kernels of a program. What else it runs, as products and loops, is left out.
double expected_seconds(const Explained& explained, const MachineFacts& facts);

}  // namespace weft::detail
