// ORC links objects into this process.
#include "runtime/jit/linker.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cxxabi.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <system_error>

#include "compiler/base/dtype.h"
#include "compiler/base/error.h"

namespace weft::runtime {
namespace {

namespace orc = llvm::orc;

// ORC hands errors of the linking steps to the session's reporter; links run on the thread that asked.
thread_local std::string* link_log = nullptr;

#if __aarch64__
using Half = __fp16;  // GCC 12 knows no other name there
#else
using Half = _Float16;
#endif
// What LLVM calls where the processor does not convert halves itself.
float extend_half(Half x) { return f16_to_float(std::bit_cast<uint16_t>(x)); }
Half truncate_to_half(float x) { return std::bit_cast<Half>(float_to_f16(x)); }

Half truncate_double_to_half(double x) { return static_cast<Half>(x); }
Half truncate_to_bfloat(float x) { return std::bit_cast<Half>(float_to_bf16(x)); }

// What it calls for integers of 128 bits.
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
Wide divide(Wide a, Wide b) { return a / b; }
Wide rest(Wide a, Wide b) { return a % b; }
UnsignedWide divide_unsigned(UnsignedWide a, UnsignedWide b) { return a / b; }
UnsignedWide rest_unsigned(UnsignedWide a, UnsignedWide b) { return a % b; }
double to_double(Wide x) { return static_cast<double>(x); }
double unsigned_to_double(UnsignedWide x) { return static_cast<double>(x); }

struct LinkedCode : JitCode {
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

// What an object calls and nobody defines, by the names that its text has for it.
std::string not_defined(const orc::SymbolsNotFound& missing) {
  std::string names;
  for (const orc::SymbolStringPtr& one : missing.getSymbols())
    names += (names.empty() ? "" : ", ") + llvm::demangle(*one);
  return names +
         ": declared, and not defined: a kernel calls the functions of its own text, and those of <cmath>";
}

std::string text_of(llvm::Error problem) {
  std::string text;
  llvm::handleAllErrors(
      std::move(problem), [&](const orc::SymbolsNotFound& missing) { text += not_defined(missing); },
      [&](const orc::FailedToMaterialize&) {},  // which says no more than what came before it
      [&](const llvm::ErrorInfoBase& other) { text += other.message(); });
  return text;
}

std::unique_ptr<orc::ExecutorProcessControl> this_process() {
  auto control =
      orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control) throw InternalError("clang_jit: " + llvm::toString(control.takeError()));
  return std::move(*control);
}

}  // namespace

struct Linker::State {
  JitHost host;
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib* process = nullptr;
  std::atomic<uint64_t> next_code{0};

  explicit State(const JitHost& of_host) : host(of_host), session(this_process()), layer(session) {
    session.setErrorReporter([](llvm::Error problem) {
      const std::string text = text_of(std::move(problem));
      if (link_log && !text.empty()) *link_log += text + '\n';
    });
    define_process();
  }
  ~State() { llvm::consumeError(session.endSession()); }
  void define_process();
};

// What kernels of a user's own text may call beyond that.
void allow_mathematics(const auto& allow) {
#define WEFT_1(name)                                      \
  allow(#name, static_cast<double (*)(double)>(&::name)), \
      allow(#name "f", static_cast<float (*)(float)>(&::name##f))
#define WEFT_2(name)                                              \
  allow(#name, static_cast<double (*)(double, double)>(&::name)), \
      allow(#name "f", static_cast<float (*)(float, float)>(&::name##f))
  WEFT_1(acos);
  WEFT_1(acosh);
  WEFT_1(asin);
  WEFT_1(asinh);
  WEFT_1(atan);
  WEFT_1(atanh);
  WEFT_1(cbrt);
  WEFT_1(ceil);
  WEFT_1(cos);
  WEFT_1(cosh);
  WEFT_1(erf);
  WEFT_1(erfc);
  WEFT_1(exp);
  WEFT_1(exp2);
  WEFT_1(expm1);
  WEFT_1(fabs);
  WEFT_1(floor);
  WEFT_1(lgamma);
  WEFT_1(log);
  WEFT_1(log10);
  WEFT_1(log1p);
  WEFT_1(log2);
  WEFT_1(rint);
  WEFT_1(round);
  WEFT_1(sin);
  WEFT_1(sinh);
  WEFT_1(sqrt);
  WEFT_1(nearbyint);
  WEFT_1(tan);
  WEFT_1(tanh);
  WEFT_1(tgamma);
  WEFT_1(trunc);
  WEFT_2(atan2);
  WEFT_2(copysign);
  WEFT_2(fdim);
  WEFT_2(fmax);
  WEFT_2(fmin);
  WEFT_2(fmod);
  WEFT_2(hypot);
  WEFT_2(pow);
  WEFT_2(remainder);
  WEFT_2(nextafter);
#undef WEFT_1
#undef WEFT_2
  allow("frexp", static_cast<double (*)(double, int*)>(&::frexp));
  allow("modf", static_cast<double (*)(double, double*)>(&::modf));
  allow("logb", static_cast<double (*)(double)>(&::logb));
  allow("ilogb", static_cast<int (*)(double)>(&::ilogb));
  // What LLVM makes of two functions, or of one with a constant.
  allow("sincos", static_cast<void (*)(double, double*, double*)>(&::sincos));
  allow("sincosf", static_cast<void (*)(float, float*, float*)>(&::sincosf));
  allow("exp10", static_cast<double (*)(double)>(&::exp10));
  allow("exp10f", static_cast<float (*)(float)>(&::exp10f));
  allow("ldexp", static_cast<double (*)(double, int)>(&::ldexp));
  allow("ldexpf", static_cast<float (*)(float, int)>(&::ldexpf));
  allow("abs", static_cast<int (*)(int)>(&std::abs));
  allow("labs", static_cast<long (*)(long)>(&std::labs));
  allow("__divti3", &divide);
  allow("__modti3", &rest);
  allow("__udivti3", &divide_unsigned);
  allow("__umodti3", &rest_unsigned);
  allow("__floattidf", &to_double);
  allow("__floatuntidf", &unsigned_to_double);
}

// What kernels may call of this process.
void Linker::State::define_process() {
  process = &session.createBareJITDylib("process");
  orc::SymbolMap allowed;
  auto allow = [&](const char* name, auto* function) {
    allowed[session.intern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  allow("memcpy", static_cast<void* (*)(void*, const void*, size_t)>(&std::memcpy));
  allow("memmove", static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove));
  allow("weft_walk_3", host.walk);
  allow("weft_leave_rest", host.leave_rest);
  allow("weft_run_checked", host.run_checked);
  allow("weft_checked_address", host.checked_address);
  allow("weft_checked_move", host.checked_move);
  allow("weft_checked_fill", host.checked_fill);
  allow("memset", static_cast<void* (*)(void*, int, size_t)>(&std::memset));
  // What processors without the instruction call: AVX2's machines have fma, those before may not.
  allow("fma", static_cast<double (*)(double, double, double)>(&::fma));
  allow("fmaf", &::fmaf);
  allow_mathematics(allow);
  allow("__cxa_pure_virtual", &abi::__cxa_pure_virtual);  // of classes of a user's text
  allow("__extendhfsf2", &extend_half);
  allow("__truncsfhf2", &truncate_to_half);
  allow("__truncdfhf2", &truncate_double_to_half);
  allow("__truncsfbf2", &truncate_to_bfloat);
  if (llvm::Error problem = process->define(orc::absoluteSymbols(std::move(allowed))))
    throw InternalError("clang_jit: " + llvm::toString(std::move(problem)));
}

Linker::Linker(const JitHost& host) : state_(std::make_shared<State>(host)) {}
Linker::~Linker() = default;

std::shared_ptr<JitCode> Linker::load(std::string_view object, std::span<const std::string> symbols) {
  State& state = *state_;
  std::string log;
  auto refuse = [&](llvm::Error problem) -> std::exception_ptr {
    const std::string text = text_of(std::move(problem));
    // LLVM hands the system's refusal on as text.
    if ((log + text).find(std::generic_category().message(ENOMEM)) != std::string::npos)
      return std::make_exception_ptr(OutOfMemory("clang_jit: no memory for the code of " +
                                                 (symbols.empty() ? "?" : symbols.front()) +
                                                 ": the system refuses " + state.host.refused_mapping()));
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

}  // namespace weft::runtime
