// The source that a kernel of the user's own text becomes, so that it can be compiled where it is recorded.
#pragma once

#include "compiler/ir/user_kernel.h"
#include "compiler/program/program.h"

namespace weft {

KernelSource user_source(const ir::UserKernel& kernel);

}  // namespace weft
