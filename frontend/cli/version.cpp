// `weft version`: which Weft this is, and with --parts what compiles and computes here, for a report of a problem.
#include <fmt/format.h>

#include <memory>

#include "frontend/cli/commands.h"
#include "frontend/cpp/weft/session.h"

namespace weft::cli {
namespace {

void print_parts() {
  for (const UsedLibrary& library : Session::libraries()) fmt::print("{}: {}\n", library.name, library.what);
  for (const DeviceSummary& device : Session::current().devices())
    fmt::print("{}: {}, {}\n", device.name, device.description, device.architecture);
  if (const std::string reason = Session::current().no_cuda_because(); !reason.empty())
    fmt::print("cuda: none: {}\n", reason);
}

}  // namespace

void add_version(CLI::App& app) {
  CLI::App* command = app.add_subcommand("version", "This version, and what compiles and computes here");
  const auto parts = std::make_shared<bool>(false);
  command->add_flag("--parts", *parts, "Say the libraries inside and those that were found, and the devices");
  command->callback([parts] {
    fmt::print("weft {}\n", WEFT_VERSION);
    if (*parts) print_parts();
  });
}

}  // namespace weft::cli
