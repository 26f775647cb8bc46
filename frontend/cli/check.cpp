// `weft check`: whether a graph's results are right, and the first op that is not.
#include <fmt/format.h>

#include "compiler/base/error.h"
#include "frontend/cli/arrays.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/loaded_graph.h"
#include "frontend/cli/machine.h"
#include "frontend/cpp/inspect/verify_graph.h"

namespace weft::cli {
namespace {

struct CheckFlags {
  std::string file;
  InputFlags inputs;
  bool json = false;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

void check(const CheckFlags& flags) {
  const GraphFile file = read_graph(flags.file);
  const std::vector<ir::HostTensor> inputs = gather_inputs(file.graph, flags.inputs);
  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(flags.device);
  const std::shared_ptr<runtime::Device> device = open_device(flags.device, cache, counters);
  runtime::Choices choices(cache, device->info().architecture);
  const auto run = [&](const ir::Graph& graph, bool fuse) {
    Options options = compile_options(flags.compile);
    options.fuse = options.fuse && fuse;
    const Target target = target_of(device->info(), flags.device);
    return LoadedGraph(graph, inputs, target, options, device, counters, choices).run();
  };
  const detail::VerifiedGraph verified = detail::verify_graph(file.graph, inputs, file.outputs, run);
  fmt::print("{}{}", flags.json ? json_of(verified) : text_of(verified), flags.json ? "\n" : "");
  if (!verified.agrees())
    throw InternalError("check: the results are not those of the reference interpreter");
}

}  // namespace

void add_check(CLI::App& app) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command =
      app.add_subcommand("check", "Whether the results are right, and the first op that is not");
  command->footer(R"(Examples:
  weft check softmax.weft --random 1
  weft check axpy.weft --in x=x.npy --in y=y.npy --in alpha=0.5 --device cuda
  weft check softmax.weft --random 1 --json

The graph is computed as fused kernels and op by op, and compared with the reference interpreter.)");
  command->add_option("FILE", flags->file, "A .weft file, or - for the standard input")->required();
  add_input_options(*command, flags->inputs);
  command->add_flag("--json", flags->json, "Print it as JSON: docs/seeing_inside.md has the schema");
  add_device_options(*command, flags->device, true);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { check(*flags); });
}

}  // namespace weft::cli
