// `weft reduce`: a small graph that goes wrong as a large one does.
#include <fmt/format.h>

#include <span>
#include <string>

#include "compiler/ir/text/print.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_case.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/inspect/dump_graph.h"
#include "frontend/cpp/inspect/reduce_graph.h"

namespace weft::cli {
namespace {

struct ReduceFlags {
  CaseFlags what;
  std::string out;
  bool json = false;
};

void reduce(const ReduceFlags& flags) {
  const GraphCase what(flags.what);
  const auto run = [&](const ir::Graph& graph, std::span<const ir::HostTensor> inputs) {
    return what.run(graph, inputs, what.options());
  };
  const auto problem = [&](const ir::Graph& graph, std::span<const ir::HostTensor> inputs) {
    return detail::problem_beside_interpreter(graph, inputs, run);
  };
  const detail::ReducedGraph small = detail::reduce_graph(what.file().graph, what.inputs(), problem);
  if (!flags.out.empty()) {
    detail::GraphDump dump;
    dump.graph = small.graph;
    dump.inputs = small.inputs;
    dump.numerics = what.options().numerics;
    detail::write_dump(flags.out, dump);
  }
  const std::string text = ir::print(small.graph);
  if (flags.json) {
    print_json(
        "weft.reduce",
        {{"ops_before", small.ops_before}, {"ops", small.ops}, {"text", small.problem}, {"graph", text}});
  } else {
    fmt::print("# {} of {} ops left: {}\n{}", small.ops, small.ops_before,
               small.problem.substr(0, small.problem.find('\n')), text);
  }
}

}  // namespace

void add_reduce(CLI::App& app) {
  auto flags = std::make_shared<ReduceFlags>();
  CLI::App* command = app.add_subcommand("reduce", "A small graph that goes wrong as this one does");
  command->footer(R"(Examples:
  weft reduce large.weft --random 1
  weft reduce large.weft --in x=x.npy --out small
  weft replay small

Ops are taken away as long as the results are not those of the reference interpreter. An input in the place of
an op has its value, which the folder of --out keeps.)");
  add_case_options(*command, flags->what);
  command->add_option("--out", flags->out, "A new folder for the small graph and its data")->type_name("DIR");
  add_json_flag(*command, flags->json);
  command->callback([flags] { reduce(*flags); });
}

}  // namespace weft::cli
