#include "runtime/cpu/clang_jit.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/X86TargetParser.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <system_error>

#include "compiler/base/dtype.h"
#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "runtime/background.h"
#include "runtime/cpu/refused_mapping.h"
#include "runtime/cpu/walk.h"
#include "runtime/device.h"
#include "runtime/gate.h"

namespace weft::runtime {
namespace {

namespace orc = llvm::orc;

// Kernels arrive with explicit vector types, so nothing here has to find parallelism: inline everything,
// promote memory to registers, fold, hoist out of loops. A third of the time of -O2 for the same code.
constexpr const char* kFirstPasses = "function(sroa,early-cse)";
// For few functions: most have no loop that these could do anything to, but they look at each for long.
// Before inlining, so that a function that is inlined a hundred times is unrolled once, and after it.
constexpr const char* kUnrollPasses = "loop(loop-rotate,loop-unroll-full),sroa<modify-cfg>";
constexpr const char* kPasses =
    "always-inline,globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm))";
constexpr const char* kLastPasses = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

// Of the code generator's own passes. The loops move their pointers themselves, as cheaply as these would
// find after a sixth of the time. They are not even added: what they need analyzed would be, all the same.
constexpr llvm::StringRef kSkippedPasses[] = {"Loop Strength Reduction",
                                              "Canonicalize Freeze Instructions in Loops"};
// It compares each store of a block with all loads: half of the time of a long block. Such are written in an
// order as good.
constexpr llvm::StringRef kShortBlockPass = "Machine Instruction Scheduler";
constexpr size_t kLongBlock = 1000;  // instructions

// LLVM's code generator reports some of its own limits by ending the process. While a kernel is compiled,
// such a report is thrown instead; the state it leaves behind is leaked, because it was not made to be
// unwound.
struct FatalError {
  std::string reason;
};
thread_local bool compiling = false;
void throw_fatal_error(void*, const char* reason, bool) {
  if (compiling) throw FatalError{reason};
}
void throw_bad_alloc(void*, const char*, bool) {
  if (compiling) throw std::bad_alloc();
}

// ORC hands errors of the linking steps to the session's reporter; links run on the thread that asked.
thread_local std::string* link_log = nullptr;

// What LLVM calls where the processor does not convert halves itself.
float extend_half(_Float16 x) { return f16_to_float(std::bit_cast<uint16_t>(x)); }
_Float16 truncate_to_half(float x) { return std::bit_cast<_Float16>(float_to_f16(x)); }

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

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    llvm::install_fatal_error_handler(throw_fatal_error);
    llvm::install_bad_alloc_error_handler(throw_bad_alloc);
  });
}

// A checkpoint after each function.
class Checkpoints : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef) override {
    Background::checkpoint();
    return true;
  }
};

class EmitModule : public clang::ASTFrontendAction {
 public:
  explicit EmitModule(llvm::LLVMContext& context) : context_(context) {}
  std::unique_ptr<llvm::Module> module;

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    generator_ = clang::CreateLLVMCodeGen(compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(),
                                          compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                          compiler.getCodeGenOpts(), context_);
    if (!Background::mine()) return std::unique_ptr<clang::ASTConsumer>(generator_);
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.emplace_back(generator_);
    both.push_back(std::make_unique<Checkpoints>());
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }
  void EndSourceFileAction() override { module.reset(generator_->ReleaseModule()); }

 private:
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;
};

// Collects what the passes and the assembler report about a module.
class CollectErrors : public llvm::DiagnosticHandler {
 public:
  explicit CollectErrors(std::string& log) : log_(log) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream out(log_);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
      out << '\n';
    }
    return true;
  }

 private:
  std::string& log_;
};

// Asked by the code generator before its passes.
class SkipPasses : public llvm::OptPassGate {
 public:
  explicit SkipPasses(const llvm::Module& module) {
    for (const llvm::Function& function : module)
      for (const llvm::BasicBlock& block : function)
        if (block.size() > kLongBlock)
          long_functions_.insert(("function (" + function.getName() + ")").str());
  }
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef what) override {
    return pass != kShortBlockPass || !long_functions_.contains(what);
  }

 private:
  llvm::StringSet<> long_functions_;
};

class Checkpoint : public llvm::FunctionPass {
 public:
  Checkpoint() : FunctionPass(id_) {}
  bool runOnFunction(llvm::Function&) override {
    Background::checkpoint();
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }

 private:
  static inline char id_ = 0;
};

// In the background each pass is followed by a checkpoint.
class CodePasses : public llvm::legacy::PassManager {
 public:
  void add(llvm::Pass* pass) override {
    if (llvm::is_contained(kSkippedPasses, pass->getPassName())) {
      delete pass;
      return;
    }
    const bool of_functions = pass->getPassKind() == llvm::PT_Function;
    PassManager::add(pass);
    if (of_functions && Background::mine()) PassManager::add(new Checkpoint);
  }
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Whether a loop may run a fixed number of times: it ends by a comparison with a constant.
bool may_unroll(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (const llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop->getExitingBlocks(exits);
    for (llvm::BasicBlock* block : exits) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      auto* test = branch ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
      if (!test || llvm::isa<llvm::Constant>(test->getOperand(1))) return true;
    }
  }
  return false;
}

// The features in which this machine differs from what LLVM says of its processor. All of them would be
// spelled, sorted and compared for every function.
std::vector<std::string> features_beside(llvm::StringRef cpu, const llvm::StringMap<bool>& present) {
  llvm::SmallVector<llvm::StringRef, 128> usual;
  const bool known = llvm::X86::parseArchX86(cpu) != llvm::X86::CK_None;
  if (known) llvm::X86::getFeaturesForCPU(cpu, usual);
  std::vector<std::string> list;
  for (const auto& feature : present)
    if (!known || feature.second != llvm::is_contained(usual, feature.first()))
      list.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(list.begin(), list.end());
  return list;
}

// A processor that has a part of AVX-512 is taken for one with AVX2: block loops are compiled for all of it or
// none, and have to give the bits of kernels.
llvm::StringMap<bool> all_of_avx512_or_none(llvm::StringMap<bool> features) {
  const auto has = [&](const char* feature) { return features.lookup(feature); };
  if (has("avx512bw") && has("avx512dq") && has("avx512vl")) {
    features["avx512f"] = true;  // LLVM's lists leave out what others imply
    return features;
  }
  for (auto& feature : features)
    if (feature.first().starts_with("avx512")) feature.second = false;
  return features;
}

// What sets an older processor apart, all of which this one must have.
llvm::StringMap<bool> features_of(const std::string& processor) {
  if (llvm::X86::parseArchX86(processor, true) == llvm::X86::CK_None)
    throw Error("cpu: LLVM knows no processor '" + processor + "'; x86-64-v3 is one");
  llvm::SmallVector<llvm::StringRef> names;
  llvm::X86::getFeaturesForCPU(processor, names);
  const llvm::StringMap<bool> here = llvm::sys::getHostCPUFeatures();
  llvm::StringMap<bool> features;
  for (const llvm::StringRef name : names) {
    if (here.contains(name) && !here.lookup(name))
      throw Error("cpu: kernels for '" + processor + "' need " + name.str() + ", which this processor lacks");
    features[name] = true;
  }
  return features;
}

// 512-bit registers cost these processors so much clock that 256 bits are the better choice.
bool slow_avx512(llvm::StringRef cpu) {
  return cpu == "skylake-avx512" || cpu == "cascadelake" || cpu == "cooperlake" || cpu == "cannonlake";
}

}  // namespace

struct ClangJit::State {
  std::string triple, cpu, features, toolchain;
  int vector_bytes = 16;
  const llvm::Target* target = nullptr;
  clang::CompilerInvocation invocation;  // copied for each compile

  // Target machines are expensive to make and serve one thread at a time.
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle_machines;

  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib* process = nullptr;
  std::atomic<uint64_t> next_code{0};

  explicit State(const std::string& processor);
  ~State() { llvm::consumeError(session.endSession()); }

  std::vector<std::string> compiler_options(const std::vector<std::string>& processor_features) const;
  void set_invocation(std::vector<std::string> options);
  void define_process();

  std::unique_ptr<llvm::TargetMachine> take_machine();
  void give_machine(std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard lock(mutex);
    idle_machines.push_back(std::move(machine));
  }
  void optimize(llvm::Module& module, llvm::TargetMachine& machine) const;
  std::string generate(std::string_view source, std::string_view name, llvm::CodeGenFileType type,
                       CompileTimes* times);
};

namespace {

struct LinkedCode : ClangJit::Code {
  // Keeps the session alive, in which `library` lives.
  std::shared_ptr<void> owner;
  orc::ExecutionSession* session = nullptr;
  orc::JITDylib* library = nullptr;
  std::map<std::string, void*, std::less<>> addresses;

  ~LinkedCode() override {
    if (library) llvm::consumeError(session->removeJITDylib(*library));
  }
  void* address(std::string_view symbol) const override {
    auto found = addresses.find(symbol);
    return found == addresses.end() ? nullptr : found->second;
  }
};

std::unique_ptr<orc::ExecutorProcessControl> this_process() {
  initialize_llvm();
  auto control =
      orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control) throw InternalError("clang_jit: " + llvm::toString(control.takeError()));
  return std::move(*control);
}

}  // namespace

ClangJit::State::State(const std::string& processor) : session(this_process()), layer(session) {
  triple = llvm::sys::getProcessTriple();
  cpu = processor.empty() ? llvm::sys::getHostCPUName().str() : processor;
  const llvm::StringMap<bool> present =
      all_of_avx512_or_none(processor.empty() ? llvm::sys::getHostCPUFeatures() : features_of(processor));
  const std::vector<std::string> list = features_beside(cpu, present);
  for (const std::string& feature : list) features += (features.empty() ? "" : ",") + feature;
  auto has = [&](const char* feature) { return present.lookup(feature); };
  vector_bytes = has("avx512f") && !slow_avx512(cpu) ? 64 : has("avx2") ? 32 : 16;

  std::string error;
  target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) throw InternalError("clang_jit: " + error);

  std::vector<std::string> options = compiler_options(list);
  // Of some four hundred macros these are all that the prelude asks for. Asking for another is an error.
  for (const char* feature : {"avx512f", "avx512bw", "avx512dq", "avx512vl"})
    options.push_back("-D__" + llvm::StringRef(feature).upper() + (has(feature) ? "__=1" : "__=0"));
  std::string all = clang::getClangFullVersion() + kFirstPasses + kUnrollPasses + kPasses + kLastPasses;
  for (const llvm::StringRef skipped : kSkippedPasses) all += skipped;
  all += kShortBlockPass.str() + std::to_string(kLongBlock);
  for (const std::string& option : options) all += '\n' + option;
  toolchain = std::string("clang-") + CLANG_VERSION_STRING + " " + cpu + " " + to_string(hash_text(all));

  set_invocation(std::move(options));

  session.setErrorReporter([](llvm::Error problem) {
    std::string text = llvm::toString(std::move(problem));
    if (link_log) *link_log += text + '\n';
  });
  define_process();
}

// What the driver would pass to its compiler proper. Exceptions, errno from math functions and debug
// information are off by default at this level. Views alias buffers of other dtypes, hence
// -relaxed-aliasing.
std::vector<std::string> ClangJit::State::compiler_options(
    const std::vector<std::string>& processor_features) const {
  std::vector<std::string> options = {"-triple",
                                      triple,
                                      "-target-cpu",
                                      cpu,
                                      "-O2",
                                      "-disable-llvm-passes",
                                      "-disable-lifetime-markers",
                                      "-std=c++20",
                                      "-x",
                                      "c++",
                                      "-ffp-contract=off",
                                      "-fno-rtti",
                                      "-Wno-everything",
                                      "-Werror=undef",
                                      "-nostdsysteminc",
                                      "-nobuiltininc",
                                      "-relaxed-aliasing",
                                      "-mrelocation-model",
                                      "pic",
                                      "-pic-level",
                                      "2",
                                      "-mprefer-vector-width=" + std::to_string(vector_bytes * 8)};
  for (const std::string& feature : processor_features) {
    options.push_back("-target-feature");
    options.push_back(feature);
  }
  options.push_back("-undef");
  return options;
}

void ClangJit::State::set_invocation(std::vector<std::string> options) {
  options.push_back("kernel.cpp");
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) arguments.push_back(option.c_str());
  std::string log;
  llvm::raw_string_ostream out(log);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> diagnostic_options(new clang::DiagnosticOptions);
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, diagnostic_options,
                                       new clang::TextDiagnosticPrinter(out, diagnostic_options.get()));
  if (!clang::CompilerInvocation::CreateFromArgs(invocation, arguments, diagnostics))
    throw InternalError("clang_jit: Clang refused its options: " + log);
}

// What kernels may call of this process.
void ClangJit::State::define_process() {
  process = &session.createBareJITDylib("process");
  orc::SymbolMap allowed;
  auto allow = [&](const char* name, auto* function) {
    allowed[session.intern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  allow("memcpy", static_cast<void* (*)(void*, const void*, size_t)>(&std::memcpy));
  allow("memmove", static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove));
  allow("weft_walk_2", &weft_walk_2);
  allow("memset", static_cast<void* (*)(void*, int, size_t)>(&std::memset));
  allow("__extendhfsf2", &extend_half);
  allow("__truncsfhf2", &truncate_to_half);
  if (llvm::Error problem = process->define(orc::absoluteSymbols(std::move(allowed))))
    throw InternalError("clang_jit: " + llvm::toString(std::move(problem)));
}

std::unique_ptr<llvm::TargetMachine> ClangJit::State::take_machine() {
  {
    std::lock_guard lock(mutex);
    if (!idle_machines.empty()) {
      auto machine = std::move(idle_machines.back());
      idle_machines.pop_back();
      return machine;
    }
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // The lowest level that still schedules and allocates registers globally: measured equal code, 5 % less
  // time.
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                  llvm::CodeGenOptLevel::Less, /*JIT=*/true));
}

void ClangJit::State::optimize(llvm::Module& module, llvm::TargetMachine& machine) const {
  // The prelude's functions take vectors in registers and must vanish, however large they are.
  for (llvm::Function& function : module)
    if (function.hasLocalLinkage() && !function.hasFnAttribute(llvm::Attribute::NoInline))
      function.addFnAttr(llvm::Attribute::AlwaysInline);

  llvm::PassInstrumentationCallbacks callbacks;
  if (Background::mine())
    callbacks.registerBeforeNonSkippedPassCallback(
        [](llvm::StringRef, const llvm::Any&) { Background::checkpoint(); });
  llvm::PassBuilder builder(&machine, {}, {}, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  auto parse = [&](auto passes, const char* text) {
    if (llvm::Error problem = builder.parsePassPipeline(passes, text))
      throw InternalError("clang_jit: " + llvm::toString(std::move(problem)));
    return passes;
  };
  auto run = [&](const char* text) {
    modules.invalidate(module, parse(llvm::ModulePassManager(), text).run(module, modules));
  };
  llvm::FunctionPassManager unroll = parse(llvm::FunctionPassManager(), kUnrollPasses);
  auto unroll_short_loops = [&] {
    for (llvm::Function& function : module)
      if (!function.isDeclaration() && may_unroll(function, functions))
        functions.invalidate(function, unroll.run(function, functions));
  };
  run(kFirstPasses);
  unroll_short_loops();
  run(kPasses);
  unroll_short_loops();
  run(kLastPasses);
}

std::string ClangJit::State::generate(std::string_view source, std::string_view name,
                                      llvm::CodeGenFileType type, CompileTimes* times) {
  auto refuse = [&](std::string log) -> CompileError {
    return CompileError("clang_jit: cannot compile " + std::string(name), std::move(log),
                        std::string(source));
  };
  const Passage compiles(compiling_gate);
  require_room(name);
  auto start = std::chrono::steady_clock::now();
  std::string log;
  // Owned by hand: a fatal error leaves all of it behind.
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true);
  context->setDiagnosticHandler(std::make_unique<CollectErrors>(log));
  auto compiler = std::make_unique<clang::CompilerInstance>();
  auto action = std::make_unique<EmitModule>(*context);
  auto machine = take_machine();
  llvm::SmallVector<char, 0> bytes;
  auto out = std::make_unique<llvm::raw_svector_ostream>(bytes);
  auto codegen = std::make_unique<CodePasses>();
  std::unique_ptr<SkipPasses> gate;

  const auto leak = [&] {
    compiling = false;
    (void)context.release(), (void)compiler.release(), (void)action.release(), (void)machine.release();
    (void)codegen.release(), (void)out.release(), (void)gate.release();
  };

  compiling = true;
  try {
    const std::string file = std::string(name) + ".cpp";
    auto own = std::make_shared<clang::CompilerInvocation>(invocation);
    own->getFrontendOpts().Inputs = {clang::FrontendInputFile(file, clang::Language::CXX)};
    own->getPreprocessorOpts().addRemappedFile(
        file,
        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(source.data(), source.size()), file).release());
    compiler->setInvocation(own);
    llvm::raw_string_ostream diagnostics(log);
    compiler->createDiagnostics(new clang::TextDiagnosticPrinter(diagnostics, &own->getDiagnosticOpts()),
                                /*ShouldOwnClient=*/true);
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    compiler->setFileManager(new clang::FileManager({}, std::move(files)));
    // Clang prints "2 errors generated." here, after the diagnostics.
    compiler->setVerboseOutputStream(diagnostics);
    const bool parsed = compiler->ExecuteAction(*action) && action->module;
    if (times) times->parse_ms = milliseconds_since(start);
    start = std::chrono::steady_clock::now();
    Background::checkpoint();
    if (parsed) {
      llvm::Module& module = *action->module;
      optimize(module, *machine);
      if (times) times->optimize_ms = milliseconds_since(start);
      start = std::chrono::steady_clock::now();
      gate = std::make_unique<SkipPasses>(module);
      context->setOptPassGate(*gate);
      if (machine->addPassesToEmitFile(*codegen, *out, nullptr, type, /*DisableVerify=*/true))
        throw InternalError("clang_jit: this target cannot emit the file type");
      codegen->run(module);
      if (times) times->codegen_ms = milliseconds_since(start);
    }
    compiling = false;
    if (!parsed || !log.empty()) throw refuse(log);
  } catch (FatalError& fatal) {
    leak();
    throw refuse("LLVM: " + fatal.reason);
  } catch (const BackgroundEnded&) {
    leak();
    throw;
  } catch (const std::bad_alloc&) {
    leak();
    throw OutOfMemory("clang_jit: no memory to compile " + std::string(name));
  } catch (...) {
    compiling = false;
    throw;
  }
  codegen.reset();
  give_machine(std::move(machine));
  return std::string(bytes.begin(), bytes.end());
}

void stop_compiling_elsewhere() {
  Background::end();
  compiling_gate.close_to_others();
  linking_gate.close_to_others();
}

ClangJit::ClangJit(const std::string& processor) : state_(std::make_shared<State>(processor)) {}
ClangJit::~ClangJit() = default;

std::string ClangJit::compile(std::string_view source, std::string_view name, CompileTimes* times) const {
  std::string object = state_->generate(source, name, llvm::CodeGenFileType::ObjectFile, times);
  notice_the_end();
  return object;
}

std::string ClangJit::assembly(std::string_view source, std::string_view name) const {
  return state_->generate(source, name, llvm::CodeGenFileType::AssemblyFile, nullptr);
}

std::shared_ptr<ClangJit::Code> ClangJit::load(std::string_view object,
                                               std::span<const std::string> symbols) const {
  const Passage links(linking_gate);
  require_room(symbols.empty() ? "?" : symbols.front());
  State& state = *state_;
  std::string log;
  auto refuse = [&](llvm::Error problem) -> std::exception_ptr {
    std::string text = llvm::toString(std::move(problem));
    // LLVM hands the system's refusal on as text.
    if ((log + text).find(std::generic_category().message(ENOMEM)) != std::string::npos)
      return std::make_exception_ptr(OutOfMemory("clang_jit: no memory for the code of " +
                                                 (symbols.empty() ? "?" : symbols.front()) +
                                                 ": the system refuses " + refused_mapping()));
    return std::make_exception_ptr(CompileError(
        "clang_jit: cannot link the object of " + (symbols.empty() ? "?" : symbols.front()), log + text, {}));
  };
  struct Reporting {
    explicit Reporting(std::string* to) { link_log = to; }
    ~Reporting() { link_log = nullptr; }
  } reporting(&log);

  auto code = std::make_shared<LinkedCode>();
  code->owner = state_;
  code->session = &state.session;
  auto library = state.session.createJITDylib("kernel" + std::to_string(state.next_code++));
  if (!library) std::rethrow_exception(refuse(library.takeError()));
  code->library = &*library;
  library->addToLinkOrder(*state.process);
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), "kernel.o");
  if (llvm::Error problem = state.layer.add(*library, std::move(copy)))
    std::rethrow_exception(refuse(std::move(problem)));

  orc::SymbolLookupSet wanted;
  for (const std::string& symbol : symbols)
    wanted.add(state.session.intern(symbol), orc::SymbolLookupFlags::WeaklyReferencedSymbol);
  auto found = state.session.lookup(orc::makeJITDylibSearchOrder(&*library), std::move(wanted));
  if (!found) std::rethrow_exception(refuse(found.takeError()));
  for (const auto& [symbol, definition] : *found)
    if (definition.getAddress())
      code->addresses.emplace((*symbol).str(), definition.getAddress().toPtr<void*>());
  return code;
}

const bool ClangJit::kCompiles = true;

const std::string& ClangJit::toolchain() const { return state_->toolchain; }
const std::string& ClangJit::cpu() const { return state_->cpu; }
int ClangJit::vector_bytes() const { return state_->vector_bytes; }

}  // namespace weft::runtime
