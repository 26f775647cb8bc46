// C++ text to callable machine code, in this process: Clang parses, LLVM optimizes and ORC links. Nothing is
// read from or written to files, and no other file of Weft sees LLVM. Every call is safe from any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::runtime {

// How long the steps of one compile took.
struct CompileTimes {
  double parse_ms = 0;     // Clang: text to LLVM IR
  double optimize_ms = 0;  // LLVM IR passes
  double codegen_ms = 0;   // IR to object
};

class ClangJit {
 public:
  // False in a library that is built without (WEFT_CPU_JIT=OFF): then it knows the processor and compiles nothing.
  static const bool kCompiles;

  // A linked object; its code is unmapped with the last owner.
  class Code {
   public:
    virtual ~Code() = default;
    // The address of a symbol that `load` was asked for; null when the object does not define it.
    virtual void* address(std::string_view symbol) const = 0;
  };

  // Compiles for this processor, or for an older one by LLVM's name: "x86-64-v3" has AVX2 and no more.
  explicit ClangJit(const std::string& processor = {});
  ~ClangJit();

  // A relocatable object. `name` appears in diagnostics. Throws CompileError with Clang's diagnostics.
  // Multiply-adds are rounded once only where the text says so.
  std::string compile(std::string_view source, std::string_view name, CompileTimes* times = nullptr) const;
  // The same as assembly text.
  std::string assembly(std::string_view source, std::string_view name) const;
  // Links an object. Of the process it may use memcpy, memmove and memset only; throws CompileError when it
  // needs another symbol, or is no object for this machine.
  std::shared_ptr<Code> load(std::string_view object, std::span<const std::string> symbols) const;

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

// From here on only the calling thread compiles and links; returns when the others are done with it. For one
// that ends the program while others still work.
void stop_compiling_elsewhere();

}  // namespace weft::runtime
