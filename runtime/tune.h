// Searches the schedules of a program's kernels on the clock, for as long as it is given.
#pragma once

#include <string>
#include <vector>

#include "runtime/load_program.h"

namespace weft::runtime {

struct Tried {
  Bias bias;
  double ms = 0;  // of the whole program
};
struct TunedKernel {
  std::string summary;
  std::vector<Tried> tried;  // what the rules or an earlier search chose comes first
  Bias kept;
};

// What the search asks of the world, so that a test can answer in its place.
struct TuneClock {
  std::function<double(const Executable&)> milliseconds;  // of one run
  std::function<double()> seconds;                        // now
};

// Changes one kernel's schedule at a time, a step in a direction while that is faster by kWorthwhile. It ends
// when no step is faster or `limit` seconds are over. What is faster is kept in `choices` for the kernel with
// its extents.
inline constexpr double kWorthwhile = 0.03;
std::vector<TunedKernel> tune(const CompileProgram& compile, const std::shared_ptr<Device>& device,
                              Counters& counters, Choices& choices, const TuneClock& clock, double limit);

// Every schedule that was tried with its time, a line each.
std::string report(const std::vector<TunedKernel>& kernels);

}  // namespace weft::runtime
