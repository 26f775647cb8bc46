// NVRTC: CUDA C++ source to machine code, in process. Works on machines without a GPU.
// Safe from any number of threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cuda/nvrtc_api.h"

namespace weft::runtime::cuda {

class Nvrtc {
 public:
  // The newest NVRTC no newer than CUDA `newest_major` (a driver cannot load what a later major version
  // made). Null when there is none; then `reason` says where it was looked for.
  static std::unique_ptr<Nvrtc> open(const std::vector<std::string>& directories, std::string& reason,
                                     int newest_major = 13);

  // The cubin of `source` for `architecture` ("sm_90"); `name` is what the log calls the source. Throws
  // CompileError with NVRTC's log. Warnings of what compiles go to `log`, if it is given.
  std::string compile(const std::string& source, const std::string& name, const std::string& architecture,
                      std::string* log = nullptr) const;
  // The same as PTX, for people to read, with directives that say the line of the source.
  std::string ptx(const std::string& source, const std::string& name, const std::string& architecture) const;

  // "13.0"
  const std::string& version() const { return version_; }
  // What compiled code depends on besides its source: compiler, options and architecture.
  std::string toolchain(const std::string& architecture) const;

 private:
  Nvrtc() = default;
  // `extra`: one more option.
  NvrtcProgram build(const std::string& source, const std::string& name, const std::string& architecture,
                     std::string* log = nullptr, const char* extra = nullptr) const;
  std::string log_of(NvrtcProgram program) const;
  using SizeOf = NvrtcResult (*)(NvrtcProgram, size_t*);
  using Get = NvrtcResult (*)(NvrtcProgram, char*);
  // What a program was compiled to; the program is gone then.
  std::pair<NvrtcResult, std::string> take(NvrtcProgram program, SizeOf size_of, Get get) const;

  NvrtcApi api_;
  std::string version_;
  // How many of kSpeedOptions this version takes; learned from the first refusal.
  mutable std::atomic<int> speed_options_;
  mutable std::once_flag first_compilation_;
};

// How toolchain() begins; it ends with the architecture. Finds usable cache entries where there is no NVRTC.
inline constexpr const char* kNvrtcToolchainPrefix = "nvrtc-";

}  // namespace weft::runtime::cuda
