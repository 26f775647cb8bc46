#include "tests/support/cuda_kernels.h"

#include <gtest/gtest.h>

#include <functional>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/print.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/shared_library.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/emulated_device.h"

namespace weft::test {

namespace {

void each_kernel(const Program& program, const std::function<void(const KernelSource&)>& f) {
  for (const KernelSource& kernel : program.kernels) f(kernel);
  for (const ProgramStep& step : program.steps)
    if (const auto* l = std::get_if<LoopStep>(&step))
      for (const LoopProgram::Body& body : l->loop->bodies) each_kernel(body.program, f);
}

}  // namespace

void expect_taken_by_nvrtc(std::span<const ir::Graph> graphs, const Target& target) {
  std::string reason;
  const auto nvrtc = runtime::cuda::Nvrtc::open(runtime::cuda::SharedLibrary::default_directories(), reason);
  if (!nvrtc) GTEST_SKIP() << reason;
  for (const ir::Graph& graph : graphs) {
    each_kernel(compile(graph, target), [&](const KernelSource& kernel) {
      try {
        EXPECT_FALSE(nvrtc->ptx(kernel.text, kernel.name, "sm_90").empty());
      } catch (const CompileError& e) {
        ADD_FAILURE() << e.log() << ir::print(graph);
      }
    });
  }
}

void expect_emulated_to_agree(std::span<const ir::Graph> graphs, const Target& target) {
  std::vector<Program> programs;
  programs.reserve(graphs.size());
  for (const ir::Graph& graph : graphs) programs.push_back(compile(graph, target));
  runtime::Counters counters;
  Backend emulated{std::make_unique<runtime::Counters>(), make_emulated_device(programs, counters), target};
  ASSERT_TRUE(emulated.device);
  for (const ir::Graph& graph : graphs)
    EXPECT_EQ(check(on(emulated), graph, 3, false), "") << ir::print(graph);
}

}  // namespace weft::test
