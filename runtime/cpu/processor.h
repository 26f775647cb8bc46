// The processor that kernels are compiled for, without a compiler.
#pragma once

#include <string>

#include "runtime/jit/processor.h"

namespace weft::runtime {

// This machine's, or an older one by LLVM's name. Throws Error where LLVM does not know it, or this machine lacks what it has.
Processor processor_named(const std::string& name = {});

}  // namespace weft::runtime
