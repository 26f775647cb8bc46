// Runs loops and branches: the host calls the program of a body once for each turn, and hands what it gives to the
// next.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/program/program.h"
#include "runtime/device.h"

namespace weft::runtime {

// Runs a body: its outputs. It may write over the inputs listed in `given`.
using RunBody =
    std::function<std::vector<BufferRef>(size_t body, std::span<const BufferRef> inputs,
                                         std::span<const Scalar> scalars, std::span<const int> given)>;

// The results, each in memory that nobody else has; null where it is not wanted. An operand that nobody else holds may
// become one. Between turns it throws Interrupted where somebody asked for that, if `may_stop`.
std::vector<BufferRef> run_loop(const LoopProgram& loop, Device& device, std::vector<BufferRef> operands,
                                std::span<const char> wanted, const RunBody& run_body, bool may_stop);

}  // namespace weft::runtime
