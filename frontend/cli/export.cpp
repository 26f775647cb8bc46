// `weft export`: graphs compiled ahead, as files that C and C++ link.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "compiler/base/error.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/export/export_texts.h"
#include "frontend/cpp/export/write_export.h"

namespace weft::cli {
namespace {

struct Flags {
  std::vector<std::string> files, with;
  std::string name, folder = ".", processor;
  bool json = false;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

detail::ToExport to_export(const std::string& path, const std::vector<std::string>& with) {
  detail::ToExport out{read_graph({path, with}).graph, {}, {}};
  std::vector<std::string> names;
  names.reserve(out.graph.inputs.size());
  for (const ir::NodeRef& in : out.graph.inputs)
    names.push_back(in->op == ir::Op::input ? in->as<ir::InputAttr>().name : in->as<ir::ScalarAttr>().name);
  names = detail::parameter_names(std::move(names));  // in a graph's text "a.b" and "new" are names
  int number = 0;
  for (const ir::NodeRef& in : out.graph.inputs) {
    const bool array = in->op == ir::Op::input;
    if (array && !in->as<ir::InputAttr>().strides.empty())
      throw Error(fmt::format("export: takes arrays without gaps: input '{}' of {} has strides",
                              in->as<ir::InputAttr>().name, path));
    out.exported.arguments.push_back({names[static_cast<size_t>(number)], in->type.dtype, in->type.shape});
    if (array)
      out.exported.inputs.push_back({number, -1});
    else
      out.exported.scalars.push_back({number, {}});
    ++number;
  }
  return out;
}

void run(const Flags& flags) {
  std::vector<detail::ToExport> programs;
  programs.reserve(flags.files.size());
  for (const std::string& file : flags.files) programs.push_back(to_export(file, flags.with));
  if (flags.name.empty() && flags.files[0] == "-")
    throw Error("export: a graph from the standard input needs a --name");
  const std::string name =
      flags.name.empty() ? detail::parameter_names({std::filesystem::path(flags.files[0]).stem().string()})[0]
                         : flags.name;
  runtime::Counters counters;
  const bool for_gpu = kind_of(flags.device.name) == TargetKind::Cuda;
  const Machine machine = describe_machine(flags.device, counters, for_gpu ? flags.processor : "");
  const std::string& processor = for_gpu ? machine.architecture : flags.processor;
  detail::write_export(flags.folder, name, programs, machine.target, compile_options(flags.compile),
                       processor);
  const std::filesystem::path folder(flags.folder);
  const std::string header = (folder / (name + ".h")).string();
  const std::string archive = (folder / ("lib" + name + ".a")).string();
  if (flags.json)
    return print_json("weft.export", {{"function", name}, {"header", header}, {"archive", archive}});
  fmt::print("wrote {} and {}\n", header, archive);
}

}  // namespace

void add_export(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("export", "Graphs compiled ahead, for C and C++ programs without a compiler");
  command->footer(
      fmt::format("Examples:\n  weft export blur.weft --folder blur\n"
                  "  cc main.c -Iblur blur/libblur.a -lweft_runtime\n"
                  "  weft export small.weft large.weft --name blur --processor x86-64-v3\n"
                  "  weft export blur.weft --device cuda --processor sm_89\n\n"
                  "--device cuda makes kernels for the GPU of this machine, or without one for an H100.\n"
                  "With --processor it makes them for a GPU of that architecture: {}.",
                  architectures_without_a_gpu()));
  command
      ->add_option("FILE", flags->files,
                   "A .weft file, or - for the standard input; several: one for each set of shapes")
      ->required();
  add_definitions(*command, flags->with);
  command->add_option("--name", flags->name,
                      "What the function is called in C; the first file's name unless told");
  command->add_option("--folder", flags->folder, "Where NAME.h and libNAME.a are written; here unless told");
  command->add_option("--processor", flags->processor,
                      "The oldest processors to run on: x86-64-v2, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512); "
                      "for a GPU its architecture, such as sm_90; as this one unless told");
  add_device_options(*command, flags->device, false);
  add_json_flag(*command, flags->json);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
