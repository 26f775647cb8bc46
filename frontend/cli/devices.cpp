// `weft devices`: what there is to run on, and why there is no more.
#include <fmt/format.h>

#include "compiler/base/error.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "runtime/cuda/cuda_device.h"

namespace weft::cli {
namespace {

std::string mebibytes(size_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}
std::string gibibytes(size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

void print_device(const std::string& name) {
  DeviceChoice choice;
  choice.name = name;
  runtime::Counters counters;
  try {
    auto device = open_device(choice, nullptr, counters);
    const runtime::DeviceInfo& info = device->info();
    bool cuda = kind_of(name) == TargetKind::Cuda;
    fmt::print("{}: {}\n", info.name, info.description);
    fmt::print("  architecture   {}\n", info.architecture);
    fmt::print("  {} {}\n", cuda ? "processors    " : "threads       ", info.threads);
    if (!cuda) fmt::print("  vectors        {} bytes\n", info.vector_bytes);
    fmt::print("  {} {}\n", cuda ? "L2 cache      " : "cache         ", mebibytes(info.cache_bytes));
    if (cuda)
      fmt::print("  shared memory  {:.0f} KiB a block\n", static_cast<double>(info.shared_bytes) / 1024);
    fmt::print("  memory         {}\n", gibibytes(info.memory_bytes));
  } catch (const Error& e) {
    fmt::print("{}: cannot be used: {}\n", name, e.what());
  }
}

Json device_json(const std::string& name) {
  DeviceChoice choice;
  choice.name = name;
  runtime::Counters counters;
  try {
    const auto device = open_device(choice, nullptr, counters);
    const runtime::DeviceInfo& info = device->info();
    return {{"name", info.name},
            {"description", info.description},
            {"architecture", info.architecture},
            {"threads", info.threads},
            {"vector_bytes", info.vector_bytes},
            {"cache_bytes", info.cache_bytes},
            {"shared_bytes", info.shared_bytes},
            {"memory_bytes", info.memory_bytes},
            {"problem", nullptr}};
  } catch (const Error& e) {
    return {{"name", name}, {"problem", e.what()}};
  }
}

void run_json() {
  Json devices = Json::array({device_json("cpu")}), no_cuda;
  std::string reason;
  const int gpus = runtime::cuda_device_count(reason);
  for (int i = 0; i < gpus; ++i) devices.push_back(device_json(fmt::format("cuda:{}", i)));
  if (gpus == 0) no_cuda = reason;
  print_json("weft.devices", {{"devices", std::move(devices)}, {"no_cuda", std::move(no_cuda)}});
}

void run() {
  print_device("cpu");
  std::string reason;
  int gpus = runtime::cuda_device_count(reason);
  for (int i = 0; i < gpus; ++i) print_device(fmt::format("cuda:{}", i));
  if (gpus == 0) fmt::print("cuda: none: {}\n", reason);
}

}  // namespace

void add_devices(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("devices", "The devices of this machine");
  add_json_flag(*command, *json);
  command->callback([json] { *json ? run_json() : run(); });
}

}  // namespace weft::cli
