// `weft tune`: searches the schedules of a graph's kernels on a device and keeps what is faster.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "compiler/base/error.h"
#include "frontend/cli/arrays.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/loaded_graph.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cli/takes.h"
#include "runtime/tune.h"

namespace weft::cli {
namespace {

constexpr int kTimes = 15;

struct Flags {
  GraphPath path;
  InputFlags inputs{{}, 1};
  double seconds = 10;
  bool json = false;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

Json bias_json(const Bias& bias) {
  return {{"frugal", bias.frugal}, {"width", bias.width}, {"work", bias.work}};
}

Json tuned_json(const std::vector<runtime::TunedKernel>& kernels) {
  Json out = Json::array();
  for (const runtime::TunedKernel& kernel : kernels) {
    Json tried = Json::array();
    for (const runtime::Tried& one : kernel.tried)
      tried.push_back({{"schedule", bias_json(one.bias)}, {"ms", one.ms}});
    out.push_back({{"what", kernel.summary}, {"tried", std::move(tried)}, {"kept", bias_json(kernel.kept)}});
  }
  return out;
}

void run(const Flags& flags) {
  if (std::isnan(flags.seconds)) throw CLI::ValidationError("--seconds", "takes a number, got nan");
  GraphFile file = read_graph(flags.path);
  if (flags.device.cache_directory.empty())
    throw Error(
        "tune: what it finds is kept in the cache, which is switched off: give --cache-dir or "
        "WEFT_CACHE_DIR");
  const std::vector<ir::HostTensor> inputs = gather_inputs(file.graph, flags.inputs);
  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(flags.device);
  if (!cache) throw Error("tune: what it finds is kept in the cache, which cannot be used");
  auto device = open_device(flags.device, cache, counters);
  runtime::Choices choices(cache, device->info().architecture);
  LoadedGraph graph(file.graph, inputs, target_of(device->info(), flags.device),
                    compile_options(flags.compile), device, counters, choices);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const runtime::TuneClock clock = {
      [&](const runtime::Executable& e) { return graph.time(e, kTimes); },
      [&] { return std::chrono::duration<double>(Clock::now() - start).count(); }};
  const std::vector<runtime::TunedKernel> tuned =
      runtime::tune(graph.compiling(), device, counters, choices, clock, flags.seconds);
  if (flags.json)
    return print_json("weft.tune", {{"device", device->info().name},
                                    {"architecture", device->info().architecture},
                                    {"folder", flags.device.cache_directory},
                                    {"kernels", tuned_json(tuned)}});
  fmt::print("{}", report(tuned));
  fmt::print("on {} ({}), kept in {}\n", device->info().name, device->info().architecture,
             flags.device.cache_directory);
}

}  // namespace

void add_tune(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("tune", "Search for faster schedules, by the clock");
  command->footer(R"(Examples:
  weft tune softmax.weft --device cuda
  weft tune softmax.weft --in x=x.npy --seconds 60

Inputs that are not given are drawn at random. Later compiles of the same kernels for the same extents use what was found; `weft cache clear` forgets it.)");
  add_graph_path(*command, flags->path);
  add_input_options(*command, flags->inputs);
  command->add_option("--seconds", flags->seconds, "When to end at the latest")
      ->check(takes("--seconds", 0.0, 1e6))
      ->capture_default_str();
  add_json_flag(*command, flags->json);
  add_device_options(*command, flags->device, true);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
