#include "frontend/cli/graph_case.h"

#include "frontend/cli/loaded_graph.h"

namespace weft::cli {

void add_case_options(CLI::App& command, CaseFlags& flags) {
  add_graph_path(command, flags.path, "A .weft file, the folder of a dump");
  add_input_options(command, flags.inputs);
  add_device_options(command, flags.device, true);
  add_compile_options(command, flags.compile);
}

GraphCase::GraphCase(const CaseFlags& flags)
    : GraphCase(flags, detail::is_dump(flags.path.file) ? std::optional(detail::read_dump(flags.path.file))
                                                        : std::nullopt) {}

GraphCase::GraphCase(const CaseFlags& flags, const std::optional<detail::GraphDump>& dump)
    : choice_(flags.device),
      file_(dump ? graph_of(*dump) : read_graph(flags.path)),
      inputs_(dump && detail::has_data(*dump) && flags.inputs.in.empty() && !flags.inputs.seed
                  ? dump->inputs
                  : gather_inputs(file_.graph, flags.inputs)),
      cache_(open_cache(flags.device)),
      device_(open_device(flags.device, cache_, counters_)),
      target_(target_of(device_->info(), flags.device)),
      options_(compile_options(flags.compile)),
      choices_(cache_, device_->info().architecture) {
  if (dump && !flags.compile.numerics_given) options_.numerics = dump->numerics;
}

std::vector<ir::HostTensor> GraphCase::run(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                           const Options& options) const {
  return LoadedGraph(graph, inputs, target_, options, device_, counters_, choices_).run();
}

std::vector<ir::HostTensor> GraphCase::run_on(const std::string& device) const {
  DeviceChoice choice;  // what is fixed of the case's device is not of this one
  choice.name = device;
  choice.cache_directory = choice_.cache_directory;
  choice.cache_limit = choice_.cache_limit;
  const std::shared_ptr<runtime::Device> other = open_device(choice, cache_, counters_);
  runtime::Choices choices(cache_, other->info().architecture);
  return LoadedGraph(file_.graph, inputs_, target_of(other->info(), choice), options_, other, counters_,
                     choices)
      .run();
}

std::vector<ir::HostTensor> GraphCase::run_as_it_is(const ir::Graph& graph,
                                                    std::span<const ir::HostTensor> inputs,
                                                    const Options& options, bool prepared) const {
  const runtime::CompileProgram made = [&](const Choose& choose) {
    Options with = options;
    with.choose = choose;
    return prepared ? compile_prepared(graph, target_, with) : compile(graph, target_, with);
  };
  return LoadedGraph(graph, inputs, made, device_, counters_, choices_).run();
}

}  // namespace weft::cli
