// What libweft and libweft_jit.so, which holds Clang and LLVM, say to each other. The second is opened when something is
// compiled or linked first, and calls nothing of the first but what JitHost names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/jit/processor.h"

namespace weft::runtime {

// How long the steps of one compile took.
struct CompileTimes {
  double parse_ms = 0;     // Clang: text to LLVM IR
  double optimize_ms = 0;  // LLVM IR passes
  double codegen_ms = 0;   // IR to object
};

// A linked object; its code is unmapped with the last owner.
class JitCode {
 public:
  virtual ~JitCode() = default;
  // The address of a symbol that `load` was asked for; null when the object does not define it.
  virtual void* address(std::string_view symbol) const = 0;
};

struct JitHost {
  bool (*in_background)();           // Background::mine
  void (*checkpoint)();              // Background::checkpoint
  std::string (*refused_mapping)();  // why the system refuses memory
  void* walk;                        // weft_walk_3, which kernels call
  long (*leave_rest)();              // weft_leave_rest, which loops of kernels call
  // weft_run_checked and the others, which kernels of the user's own text call where they are checked.
  void *run_checked, *checked_address, *checked_move, *checked_fill;
};

// An object file in an archive.
struct ArchiveMember {
  std::string name, object;
};

// ClangJit says what each does. Safe from any thread.
class Jit {
 public:
  virtual ~Jit() = default;
  virtual std::string compile(std::string_view source, std::string_view name, CompileTimes* times) = 0;
  virtual std::string assembly(std::string_view source, std::string_view name) = 0;
  virtual std::shared_ptr<JitCode> load(std::string_view object, std::span<const std::string> symbols) = 0;
  virtual std::string data_object(std::string_view symbol, std::string_view bytes) = 0;
  virtual std::string archive(std::span<const ArchiveMember> members) = 0;
};

struct JitLibrary {
  const char* version = nullptr;
  std::unique_ptr<Jit> (*make)(const Processor& processor, const JitHost& host) = nullptr;
};

// The one name that libweft_jit.so shows. It never changes, so that any version can be asked for its own.
extern "C" void weft_jit_library(JitLibrary* library);

}  // namespace weft::runtime
