// `weft replay`: graphs that were dumped run again, beside what was computed then.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cli/arrays.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/exit_code.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/loaded_graph.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/inspect/compare.h"
#include "frontend/cpp/inspect/dump_graph.h"
#include "frontend/cpp/inspect/verify_graph.h"

namespace weft::cli {
namespace {

constexpr uint64_t kSeedOfShapes = 1;

struct ReplayFlags {
  std::string folder;
  std::optional<uint64_t> seed;
  bool json = false;
  DeviceChoice device = default_device_choice();
  bool device_given = false;
};

struct Replayed {
  bool agrees = true;
  std::vector<std::string> lines;
  Json outputs = Json::array();
};

Replayed replayed(const detail::GraphDump& dump, const ReplayFlags& flags) {
  DeviceChoice choice = flags.device;
  if (!flags.device_given && !dump.device.empty()) choice.name = dump.device;
  const GraphFile file = graph_of(dump);
  const bool drawn = !has_data(dump) || flags.seed;
  const std::vector<ir::HostTensor> inputs =
      drawn ? gather_inputs(dump.graph, {}, flags.seed.value_or(kSeedOfShapes)) : dump.inputs;
  const bool then = !drawn && dump.outputs.size() == dump.graph.outputs.size();

  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(choice);
  const std::shared_ptr<runtime::Device> device = open_device(choice, cache, counters);
  runtime::Choices choices(cache, device->info().architecture);
  Options options;
  options.numerics = dump.numerics;
  const std::vector<ir::HostTensor> got =
      LoadedGraph(dump.graph, inputs, target_of(device->info(), choice), options, device, counters, choices)
          .run();
  const detail::Reference reference = then ? detail::Reference{} : detail::reference_of(dump.graph, inputs);
  Replayed out;
  for (size_t i = 0; i < got.size(); ++i) {
    const auto at = reference.number.find(dump.graph.outputs[i].get());
    if (!then && at == reference.number.end()) continue;  // an input, or a constant
    const ir::HostTensor& want = then ? dump.outputs[i] : reference.values[at->second];
    const double rounding = then ? detail::rounding_of({&want, 1}) : reference.rounding[at->second];
    const detail::Comparison c = detail::compare(got[i], want, rounding);
    const bool same = got[i].data == want.data;
    out.agrees &= c.agrees;
    out.lines.push_back(fmt::format("{}: {} {}: {}", file.outputs[i], c.agrees ? "agrees" : "DISAGREES",
                                    then ? "with what was computed" : "with the reference interpreter",
                                    same ? "the same bits" : c.text));
    Json ulps = c.ulps;
    if (!std::isfinite(c.ulps)) ulps = nullptr;
    out.outputs.push_back({{"name", file.outputs[i]},
                           {"beside", then ? "dump" : "interpreter"},
                           {"agrees", c.agrees},
                           {"same_bits", same},
                           {"ulps", std::move(ulps)},
                           {"text", c.text}});
  }
  return out;
}

void replay(const ReplayFlags& flags) {
  size_t refused = 0, wrong = 0;
  Json dumps = Json::array();
  const std::vector<std::string> folders = detail::dumps_in(flags.folder);
  for (const std::string& folder : folders) {
    Json one = {{"folder", folder}, {"refused", nullptr}, {"weft", nullptr}};
    try {
      const detail::GraphDump dump = detail::read_dump(folder);
      const Replayed done = replayed(dump, flags);
      wrong += !done.agrees;
      one["weft"] = dump.version;
      one["outputs"] = done.outputs;
      if (!flags.json)
        fmt::print("{} (Weft {}{}{})\n  {}\n", folder, dump.version, dump.device.empty() ? "" : ", ",
                   dump.device, fmt::join(done.lines, "\n  "));
    } catch (const Error& e) {
      if (folders.size() == 1) throw;
      ++refused;
      one["refused"] = e.what();
      if (!flags.json) fmt::print("{}\n  refused: {}\n", folder, e.what());
    }
    dumps.push_back(std::move(one));
  }
  if (flags.json) print_json("weft.replay", {{"dumps", std::move(dumps)}});
  if (wrong)
    throw WrongResults(
        fmt::format("replay: {} of {} graphs do not give what is right", wrong, folders.size()));
  if (refused) throw Error(fmt::format("replay: {} of {} dumps were refused", refused, folders.size()));
}

}  // namespace

void add_replay(CLI::App& app) {
  auto flags = std::make_shared<ReplayFlags>();
  CLI::App* command = app.add_subcommand("replay", "Run dumped graphs again, beside what was computed");
  command->footer(R"(Examples:
  WEFT_DUMP=dumps python program.py && weft replay dumps
  weft replay dumps/5d41402abc4b2a76b9719d911017c592 --device cuda
  weft replay small --random 1

Each runs on the device and with the numerics that it was computed with. Where a dump has shapes alone, the inputs
are drawn, and the reference interpreter says what is right.)");
  command->add_option("DIR", flags->folder, "The folder of a dump, or one that holds dumps")->required();
  command->add_option("--random", flags->seed, "Draw the inputs from this seed, whatever the dump has")
      ->check(CLI::Validator(seed_problem, "SEED", "seed"))
      ->type_name("");
  add_json_flag(*command, flags->json);
  add_device_options(*command, flags->device, true);
  command->callback([flags, command] {
    flags->device_given = command->count("--device") > 0;
    replay(*flags);
  });
}

}  // namespace weft::cli
