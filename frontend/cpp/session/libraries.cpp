// Which libraries of others compile and compute: those that Weft was built with, and those that it opens.
#include <fmt/format.h>
#include <tbb/version.h>

#include <memory>

#include "compiler/base/error.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/cpu/clang_jit.h"
#include "runtime/cpu/onednn.h"
#include "runtime/cpu/openblas.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"

namespace weft {
namespace {

std::string of_compiler() {
  const std::string version = runtime::compiler_version();
  return version.empty() ? "none: this library compiles no kernels for the CPU" : version;
}

std::string of_openblas() {
  try {
    const runtime::OpenBlas& found = runtime::openblas();
    return found.get_config ? found.get_config() : "of an unknown version";
  } catch (const Error& error) {
    return std::string("none: ") + error.what();
  }
}

std::string of_onednn() {
  const runtime::OneDnn* found = runtime::onednn();
  if (!found)
    return "none: no OpenMP build of libdnnl.so.3 or libdnnl.so.2 was found; OpenBLAS computes in its place";
  const int* numbers = found->version ? found->version() : nullptr;
  return numbers ? fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]) : "of an unknown version";
}

std::string of_nvrtc() {
  std::string reason;
  const std::unique_ptr<runtime::cuda::Nvrtc> found =
      runtime::cuda::Nvrtc::open(runtime::default_cuda_directories(), reason);
  return found ? found->version() : "none: " + reason;
}

}  // namespace

std::vector<UsedLibrary> Session::libraries() {
  return {{"Clang and LLVM", of_compiler()},
          {"oneTBB", TBB_runtime_version()},
          {"OpenBLAS", of_openblas()},
          {"oneDNN", of_onednn()},
          {"NVRTC", of_nvrtc()}};
}

}  // namespace weft
