// Graphs as text: what the parser takes prints as text that means the same, and both compilers take it.
#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "tests/campaigns/fuzz/target.h"
#include "tests/support/targets.h"

namespace weft::test {

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds = files_ending_in("tests/golden", ".weft");
  for (const char* folder : {"docs/examples", "tests/error/parse"})
    for (auto& text : files_ending_in(folder, ".weft")) seeds.push_back(text);
  return seeds;
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
  for (const Target& target : {test::cpu(), test::h200()}) {
    try {
      compile(graph, target);
    } catch (const Error&) {
      // Arrays that no machine has room for.
    }
  }
  return 0;
}
