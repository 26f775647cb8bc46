// Values that C++ computes when a program starts, or when a function is first called. Kernels have neither moment, so that
// such a variable would be 0: the module's context gets an error that names it.
#pragma once

namespace llvm {
class Module;
}

namespace weft::runtime {

// Of a user's text, after LLVM has computed of them what it can.
void refuse_late_values(llvm::Module& module);

}  // namespace weft::runtime
