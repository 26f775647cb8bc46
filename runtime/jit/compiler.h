// Clang parses a text, LLVM makes an object or assembly of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/jit/library.h"

namespace weft::runtime {

// Throws CompileError with Clang's diagnostics. Safe from any thread.
class TextCompiler {
 public:
  TextCompiler(const Processor& processor, const JitHost& host);
  ~TextCompiler();
  std::string object(std::string_view source, std::string_view name, CompileTimes* times);
  std::string assembly(std::string_view source, std::string_view name);
  // An object that holds the bytes, which nobody writes to, from a multiple of 64 bytes on.
  std::string data(std::string_view symbol, std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::runtime
