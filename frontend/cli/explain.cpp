// `weft explain`: which ops became which kernel, and for each edge why it was fused or not.
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "compiler/lift.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/inspect/calibrated.h"
#include "frontend/cpp/inspect/colours.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/session/terminal.h"
#include "runtime/choices.h"

namespace weft::cli {
namespace {

struct Flags {
  GraphPath path;
  std::string detail = "all";
  bool json = false, plain = false;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

void print_text(const std::string& text, bool colours) {
  fmt::print("{}", colours ? detail::coloured(text) : text);
}

void run(const Flags& flags) {
  GraphFile file = read_graph(flags.path);
  std::vector<Scalar> lifted;
  runtime::Counters counters;
  Machine machine = describe_machine(flags.device, counters);
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(flags.device);
  runtime::Choices choices(cache, machine.architecture);
  Options options = compile_options(flags.compile);
  options.choose = [&](const KernelKey& key) { return choices.find(key); };
  const ExplainDetail much = explain_detail_named(flags.detail);
  const ir::Graph graph = lift_constants(file.graph, lifted);
  detail::ExplainedGraph explained =
      detail::explained_graph(graph, compile_explained(graph, machine.target, options));
  explained.device = flags.device.name;
  if (machine.device) explained.memory_speed = detail::memory_speed(machine.device, cache.get());
  if (machine.device) explained.facts = detail::facts_of(*machine.device, cache.get());
  if (machine.device && much == ExplainDetail::Compiled)
    explained.compiled_steps = detail::compiled_steps(explained.compiled.program, *machine.device);
  if (flags.json)
    fmt::print("{}\n", detail::json_of({std::move(explained)}));
  else
    print_text(detail::text_of(explained, much), !flags.plain && detail::takes_colours(STDOUT_FILENO));
}

}  // namespace

void add_explain(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("explain", "Which ops became which kernel, and why");
  command->footer(
      "Examples:\n  weft explain softmax.weft\n  weft explain softmax.weft --device cuda\n  weft explain "
      "softmax.weft --detail summary\n  weft explain softmax.weft --json");
  add_graph_path(*command, flags->path);
  command
      ->add_option("--detail", flags->detail,
                   "How much: summary, kernels, all (also each value) or compiled (also what compiling made "
                   "of kernels)")
      ->check(CLI::IsMember({"summary", "kernels", "all", "compiled"}))
      ->type_name("DETAIL")
      ->capture_default_str();
  add_json_flag(*command, flags->json);
  command->add_flag("--no-color", flags->plain, "No colours on a terminal, as NO_COLOR in the environment");
  add_device_options(*command, flags->device, false);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
