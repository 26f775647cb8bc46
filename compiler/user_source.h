// What is asked of a kernel of the user's own text where it is recorded: its source, so that it can be compiled there, and
// whether it can be launched as it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/user_kernel.h"
#include "compiler/program/options.h"
#include "compiler/program/program.h"

namespace weft {

// The same for all kernels of one text that agree in their arguments' kinds and types and, on CUDA, in the threads of a block.
KernelSource user_source(const ir::UserKernel& kernel);

// Whether a text may include <header> without a file of this name, as in "cmath".
bool is_known_header(std::string_view header);

// Error where __launch_bounds__, of which `most` is the number, says more threads than a block has, or fewer than a launch does.
void check_bounds(const std::string& title, const std::optional<int64_t>& most, int64_t threads);
// Error where a grid, a block, a cluster or the shared memory is none that this target has. A kernel for another kind of
// target is held to what all of its kind have.
void check_launch(const ir::UserKernel& kernel, const Target& target);
// Error where the target runs no such kernels. `runs_on`: what has arrays there, for the message.
void check_target(const ir::UserKernel& kernel, const Target& target, const std::string& runs_on);

}  // namespace weft
