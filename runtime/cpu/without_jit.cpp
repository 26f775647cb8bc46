// ClangJit of a library that is built without Clang and LLVM. It names the processor's generation, for which the
// schedules are the same as where kernels are compiled.
#include "compiler/base/error.h"
#include "runtime/cpu/clang_jit.h"

namespace weft::runtime {

namespace {

#if __x86_64__
// As LLVM's names say it in clang_jit.cpp: 512-bit registers cost these so much clock that 256 bits are better.
bool slow_avx512() {
  return __builtin_cpu_is("skylake-avx512") || __builtin_cpu_is("cascadelake") ||
         __builtin_cpu_is("cooperlake") || __builtin_cpu_is("cannonlake");
}
bool all_of_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

[[noreturn]] void refuse(std::string_view source) {
  throw CompileError(
      "cpu: this library compiles no kernels: it was built with WEFT_CPU_JIT=OFF",
      "build Weft with WEFT_CPU_JIT=ON, which takes Clang and LLVM 19; programs run in blocks without",
      std::string(source));
}

}  // namespace

struct ClangJit::State {
  std::string cpu = "generic", toolchain = "none";
  int vector_bytes = 16;
};

const bool ClangJit::kCompiles = false;

ClangJit::ClangJit(const std::string& processor) : state_(std::make_shared<State>()) {
  if (!processor.empty()) refuse({});
#if __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  state_->cpu = all_of_avx512() ? "x86-64-v4" : avx2 ? "x86-64-v3" : "x86-64-v2";
  state_->vector_bytes = all_of_avx512() && !slow_avx512() ? 64 : avx2 ? 32 : 16;
#endif
}

ClangJit::~ClangJit() = default;

std::string ClangJit::compile(std::string_view source, std::string_view, CompileTimes*) const {
  refuse(source);
}
std::string ClangJit::assembly(std::string_view source, std::string_view) const { refuse(source); }
std::shared_ptr<ClangJit::Code> ClangJit::load(std::string_view, std::span<const std::string>) const {
  refuse({});
}
std::string ClangJit::data_object(std::string_view, std::string_view) const { refuse({}); }
std::string ClangJit::archive(std::span<const ArchiveMember>) const { refuse({}); }

const std::string& ClangJit::toolchain() const { return state_->toolchain; }
const std::string& ClangJit::cpu() const { return state_->cpu; }
int ClangJit::vector_bytes() const { return state_->vector_bytes; }

std::string compiler_version() { return {}; }

JitLibrary open_jit_library(const std::string&) { refuse({}); }

void stop_compiling_elsewhere() {}

}  // namespace weft::runtime
