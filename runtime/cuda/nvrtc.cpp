#include "runtime/cuda/nvrtc.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

#include "compiler/base/error.h"
#include "runtime/cuda/shared_library.h"

namespace weft::runtime::cuda {

namespace {

// Options that only save compile time, newest last: a version that refuses one is asked again without it.
constexpr const char* kSpeedOptions[] = {"-minimal", "--no-cache"};
constexpr int kSpeedOptionCount = 2;
constexpr const char* kOptions[] = {"-default-device", "--std=c++17"};

// NVRTC gives back what a compilation took and asks for as much again with the next. malloc returns it to the
// system in between, and page faults are a tenth of the time, unless its thresholds have risen. This raises
// them to the highest that malloc takes by itself, as in any program that once freed an array of this size;
// what the user has set stays. The memory is never touched.
void keep_freed_memory() {
  constexpr size_t kHighestThreshold = size_t{32} << 20, kHeader = size_t{64} << 10;
  // Volatile, since compilers leave out pairs of malloc and free.
  void* volatile block = std::malloc(kHighestThreshold - kHeader);
  std::free(block);
}

// The first compilation of a process takes SIGINT, unless it is ignored, and ends the process when one comes;
// no later one does. So the first is of a text that ends at once, with SIGINT ignored. One that comes
// meanwhile waits if this is the main thread, which holds it back.
void leave_interrupts_alone(const NvrtcApi& api) {
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  struct sigaction ignored{}, handler{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignored, &handler);
  NvrtcProgram program = nullptr;
  if (api.nvrtcCreateProgram(&program, "#error", "first.cu", 0, nullptr, nullptr) == kNvrtcSuccess) {
    api.nvrtcCompileProgram(program, 0, nullptr);
    api.nvrtcDestroyProgram(&program);
  }
  sigaction(SIGINT, &handler, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

std::unique_ptr<Nvrtc> Nvrtc::open(const std::vector<std::string>& directories, std::string& reason,
                                   int newest_major) {
  std::vector<std::string> names;
  for (int major = newest_major; major >= 12; --major) names.push_back(fmt::format("libnvrtc.so.{}", major));
  auto library = SharedLibrary::open(names, directories, reason);
  if (!library) {
    reason = fmt::format("no NVRTC (CUDA {} or 12): {}", newest_major, reason);
    return nullptr;
  }
  std::unique_ptr<Nvrtc> nvrtc(new Nvrtc);
#define WEFT_X(function, type, parameters)                                                 \
  nvrtc->api_.function = reinterpret_cast<type(*) parameters>(library->symbol(#function)); \
  if (!nvrtc->api_.function) {                                                             \
    reason = fmt::format("{} has no {}", library->path(), #function);                      \
    return nullptr;                                                                        \
  }
  WEFT_NVRTC_FUNCTIONS(WEFT_X)
#undef WEFT_X
  int major = 0, minor = 0;
  if (NvrtcResult result = nvrtc->api_.nvrtcVersion(&major, &minor); result != kNvrtcSuccess) {
    reason = fmt::format("{} does not tell its version: {}", library->path(),
                         nvrtc->api_.nvrtcGetErrorString(result));
    return nullptr;
  }
  nvrtc->version_ = fmt::format("{}.{}", major, minor);
  nvrtc->speed_options_ = kSpeedOptionCount;
  keep_freed_memory();
  return nvrtc;
}

std::string Nvrtc::toolchain(const std::string& architecture) const {
  return fmt::format("{}{} {} {}", kNvrtcToolchainPrefix, version_, fmt::join(kOptions, " "), architecture);
}

std::string Nvrtc::log_of(NvrtcProgram program) const {
  std::string log;
  size_t bytes = 0;
  if (api_.nvrtcGetProgramLogSize(program, &bytes) != kNvrtcSuccess || bytes <= 1) return log;
  log.resize(bytes);
  if (api_.nvrtcGetProgramLog(program, log.data()) == kNvrtcSuccess) log.resize(bytes - 1);
  return log;
}

NvrtcProgram Nvrtc::build(const std::string& source, const std::string& name, const std::string& architecture,
                          std::string* log, const char* extra) const {
  std::call_once(first_compilation_, [this] { leave_interrupts_alone(api_); });
  const std::string target = "--gpu-architecture=" + architecture;
  for (int speed = speed_options_; speed >= 0; --speed) {
    std::vector<const char*> options{target.c_str()};
    options.insert(options.end(), std::begin(kOptions), std::end(kOptions));
    options.insert(options.end(), kSpeedOptions, kSpeedOptions + speed);
    if (extra) options.push_back(extra);

    // A program that was compiled once, even without success, cannot be compiled again.
    NvrtcProgram program = nullptr;
    NvrtcResult result =
        api_.nvrtcCreateProgram(&program, source.c_str(), (name + ".cu").c_str(), 0, nullptr, nullptr);
    if (result != kNvrtcSuccess)
      throw InternalError(
          fmt::format("nvrtc: cannot take the source of {}: {}", name, api_.nvrtcGetErrorString(result)));
    result = api_.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    if (result == kNvrtcSuccess) {
      speed_options_ = speed;
      if (log) *log = log_of(program);
      return program;
    }
    const std::string errors = log_of(program);
    api_.nvrtcDestroyProgram(&program);
    if (result == kNvrtcInvalidOption && speed > 0) continue;
    throw CompileError(fmt::format("nvrtc {}: {} for {}: {}", version_, name, architecture,
                                   api_.nvrtcGetErrorString(result)),
                       errors, source);
  }
  throw InternalError("nvrtc: no set of options was tried");
}

std::pair<NvrtcResult, std::string> Nvrtc::take(NvrtcProgram program, SizeOf size_of, Get get) const {
  size_t bytes = 0;
  std::string made;
  NvrtcResult result = size_of(program, &bytes);
  if (result == kNvrtcSuccess) {
    made.resize(bytes);
    result = get(program, made.data());
  }
  api_.nvrtcDestroyProgram(&program);
  return {result, std::move(made)};
}

std::string Nvrtc::compile(const std::string& source, const std::string& name,
                           const std::string& architecture, std::string* log) const {
  const auto [result, cubin] =
      take(build(source, name, architecture, log), api_.nvrtcGetCUBINSize, api_.nvrtcGetCUBIN);
  if (result != kNvrtcSuccess || cubin.empty())
    throw InternalError(fmt::format("nvrtc {}: no machine code of {} for {}: {}", version_, name,
                                    architecture, api_.nvrtcGetErrorString(result)));
  return cubin;
}

std::string Nvrtc::ptx(const std::string& source, const std::string& name,
                       const std::string& architecture) const {
  std::string virtual_architecture = architecture;
  if (virtual_architecture.starts_with("sm_")) virtual_architecture.replace(0, 3, "compute_");
  auto [result, text] = take(build(source, name, virtual_architecture, nullptr, "-lineinfo"),
                             api_.nvrtcGetPTXSize, api_.nvrtcGetPTX);
  if (result != kNvrtcSuccess)
    throw InternalError(
        fmt::format("nvrtc {}: no PTX of {}: {}", version_, name, api_.nvrtcGetErrorString(result)));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace weft::runtime::cuda
