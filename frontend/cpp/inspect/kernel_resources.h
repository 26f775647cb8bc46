// What compiling made of a program's kernels: registers and memory on a GPU, instructions and vectors on a CPU.
#pragma once

#include <optional>
#include <vector>

#include "runtime/device.h"

namespace weft::detail {

struct CompiledStep {
  runtime::KernelResources gpu;  // -1 where the compiler does not say
  double occupancy = -1;         // of a GPU's multiprocessor: threads that run at once, of those that could
  int instructions = -1;         // of a CPU, of the whole kernel
  int vector_bytes = -1;         // the widest registers of these
};

// Compiles the kernels that are not compiled yet. Of each step; none of what is no kernel's.
std::vector<std::optional<CompiledStep>> compiled_steps(const Program& program, runtime::Device& device);

}  // namespace weft::detail
