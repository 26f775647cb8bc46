// Objects to code that can be called, in this process. Code keeps the linker's state alive.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/jit/library.h"

namespace weft::runtime {

class Linker {
 public:
  explicit Linker(const JitHost& host);
  ~Linker();
  // Of the process an object may use what define_process() lists; throws CompileError when it needs another symbol, or is no
  // object for this machine.
  std::shared_ptr<JitCode> load(std::string_view object, std::span<const std::string> symbols);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weft::runtime
