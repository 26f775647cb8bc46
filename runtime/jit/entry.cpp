#include "runtime/jit/library.h"

#include "runtime/jit/archive.h"
#include "runtime/jit/compiler.h"
#include "runtime/jit/linker.h"
#include "runtime/jit/version.h"

namespace weft::runtime {
namespace {

class ClangAndOrc : public Jit {
 public:
  ClangAndOrc(const Processor& processor, const JitHost& host) : compiler_(processor, host), linker_(host) {}
  std::string compile(std::string_view source, std::string_view name, CompileTimes* times) override {
    return compiler_.object(source, name, times);
  }
  std::string assembly(std::string_view source, std::string_view name) override {
    return compiler_.assembly(source, name);
  }
  std::shared_ptr<JitCode> load(std::string_view object, std::span<const std::string> symbols) override {
    return linker_.load(object, symbols);
  }
  std::string data_object(std::string_view symbol, std::string_view bytes) override {
    return compiler_.data(symbol, bytes);
  }
  std::string archive(std::span<const ArchiveMember> members) override { return archive_of(members); }

 private:
  TextCompiler compiler_;  // sets LLVM up, which the linker needs
  Linker linker_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void weft_jit_library(JitLibrary* library) {
  library->version = kJitVersion;
  library->make = [](const Processor& processor, const JitHost& host) -> std::unique_ptr<Jit> {
    return std::make_unique<ClangAndOrc>(processor, host);
  };
}

}  // namespace weft::runtime
