// `weft show`: the text of one stage of compiling, as the compiler's own dumps give it.
#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/draw.h"
#include "compiler/ir/text/dot_graph.h"
#include "compiler/ir/text/print.h"
#include "compiler/lift.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/machine.h"
#include "frontend/cpp/inspect/assembly_lines.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/picture.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"

namespace weft::cli {
namespace {

struct Flags {
  GraphPath path;
  std::string stage = "graph";
  bool dot = false, svg = false;
  bool drawn() const { return dot || svg; }
  DeviceChoice device = default_device_choice();
  bool device_given = false;
  CompileFlags compile;
};

// As in --device.
std::string_view name_of(TargetKind kind) { return kind == TargetKind::Cuda ? "cuda" : "cpu"; }

void print_drawing(const std::string& drawing, const Flags& flags) {
  fmt::print("{}", flags.svg ? detail::svg_of(drawing) : drawing);
}

void show_simplified(const ir::Graph& graph, const Target& target, Options options, const Flags& flags) {
  std::string text;
  options.dump = [&](std::string_view stage, std::string_view dump) {
    if (!is_pass(stage)) return;
    text += fmt::format("# after {}\n{}", stage, dump);
  };
  ir::Graph ready = prepare(graph, target, options);
  if (flags.drawn())
    print_drawing(ir::dot(ready), flags);
  else if (text.empty())
    fmt::print("# no pass changed the graph\n{}", print(ready));
  else
    fmt::print("{}", text);
}

// With the lines of the source, as compilers write them.
std::string assembly_of(const KernelSource& source, const Machine& machine) {
  if (machine.device) return machine.device->assembly(source);
  std::string reason;
  auto nvrtc = runtime::cuda::Nvrtc::open(runtime::default_cuda_directories(), reason);
  if (!nvrtc) throw Error(fmt::format("show: the ptx stage needs NVRTC: {}", reason));
  return nvrtc->ptx(source.text, source.name, machine.architecture);
}

// "dot" and "svg" are stages in Python and C++: the drawing of `fused`.
void take_drawing_as_stage(Flags& flags) {
  for (auto [name, flag] : {std::pair("dot", &flags.dot), std::pair("svg", &flags.svg)})
    if (flags.stage == name) flags.stage = "fused", *flag = true;
}

void run(Flags flags) {
  take_drawing_as_stage(flags);
  const Stage* stage = nullptr;
  for (auto& s : kStages)
    if (flags.stage == s.name) stage = &s;
  if (stage->target) {
    if (!flags.device_given) flags.device.name = name_of(*stage->target);
    if (kind_of(flags.device.name) != *stage->target)
      throw Error(fmt::format("show: stage {} is of the device {}, not of {}", stage->name,
                              name_of(*stage->target), flags.device.name));
  }
  const bool has_drawing = flags.stage == "graph" || flags.stage == "simplified" || flags.stage == "fused";
  if (flags.drawn() && !has_drawing)
    throw Error(fmt::format("show: --{} draws the stages graph, simplified and fused, not {}",
                            flags.svg ? "svg" : "dot", flags.stage));

  GraphFile file = read_graph(flags.path);
  if (flags.stage == "graph") {
    if (flags.drawn())
      print_drawing(ir::dot(file.graph), flags);
    else
      fmt::print("{}", ir::print(file.graph));
    return;
  }
  std::vector<Scalar> lifted;
  ir::Graph graph = lift_constants(file.graph, lifted);
  runtime::Counters counters;
  Machine machine = describe_machine(flags.device, counters);
  Options options = compile_options(flags.compile);
  machine.target.compiles = true;  // the text of kernels is asked for
  if (flags.stage == "simplified") return show_simplified(graph, machine.target, options, flags);
  if (flags.drawn()) {
    const double speed =
        machine.device ? detail::memory_speed(machine.device, open_cache(flags.device).get()) : 0;
    return print_drawing(draw_kernels(graph, machine.target, options, speed), flags);
  }
  if (stage->by_device) {
    for (auto& source : compile(graph, machine.target, options).kernels)
      if (!source.linked.entry) fmt::print("{}\n", detail::assembly_lines(assembly_of(source, machine)).text);
    return;
  }
  options.dump = [&](std::string_view name, std::string_view text) {
    if (name == flags.stage) fmt::print("{}\n", text);
  };
  compile(graph, machine.target, options);
}

}  // namespace

void add_show(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("show", "The text of one stage of compiling");
  command->footer(R"(Examples:
  weft show softmax.weft --stage cpp
  weft show softmax.weft --stage fused --svg > softmax.svg      (needs Graphviz)
  weft show softmax.weft --stage ptx            (needs NVRTC, no GPU)
  echo 'graph { %a = input : f32[9]
                return %a }' | weft show - --stage graph)");
  add_graph_path(*command, flags->path);
  std::vector<std::string> names;
  std::string listed;
  for (auto& s : kStages) {
    names.emplace_back(s.name);
    listed += (listed.empty()                ? ""
               : &s == std::end(kStages) - 1 ? " or "
                                             : ", ") +
              names.back() + (s.name == "simplified" ? " (after each pass)" : "");
  }
  std::vector<std::string> taken = names;
  taken.insert(taken.end(), {"dot", "svg"});
  command->add_option("--stage", flags->stage, listed + "; dot and svg are drawings of fused")
      ->check(CLI::IsMember(taken))
      ->type_name("STAGE")
      ->capture_default_str();
  CLI::Option* dot =
      command->add_flag("--dot", flags->dot, "As a drawing for Graphviz: graph, simplified, fused");
  command->add_flag("--svg", flags->svg, "The picture that Graphviz makes of the drawing")->excludes(dot);
  add_device_options(*command, flags->device, false);
  add_compile_options(*command, flags->compile);
  command->callback([flags, command] {
    flags->device_given = command->count("--device") > 0;
    run(*flags);
  });
}

}  // namespace weft::cli
