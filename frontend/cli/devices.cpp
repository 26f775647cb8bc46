// `weft devices`: what there is to run on, and why there is no more.
#include <fmt/format.h>

#include "compiler/base/error.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/machine.h"
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

void run() {
  print_device("cpu");
  std::string reason;
  int gpus = runtime::cuda_device_count(reason);
  for (int i = 0; i < gpus; ++i) print_device(fmt::format("cuda:{}", i));
  if (gpus == 0) fmt::print("cuda: none: {}\n", reason);
}

}  // namespace

void add_devices(CLI::App& app) {
  app.add_subcommand("devices", "The devices of this machine")->callback(run);
}

}  // namespace weft::cli
