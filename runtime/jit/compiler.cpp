// Clang's and LLVM's half of a compile: it parses, optimizes and generates code. Nothing is read from files.
#include "runtime/jit/compiler.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
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
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "compiler/base/error.h"
#include "runtime/background.h"
#include "runtime/jit/check_memory.h"
#include "runtime/jit/late_values.h"

namespace weft::runtime {
namespace {

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

// How the entry of a kernel begins whose text a user wrote (compiler/emit/user_kernel.h).
constexpr llvm::StringRef kUserEntry = "weft_user_";

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
  explicit Checkpoints(const JitHost& host) : host_(host) {}
  bool HandleTopLevelDecl(clang::DeclGroupRef) override {
    host_.checkpoint();
    return true;
  }

 private:
  const JitHost& host_;
};

class EmitModule : public clang::ASTFrontendAction {
 public:
  EmitModule(llvm::LLVMContext& context, const JitHost& host) : context_(context), host_(host) {}
  std::unique_ptr<llvm::Module> module;

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    generator_ = clang::CreateLLVMCodeGen(compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(),
                                          compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                          compiler.getCodeGenOpts(), context_);
    if (!host_.in_background()) return std::unique_ptr<clang::ASTConsumer>(generator_);
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.emplace_back(generator_);
    both.push_back(std::make_unique<Checkpoints>(host_));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }
  void EndSourceFileAction() override { module.reset(generator_->ReleaseModule()); }

 private:
  llvm::LLVMContext& context_;
  const JitHost& host_;
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
  explicit Checkpoint(const JitHost& host) : FunctionPass(id_), host_(host) {}
  bool runOnFunction(llvm::Function&) override {
    host_.checkpoint();
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }

 private:
  static inline char id_ = 0;
  const JitHost& host_;
};

// In the background each pass is followed by a checkpoint.
class CodePasses : public llvm::legacy::PassManager {
 public:
  explicit CodePasses(const JitHost& host) : host_(host) {}
  void add(llvm::Pass* pass) override {
    if (llvm::is_contained(kSkippedPasses, pass->getPassName())) {
      delete pass;
      return;
    }
    const bool of_functions = pass->getPassKind() == llvm::PT_Function;
    PassManager::add(pass);
    if (of_functions && host_.in_background()) PassManager::add(new Checkpoint(host_));
  }

 private:
  const JitHost& host_;
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

// What the driver would pass to its compiler proper. Exceptions, errno from math functions and debug
// information are off by default at this level. Views alias buffers of other dtypes, hence
// -relaxed-aliasing.
std::vector<std::string> compiler_options(const Processor& processor) {
  std::vector<std::string> options = {"-triple",
                                      processor.triple,
                                      "-target-cpu",
                                      processor.cpu,
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
                                      "-mprefer-vector-width=" + std::to_string(processor.vector_bytes * 8)};
  for (const std::string& feature : processor.features) {
    options.push_back("-target-feature");
    options.push_back(feature);
  }
  options.push_back("-undef");
  // Of some four hundred macros these are all that the prelude asks for. Asking for another is an error.
  options.push_back(processor.triple.starts_with("x86_64") ? "-D__x86_64__=1" : "-D__x86_64__=0");
  for (const char* feature : {"AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL"})
    options.push_back(std::string("-D__") + feature + (processor.avx512 ? "__=1" : "__=0"));
  return options;
}

}  // namespace

struct TextCompiler::State {
  Processor processor;
  std::string features;  // as LLVM lists them
  JitHost host;
  const llvm::Target* target = nullptr;
  clang::CompilerInvocation invocation;  // copied for each compile

  // Target machines are expensive to make and serve one thread at a time.
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle_machines;

  State(Processor for_processor, const JitHost& of_host);
  void set_invocation(std::vector<std::string> options);
  std::unique_ptr<llvm::TargetMachine> take_machine();
  void give_machine(std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard lock(mutex);
    idle_machines.push_back(std::move(machine));
  }
  void optimize(llvm::Module& module, llvm::TargetMachine& machine) const;
  std::string generate(std::string_view source, std::string_view name, llvm::CodeGenFileType type,
                       CompileTimes* times);
  std::string data(std::string_view symbol, std::string_view bytes);
};

TextCompiler::State::State(Processor for_processor, const JitHost& of_host)
    : processor(std::move(for_processor)), host(of_host) {
  initialize_llvm();
  for (const std::string& feature : processor.features) features += (features.empty() ? "" : ",") + feature;
  std::string error;
  target = llvm::TargetRegistry::lookupTarget(processor.triple, error);
  if (!target) throw InternalError("clang_jit: " + error);
  set_invocation(compiler_options(processor));
}

void TextCompiler::State::set_invocation(std::vector<std::string> options) {
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

std::unique_ptr<llvm::TargetMachine> TextCompiler::State::take_machine() {
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
      target->createTargetMachine(processor.triple, processor.cpu, features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less, /*JIT=*/true));
}

void TextCompiler::State::optimize(llvm::Module& module, llvm::TargetMachine& machine) const {
  const bool of_a_user = std::ranges::any_of(module, [](const llvm::Function& function) {
    return !function.isDeclaration() && function.getName().starts_with(kUserEntry);
  });
  // The prelude's functions take vectors in registers and must vanish, however large they are.
  for (llvm::Function& function : module)
    if (!of_a_user && function.hasLocalLinkage() && !function.hasFnAttribute(llvm::Attribute::NoInline))
      function.addFnAttr(llvm::Attribute::AlwaysInline);

  llvm::PassInstrumentationCallbacks callbacks;
  if (host.in_background())
    callbacks.registerBeforeNonSkippedPassCallback(
        [this](llvm::StringRef, const llvm::Any&) { host.checkpoint(); });
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
  if (of_a_user) {  // scalar loops, which are to become vectors
    // The text's own functions and variables are nobody else's: another kernel may have some of these names.
    llvm::internalizeModule(
        module, [](const llvm::GlobalValue& value) { return value.getName().starts_with(kUserEntry); });
    // What variables start as is computed here, which cannot be done behind checks.
    if (module.getGlobalVariable("llvm.global_ctors"))
      run("function(sroa,early-cse,instcombine,simplifycfg),cgscc(inline),function(sroa,instcombine),"
          "globalopt");
    check_memory(module);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
    refuse_late_values(module);
    return;
  }
  run(kFirstPasses);
  unroll_short_loops();
  run(kPasses);
  unroll_short_loops();
  run(kLastPasses);
}

// Has each instruction be of the line that called what was inlined: of the kernel's own function.
void keep_callers(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block) {
        const llvm::DILocation* at = instruction.getDebugLoc().get();
        if (!at || !at->getInlinedAt()) continue;
        while (at->getInlinedAt()) at = at->getInlinedAt();
        instruction.setDebugLoc(llvm::DebugLoc(at));
      }
}

std::string TextCompiler::State::generate(std::string_view source, std::string_view name,
                                          llvm::CodeGenFileType type, CompileTimes* times) {
  auto refuse = [&](std::string log) -> CompileError {
    return CompileError("clang_jit: cannot compile " + std::string(name), std::move(log),
                        std::string(source));
  };
  auto start = std::chrono::steady_clock::now();
  std::string log;
  // Owned by hand: a fatal error leaves all of it behind.
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true);
  context->setDiagnosticHandler(std::make_unique<CollectErrors>(log));
  auto compiler = std::make_unique<clang::CompilerInstance>();
  auto action = std::make_unique<EmitModule>(*context, host);
  auto machine = take_machine();
  llvm::SmallVector<char, 0> bytes;
  auto out = std::make_unique<llvm::raw_svector_ostream>(bytes);
  auto codegen = std::make_unique<CodePasses>(host);
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
    // Who reads assembly asks for its lines.
    const bool lines = type == llvm::CodeGenFileType::AssemblyFile;
    if (lines) own->getCodeGenOpts().setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
    machine->Options.MCOptions.AsmVerbose = lines;
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
    host.checkpoint();
    if (parsed) {
      llvm::Module& module = *action->module;
      optimize(module, *machine);
      if (lines) keep_callers(module);
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

std::string TextCompiler::State::data(std::string_view symbol, std::string_view bytes) {
  llvm::LLVMContext context;
  auto machine = take_machine();
  llvm::Module module("data", context);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(processor.triple);
  llvm::Constant* const value =
      llvm::ConstantDataArray::getString(context, {bytes.data(), bytes.size()}, /*AddNull=*/false);
  auto* const variable = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                                  llvm::GlobalValue::ExternalLinkage, value,
                                                  llvm::StringRef(symbol.data(), symbol.size()));
  variable->setAlignment(llvm::Align(64));
  variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw InternalError("clang_jit: this target cannot emit the file type");
  passes.run(module);
  give_machine(std::move(machine));
  return std::string(object.begin(), object.end());
}

TextCompiler::TextCompiler(const Processor& processor, const JitHost& host)
    : state_(std::make_unique<State>(processor, host)) {}
TextCompiler::~TextCompiler() = default;

std::string TextCompiler::object(std::string_view source, std::string_view name, CompileTimes* times) {
  return state_->generate(source, name, llvm::CodeGenFileType::ObjectFile, times);
}
std::string TextCompiler::assembly(std::string_view source, std::string_view name) {
  return state_->generate(source, name, llvm::CodeGenFileType::AssemblyFile, nullptr);
}
std::string TextCompiler::data(std::string_view symbol, std::string_view bytes) {
  return state_->data(symbol, bytes);
}

}  // namespace weft::runtime
