// `weft devices` and `weft calibrate`: what there is to run on and how fast it is, and why there is no more.
#include <fmt/format.h>

#include <filesystem>

#include "compiler/base/error.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/inspect/calibrated.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::cli {
namespace {

// Null where the folder is not there yet: looking makes none.
std::shared_ptr<runtime::KernelCache> cache_to_look_into(const DeviceChoice& choice) {
  return std::filesystem::exists(choice.cache_directory) ? open_cache(choice) : nullptr;
}

Json json_of(const MachineFacts& facts, const runtime::DeviceInfo& info) {
  Json caches = Json::array(), speeds;
  for (const CacheFacts& one : facts.caches)
    caches.push_back({{"level", one.level}, {"bytes", one.bytes}, {"processors", one.processors}});
  if (facts.speeds)
    for (const SpeedField& field : speed_fields()) speeds[field.name] = *facts.speeds.*field.value;
  return {{"name", facts.device},
          {"description", facts.description},
          {"architecture", facts.architecture},
          {"threads", facts.threads},
          {"processors", facts.processors},
          {"cores", facts.cores},
          {"vector_bytes", facts.vector_bytes},
          {"vector_registers", facts.vector_registers},
          {"caches", std::move(caches)},
          {"cache_bytes", info.cache_bytes},
          {"shared_bytes", info.shared_bytes},
          {"memory_bytes", facts.memory_bytes},
          {"speeds", std::move(speeds)},
          {"problem", nullptr}};
}

struct Listed {
  std::string text;
  Json json;
};

Listed listed(const std::string& name, DeviceChoice choice) {
  choice.name = name;
  runtime::Counters counters;
  try {
    const auto device = open_device(choice, nullptr, counters);
    const MachineFacts facts = detail::facts_of(*device, cache_to_look_into(choice).get());
    return {to_string(facts), json_of(facts, device->info())};
  } catch (const Error& e) {
    return {fmt::format("{}: cannot be used: {}\n", name, e.what()), {{"name", name}, {"problem", e.what()}}};
  }
}

void run(const DeviceChoice& choice, bool json) {
  Json devices = Json::array(), no_cuda;
  std::string text, reason;
  const auto add = [&](const Listed& one) { text += one.text, devices.push_back(one.json); };
  add(listed("cpu", choice));
  const int gpus = runtime::cuda_device_count(reason);
  for (int i = 0; i < gpus; ++i) add(listed(fmt::format("cuda:{}", i), choice));
  if (gpus == 0) no_cuda = reason, text += fmt::format("cuda: none: {}\n", reason);
  if (json)
    print_json("weft.devices", {{"devices", std::move(devices)}, {"no_cuda", std::move(no_cuda)}});
  else
    fmt::print("{}", text);
}

void calibrate(const DeviceChoice& choice, bool json) {
  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(choice);
  const auto device = open_device(choice, cache, counters);
  const MachineFacts facts = detail::calibrated(device, cache.get());
  if (json)
    return print_json("weft.calibrate", {{"folder", cache ? Json(choice.cache_directory) : Json()},
                                         {"device", json_of(facts, device->info())}});
  fmt::print("{}{}\n", to_string(facts),
             cache ? "kept in " + choice.cache_directory : "not kept: there is no cache folder");
}

}  // namespace

void add_devices(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("devices", "The devices of this machine");
  add_json_flag(*command, *json);
  const auto choice = std::make_shared<DeviceChoice>(default_device_choice());
  command->add_option("--cache-dir", choice->cache_directory, "Where `weft calibrate` kept what it measured")
      ->type_name("DIR")
      ->capture_default_str();
  command->callback([json, choice] { run(*choice, *json); });
}

void add_calibrate(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  const auto choice = std::make_shared<DeviceChoice>(default_device_choice());
  CLI::App* command = app.add_subcommand("calibrate", "Measure how fast a device is, once");
  command->footer(R"(Examples:
  weft calibrate
  weft calibrate --device cuda

It takes less than two seconds, and should have the machine to itself. What is found is kept in the cache; `weft devices` shows it, and explanations and profiles tell expected times by it. Results and schedules do not depend on it. WEFT_CALIBRATION=0 has it neither measured nor used.)");
  add_json_flag(*command, *json);
  add_device_options(*command, *choice, true);
  command->callback([json, choice] { calibrate(*choice, *json); });
}

}  // namespace weft::cli
