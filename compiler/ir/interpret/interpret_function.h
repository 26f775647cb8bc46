// Runs a scalar function on one element's arguments, instruction by instruction: what kernels are compared with.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/function.h"

namespace weft::ir {

// The results. Interrupted where `stop` says so, which loops ask now and then; null: nobody asks.
std::vector<Scalar> run(const Function& function, std::span<const Scalar> arguments,
                        bool (*stop)() = nullptr);

}  // namespace weft::ir
