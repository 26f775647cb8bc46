#include "compiler/user_source.h"

#include "compiler/emit/user_kernel.h"

namespace weft {

KernelSource user_source(const ir::UserKernel& kernel) { return emit::emit_user_kernel(kernel).source; }

}  // namespace weft
