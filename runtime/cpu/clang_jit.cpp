// What libweft_jit.so is opened by. It stands apart from libweft so that a process which compiles nothing need not load
// Clang and LLVM.
#include "runtime/cpu/clang_jit.h"

#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "runtime/background.h"
#include "runtime/cpu/checked_memory.h"
#include "runtime/cpu/processor.h"
#include "runtime/cpu/refused_mapping.h"
#include "runtime/cpu/walk.h"
#include "runtime/device.h"
#include "runtime/gate.h"
#include "runtime/jit/library.h"
#include "runtime/jit/version.h"

namespace weft::runtime {
namespace {

// LLVM makes tables as it compiles for the first time, and destroys them as the program ends, before what was
// made earlier. Nothing may be compiled then, and nobody may be in the middle of it.
Gate compiling_gate, linking_gate;

// Background work passes at its own risk: it stops at its next checkpoint.
class Passage {
 public:
  explicit Passage(Gate& gate) : gate_(gate) {
    if (!passes_) return;
    if (!gate_.enter())
      throw NoCompilerLeft(
          "clang_jit: no kernel can be compiled while the program ends: got one that was not needed before, "
          "in the destructor of a global or a thread that nobody joined; compute its value in main(), or let "
          "such work be computed there once");
  }
  ~Passage() {
    if (passes_) gate_.leave();
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

 private:
  const bool passes_ = !Background::mine();
  Gate& gate_;
};

// LLVM was built without exceptions: most of it does not survive a refused allocation. So ask first.
constexpr size_t kRoomToCompile =
    size_t{64} << 20;  // bytes of address space, more than all but the largest kernels take
void require_room(std::string_view name) {
  void* const room =
      ::mmap(nullptr, kRoomToCompile, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw OutOfMemory("clang_jit: no memory to compile " + std::string(name) + ": the system refuses " +
                      refused_mapping());
  ::munmap(room, kRoomToCompile);
}

// To be called when the tables are there.
void notice_the_end() {
  static const struct AfterTheTables {
    ~AfterTheTables() {
      Background::end();
      compiling_gate.close_to_all();
    }
  } last;
  static_cast<void>(last);
}

std::string folder_of_this() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(&stop_compiling_elsewhere), &info) != 0;
  return known && info.dli_fname ? std::filesystem::path(info.dli_fname).parent_path().string()
                                 : std::string();
}

std::string toolchain_for(const Processor& processor) {
  std::string all = std::string(kJitVersion) + ' ' + processor.triple + ' ' +
                    std::to_string(processor.vector_bytes) + (processor.avx512 ? " avx512" : "");
  for (const std::string& feature : processor.features) all += ' ' + feature;
  return "clang-" LLVM_VERSION_STRING " " + processor.cpu + " " + to_string(hash_text(all));
}

}  // namespace

std::string compiler_version() { return LLVM_VERSION_STRING; }

JitLibrary open_jit_library(const std::string& folder) {
  const std::string file = std::string("libweft_jit.so"), beside = folder + "/" + file;
  // Elsewhere the loader looks: a program that holds Weft's objects itself has it in its run path.
  void* opened = ::access(beside.c_str(), F_OK) == 0
                     ? ::dlopen(beside.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)
                     : ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  const std::string advice = "; install all of Weft again, or set WEFT_TIER=blocks, which compiles nothing";
  if (!opened) {
    const char* said = ::dlerror();
    const std::string why = said ? said : "the loader does not say why";
    if (why.find(std::strerror(ENOMEM)) != std::string::npos ||
        why.find("failed to map") != std::string::npos)
      throw OutOfMemory("clang_jit: no memory to open " + file + ": " + why + ": the system refuses " +
                        refused_mapping());
    throw Error("clang_jit: cannot open " + file + ", which compiles kernels, in " + folder + ": " + why +
                advice);
  }
  auto* const entry = reinterpret_cast<decltype(&weft_jit_library)>(::dlsym(opened, "weft_jit_library"));
  JitLibrary library;
  if (entry) entry(&library);
  const std::string version = library.version ? library.version : "none";
  if (version != kJitVersion)
    throw Error("clang_jit: " + file + " in " + folder + " has version " + version +
                ", but this library needs " + kJitVersion + advice);
  return library;
}

struct ClangJit::State {
  explicit State(const std::string& name)
      : processor(processor_named(name)), toolchain(toolchain_for(processor)) {}

  // Opens the library where it is needed first. What failed is tried again.
  Jit& jit() {
    std::call_once(opened, [this] {
      static const JitHost host{&Background::mine,
                                &Background::checkpoint,
                                &refused_mapping,
                                reinterpret_cast<void*>(&weft_walk_3),
                                &weft_leave_rest,
                                reinterpret_cast<void*>(&weft_run_checked),
                                reinterpret_cast<void*>(&weft_checked_address),
                                reinterpret_cast<void*>(&weft_checked_move),
                                reinterpret_cast<void*>(&weft_checked_fill)};
      made = open_jit_library(folder_of_this()).make(processor, host);
    });
    return *made;
  }

  const Processor processor;
  const std::string toolchain;
  std::once_flag opened;
  std::unique_ptr<Jit> made;
};

void stop_compiling_elsewhere() {
  Background::end();
  compiling_gate.close_to_others();
  linking_gate.close_to_others();
}

ClangJit::ClangJit(const std::string& processor) : state_(std::make_shared<State>(processor)) {}
ClangJit::~ClangJit() = default;

std::string ClangJit::compile(std::string_view source, std::string_view name, CompileTimes* times) const {
  const Passage compiles(compiling_gate);
  require_room(name);
  std::string object = state_->jit().compile(source, name, times);
  notice_the_end();
  return object;
}

std::string ClangJit::assembly(std::string_view source, std::string_view name) const {
  const Passage compiles(compiling_gate);
  require_room(name);
  return state_->jit().assembly(source, name);
}

std::shared_ptr<ClangJit::Code> ClangJit::load(std::string_view object,
                                               std::span<const std::string> symbols) const {
  const Passage links(linking_gate);
  require_room(symbols.empty() ? "?" : symbols.front());
  return state_->jit().load(object, symbols);
}

std::string ClangJit::data_object(std::string_view symbol, std::string_view bytes) const {
  const Passage compiles(compiling_gate);
  require_room(symbol);
  return state_->jit().data_object(symbol, bytes);
}

std::string ClangJit::archive(std::span<const ArchiveMember> members) const {
  const Passage compiles(compiling_gate);
  return state_->jit().archive(members);
}

const bool ClangJit::kCompiles = true;

const std::string& ClangJit::toolchain() const { return state_->toolchain; }
const std::string& ClangJit::cpu() const { return state_->processor.cpu; }
int ClangJit::vector_bytes() const { return state_->processor.vector_bytes; }

}  // namespace weft::runtime
