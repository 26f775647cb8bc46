// C++ text to callable machine code, in this process: Clang parses, LLVM optimizes and ORC links. They are in a library of
// their own, libweft_jit.so, which the first compile opens. No text is read from or written to files. Every call is safe
// from any thread; those that compile or link throw Error where that library is missing or of another version.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/jit/library.h"

namespace weft::runtime {

class ClangJit {
 public:
  // False in a library that is built without (WEFT_CPU_JIT=OFF): then it knows the processor and compiles nothing.
  static const bool kCompiles;

  using Code = JitCode;

  // Compiles for this processor, or for an older one by LLVM's name: "x86-64-v3" has AVX2 and no more.
  explicit ClangJit(const std::string& processor = {});
  ~ClangJit();

  // A relocatable object. `name` appears in diagnostics. Throws CompileError with Clang's diagnostics.
  // Multiply-adds are rounded once only where the text says so.
  std::string compile(std::string_view source, std::string_view name, CompileTimes* times = nullptr) const;
  // The same as assembly text.
  std::string assembly(std::string_view source, std::string_view name) const;
  // Links an object. Of the process it may use what linker.cpp allows (memcpy, fma and few more); throws
  // CompileError when it needs another symbol, or is no object for this machine.
  std::shared_ptr<Code> load(std::string_view object, std::span<const std::string> symbols) const;

  // For programs that are compiled ahead. An object that holds the bytes, from a multiple of 64 on, under a name.
  std::string data_object(std::string_view symbol, std::string_view bytes) const;
  // The objects as one file for a linker.
  std::string archive(std::span<const ArchiveMember> members) const;

  // Everything but the source that decides what `compile` returns: version, processor, features, options.
  const std::string& toolchain() const;
  // LLVM's name of the processor: "znver4".
  const std::string& cpu() const;
  // Width of the vector registers that kernels should use: 64, 32 or 16.
  int vector_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The version of Clang and LLVM that compile kernels; empty in a library that is built without.
std::string compiler_version();

// Opens libweft_jit.so in a folder, or where the loader finds it if it is not there.
JitLibrary open_jit_library(const std::string& folder);

// From here on only the calling thread compiles and links; returns when the others are done with it. For one
// that ends the program while others still work.
void stop_compiling_elsewhere();

}  // namespace weft::runtime
