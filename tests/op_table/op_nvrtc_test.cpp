// The same graphs as on the devices, compiled for a large GPU and given to NVRTC: CUDA that does not compile
// is found where there is no GPU, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/shared_library.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

using runtime::cuda::Nvrtc;

class EveryGraphForCuda : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    std::string reason;
    nvrtc_ = Nvrtc::open(runtime::cuda::SharedLibrary::default_directories(), reason);
    if (!nvrtc_) GTEST_SKIP() << reason;
  }

  void expect_compiles(const ir::Graph& graph, const std::string& what) {
    const Target h200{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};
    const Program program = compile(graph, h200);
    for (const KernelSource& kernel : program.kernels) {
      try {
        EXPECT_FALSE(nvrtc_->ptx(kernel.text, kernel.name, "sm_90").empty());
      } catch (const CompileError& e) {
        ADD_FAILURE() << what << " of " << name(GetParam()) << ": " << e.log();
      }
    }
  }

  std::unique_ptr<Nvrtc> nvrtc_;
};

TEST_P(EveryGraphForCuda, IsTakenByNvrtc) {
  const DType t = GetParam();
  expect_compiles(map_graph(t, Layout::Sliced, {13, 37}).graph, "maps");
  expect_compiles(cast_graph(t, {1000}), "casts");
  expect_compiles(reduce_graph(t, {5, 259}), "reductions");
  expect_compiles(view_graph(t), "views");
  expect_compiles(index_graph(t, false), "indexed access");
  if (accepts(ir::Op::scatter_add, t)) expect_compiles(index_graph(t, true), "sums at indices");
  if (accepts(ir::Op::dot, t)) expect_compiles(dot_graph(t), "matrix products");
}

INSTANTIATE_TEST_SUITE_P(, EveryGraphForCuda, testing::ValuesIn(all_dtypes()),
                         [](auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace weft::test
