// `weft bisect`: the pass, the op or the kernel that makes a graph's results wrong.
#include <fmt/format.h>

#include <span>
#include <vector>

#include "compiler/lift.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/exit_code.h"
#include "frontend/cli/graph_case.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/inspect/bisect_graph.h"

namespace weft::cli {
namespace {

struct BisectFlags {
  CaseFlags what;
  bool json = false;
};

void bisect(const BisectFlags& flags) {
  const GraphCase what(flags.what);
  std::vector<Scalar> lifted;
  const ir::Graph graph = lift_constants(what.file().graph, lifted);
  std::vector<ir::HostTensor> inputs = what.inputs();
  for (const Scalar& value : lifted) {
    inputs.push_back({{value.dtype, {}}, std::vector<std::byte>(size_of(value.dtype))});
    value.store(inputs.back().data.data());
  }
  const auto run = [&](const ir::Graph& asked, const Options& options, bool prepared) {
    return what.run_as_it_is(asked, inputs, options, prepared);
  };
  const detail::Bisected found =
      detail::bisect_graph(graph, inputs, what.file().outputs, what.target(), what.options(), run);
  fmt::print("{}{}", flags.json ? json_of(found) : text_of(found), flags.json ? "\n" : "");
  if (!found.agrees()) throw WrongResults("bisect: the results are not those of the reference interpreter");
}

}  // namespace

void add_bisect(CLI::App& app) {
  auto flags = std::make_shared<BisectFlags>();
  CLI::App* command = app.add_subcommand("bisect", "The pass, the op or the kernel that makes results wrong");
  command->footer(R"(Examples:
  weft bisect softmax.weft --random 1
  weft bisect axpy.weft --in x=x.npy --in y=y.npy --in alpha=0.5 --numerics fast
  weft bisect softmax.weft --random 1 --json

The interpreter computes the graph after each pass; then fewer and fewer ops share kernels.)");
  add_case_options(*command, flags->what);
  add_json_flag(*command, flags->json);
  command->callback([flags] { bisect(*flags); });
}

}  // namespace weft::cli
