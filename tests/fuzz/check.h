// One random graph, computed in some way, against the interpreter: what the fuzz tests and the campaigns ask.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/program/options.h"

namespace weft::test {

struct Backend;

// A way to compute a graph's outputs of its inputs, row-major.
using Run = std::function<std::vector<ir::HostTensor>(const ir::Graph&, const std::vector<ir::HostTensor>&,
                                                      const Options&)>;

// Compiled, and run on the backend's device.
Run on(Backend& backend);

// What differs, or what was thrown; empty when all is well. With `exact` every bit counts (a NaN is a NaN),
// inputs hold special values, and numerics are strict. Else results may differ by roundings, and results that
// jump (integers and bools made from floats) say nothing. `seed` draws the inputs.
std::string check(const Run& run, const ir::Graph& graph, uint64_t seed, bool exact, Options options = {});

}  // namespace weft::test
