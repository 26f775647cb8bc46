// `weft warm`: compiles graphs into the cache on disk, for processes that start later.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/lift.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "runtime/choices.h"
#include "runtime/load_program.h"

namespace weft::cli {
namespace {

struct Flags {
  std::vector<std::string> files, with;
  bool json = false;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

// Of one graph: kernels that were compiled, and those that lay on disk or were another graph's before.
struct Warmed {
  std::string file;
  int64_t compiled = 0, known = 0;
  double ms = 0;
};

void print(const std::vector<Warmed>& all, const std::string& folder) {
  int64_t compiled = 0, known = 0;
  for (const Warmed& one : all) {
    fmt::print("{:<40} {} compiled, {} known, {:.1f} ms\n", one.file, one.compiled, one.known, one.ms);
    compiled += one.compiled, known += one.known;
  }
  fmt::print("{} kernel{} compiled and {} known, kept in {}\n", compiled, compiled == 1 ? "" : "s", known,
             folder);
}

void run(const Flags& flags) {
  if (flags.device.cache_directory.empty())
    throw Error(
        "warm: kernels are kept in the cache, which is switched off: give --cache-dir or WEFT_CACHE_DIR");
  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(flags.device);
  if (!cache) throw Error("warm: kernels are kept in the cache, which cannot be used");
  const std::shared_ptr<runtime::Device> device = open_device(flags.device, cache, counters);
  if (!device->info().compiles)
    throw Error("warm: this library was built without a compiler: programs run in blocks");
  const Target target = target_of(device->info(), flags.device);
  runtime::Choices choices(cache, device->info().architecture);
  std::vector<Warmed> all;
  all.reserve(flags.files.size());
  for (const std::string& file : flags.files) {
    std::vector<Scalar> lifted;
    const ir::Graph graph = lift_constants(read_graph({file, flags.with}).graph, lifted);
    const int64_t compiled = counters.compiles, known = counters.disk_hits + counters.memory_hits;
    const auto start = std::chrono::steady_clock::now();
    const auto program = runtime::load_program(
        [&](const Choose& choose) {
          Options options = compile_options(flags.compile);
          options.choose = choose;
          return weft::compile(graph, target, options);
        },
        device, counters, choices);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    all.push_back({file, counters.compiles - compiled, counters.disk_hits + counters.memory_hits - known,
                   took.count()});
  }
  if (!flags.json) return print(all, flags.device.cache_directory);
  Json files = Json::array();
  for (const Warmed& one : all)
    files.push_back({{"file", one.file}, {"compiled", one.compiled}, {"known", one.known}, {"ms", one.ms}});
  print_json("weft.warm", {{"device", device->info().name},
                           {"architecture", device->info().architecture},
                           {"folder", flags.device.cache_directory},
                           {"files", std::move(files)}});
}

}  // namespace

void add_warm(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("warm", "Graphs compiled into the cache, for processes that start later");
  command->footer(R"(Examples:
  weft warm softmax.weft blur.weft
  weft warm *.weft --device cuda --cache-dir /srv/weft

Kernels are those that Python and C++ programs of the same operations and shapes take from the cache. Nothing is run. `weft cache export` packs them for another machine.)");
  command->add_option("FILE", flags->files, "A .weft file, or - for the standard input; several may be given")
      ->required();
  add_definitions(*command, flags->with);
  add_json_flag(*command, flags->json);
  add_device_options(*command, flags->device, true);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
