// Gradients, and their own, as kernels: of this processor, and of CUDA, which the host runs and NVRTC takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/compile.h"
#include "compiler/derive/derive.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/support/cuda_kernels.h"
#include "tests/support/golden.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::NodeRef;

const Target kGpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};

// The gradients that stand as text, and the gradients of the sums of their squares.
std::vector<Graph> gradients() {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(golden_path("derive")))
    files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  std::vector<Graph> graphs;
  for (const std::string& file : files) {
    const std::string text = read_text(file), mark = "# the gradient\n";
    graphs.push_back(ir::parse(text.substr(text.find(mark) + mark.size()), file));
    const Graph& first = graphs.back();
    std::vector<NodeRef> wrt;
    for (const NodeRef& in : first.inputs)
      if (derive::has_tangents(in->dtype())) wrt.push_back(in);
    std::vector<NodeRef> twice;
    for (const NodeRef& output : first.outputs)
      twice.push_back(ir::map(ir::Op::multiply, {output, ir::constant(output->type, Scalar::of(2.0))}));
    Graph second{first.inputs, derive::vjp(first.outputs, wrt, twice)};
    graphs.push_back(std::move(second));
  }
  return graphs;
}

TEST(DerivedKernels, GiveWhatTheInterpreterGives) {
  const std::vector<Graph> all = gradients();
  ASSERT_GT(all.size(), 40u);
  for (const std::string& name : backend_names())
    for (const Graph& graph : all)
      EXPECT_EQ(check(on(backend(name)), graph, 3, false), "") << name << ": " << ir::print(graph);
}

TEST(DerivedKernels, OfCudaGiveItOnTheHost) { expect_emulated_to_agree(gradients(), kGpu); }

TEST(DerivedKernels, OfCudaAreTakenByNvrtc) { expect_taken_by_nvrtc(gradients(), kGpu); }

}  // namespace
}  // namespace weft::test
