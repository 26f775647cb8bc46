// Functions of arrays compiled ahead, for programs that have neither Weft's compiler nor LLVM: C and C++ link what is
// written here with libweft_runtime.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/cpp/weft/array.h"
#include "frontend/cpp/weft/compiled.h"

namespace weft {

struct ExportOptions {
  // Their names in C; empty: a0, a1, ... What cannot be a parameter's name there is changed: "new" becomes "new_".
  std::vector<std::string> arguments;
  // The level of x86-64 that kernels may use: "x86-64-v2", "x86-64-v3" (AVX2) or "x86-64-v4" (AVX-512); empty: the
  // highest that this processor has. Of examples on a GPU its architecture: "sm_90"; empty: that of the GPU.
  std::string processor;
};

// Writes `folder`/`name`.h and `folder`/lib`name`.a, from which C and C++ call `f` by the name of `name`. Each list of
// arguments is an example: a program is made for its dtypes and shapes. f is called once for each, as Compiled calls it;
// arrays that it uses besides its arguments become part of the program, with the values that they have now.
// Throws Error where `name` is no name in C, where f writes to an argument, and where a file cannot be written. So it does
// where two examples have the same dtypes and shapes, or some are on the CPU and some on a GPU.
void export_function(const std::string& folder, const std::string& name, const Compiled::Function& f,
                     std::span<const std::vector<Array>> examples, const ExportOptions& options = {});

}  // namespace weft
