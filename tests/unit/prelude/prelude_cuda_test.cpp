// NVRTC takes every function of the CUDA prelude; needs the library but no GPU.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "compiler/emit/prelude/prelude.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/shared_library.h"

namespace weft {
namespace {

TEST(PreludeCuda, EveryFunctionCompiles) {
  // Beside this program, wherever that was copied to.
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "prelude.cu";
  std::ifstream in(path);
  if (!in) GTEST_SKIP() << "no source to compile: " << path;
  std::stringstream source;
  source << in.rdbuf();
  size_t kernels = 0;
  for (size_t at = source.str().find("__global__"); at != std::string::npos;
       at = source.str().find("__global__", at + 1))
    ++kernels;
  ASSERT_GT(kernels, emit::prelude_names(emit::PreludeTarget::Cuda).size() - 10);
  std::string reason;
  auto nvrtc = runtime::cuda::Nvrtc::open(runtime::cuda::SharedLibrary::default_directories(), reason);
  if (!nvrtc) GTEST_SKIP() << kernels << " CUDA prelude functions were not compiled: " << reason;
  std::string ptx = nvrtc->ptx(source.str(), "prelude", "sm_90");
  for (const std::string& name : emit::prelude_names(emit::PreludeTarget::Cuda)) {
    if (source.str().find("call_" + name + "(") == std::string::npos) continue;
    EXPECT_NE(ptx.find("call_" + name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace weft
