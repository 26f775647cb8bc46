// `weft explain`: which ops became which kernel, and for each edge why it was fused or not.
#include <fmt/format.h>

#include "compiler/compile.h"
#include "compiler/lift.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/machine.h"
#include "runtime/choices.h"

namespace weft::cli {
namespace {

struct Flags {
  std::string file;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

void run(const Flags& flags) {
  GraphFile file = read_graph(flags.file);
  std::vector<Scalar> lifted;
  runtime::Counters counters;
  Machine machine = describe_machine(flags.device, counters);
  runtime::Choices choices(open_cache(flags.device), machine.architecture);
  Options options = compile_options(flags.compile);
  options.choose = [&](const KernelKey& key) { return choices.find(key); };
  Program program = compile(lift_constants(file.graph, lifted), machine.target, options);
  fmt::print("{}", program.explanation);
}

}  // namespace

void add_explain(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("explain", "Which ops became which kernel, and why");
  command->footer("Examples:\n  weft explain softmax.weft\n  weft explain softmax.weft --device cuda");
  command->add_option("FILE", flags->file, "A .weft file, or - for the standard input")->required();
  add_device_options(*command, flags->device, false);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
