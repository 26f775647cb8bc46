// Graphs as text: what the parser takes prints as text that means the same, and both compilers take it.
#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/ir/verify.h"
#include "tests/campaigns/fuzz/target.h"
#include "tests/support/targets.h"

namespace weft::test {

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds = files_ending_in("tests/golden", ".weft");
  for (const char* folder : {"docs/examples", "tests/error/parse"})
    for (auto& text : files_ending_in(folder, ".weft")) seeds.push_back(text);
  seeds.emplace_back(
      R"(kernel fourier_f32(f32[2, 6, 3] x) -> (c64[2, 4, 3] r), range=2, library=[2, 6, 3, 1, 4607182418800017408]

graph {
  %x = input : f32[2, 6, 3]
  %r = kernel %x, function=fourier_f32, result=0 : c64[2, 4, 3]
  return %r
})");
  seeds.emplace_back(
      R"(kernel svd_f64(f64[2, 4, 3] x) -> (f64[2, 4, 3] u, f64[2, 3] s, f64[2, 3, 3] vh, i64[2] info), range=2, library=[0, 4, 3, 0]

graph {
  %x = input : f64[2, 4, 3]
  %r = kernel %x, function=svd_f64, result=1 : f64[2, 3]
  return %r
})");
  return seeds;
}

// A call of the library that the parser let pass stays inside its arrays: the interpreter makes it, on zeros.
void call_library(const ir::Graph& graph) {
  double bytes = 0;
  bool is_called = false;
  for (const ir::Node* node : ir::topological_order(graph.outputs)) {
    bytes += static_cast<double>(element_count(node->type.shape)) * size_of(node->type.dtype);
    if (ir::is_user_kernel(*node)) {
      if (!ir::user_kernel_of(*node)->library) return;
      is_called = true;
    }
    if (bytes > 1e6 || ir::is_loop(*node)) return;
  }
  if (!is_called) return;
  std::vector<ir::HostTensor> inputs;
  for (const auto& input : graph.inputs) inputs.push_back(ir::zeros(input->type, "an input"));
  ir::interpret(graph, inputs);
}

}  // namespace weft::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft;
  ir::Graph graph;
  try {
    graph = ir::parse({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  ir::verify(graph, "parsing");
  const std::string text = ir::print(graph);
  if (ir::print(ir::parse(text)) != text) test::fault("the text of this graph reads as another:\n" + text);
  test::call_library(graph);
  for (const Target& target : {test::cpu(), test::h200()}) {
    try {
      compile(graph, target);
    } catch (const Error&) {
      // Arrays that no machine has room for.
    }
  }
  return 0;
}
