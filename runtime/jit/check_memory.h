// Loads and stores of a kernel of the user's own text go through the runtime, which checks them.
//
//   %v = load float, ptr %p   becomes   %q = call ptr @weft_checked_address(ptr %p, i64 4, i64 0)
//                                       %v = load float, ptr %q
#pragma once

#include <llvm/IR/Module.h>

namespace weft::runtime {

// Does nothing where the kernel does not ask for it: where it does not call weft_run_checked(). What the kernel has on
// its stack and in its globals is left alone.
void check_memory(llvm::Module& module);

}  // namespace weft::runtime
