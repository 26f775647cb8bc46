// `weft version`: which Weft this is, and with --parts what compiles and computes here, for a report of a problem.
#include <fmt/format.h>

#include <memory>

#include "frontend/cli/commands.h"
#include "frontend/cli/print_json.h"
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

Json parts() {
  Json libraries = Json::array(), devices = Json::array(), no_cuda;
  for (const UsedLibrary& library : Session::libraries())
    libraries.push_back({{"name", library.name}, {"text", library.what}});
  for (const DeviceSummary& device : Session::current().devices())
    devices.push_back(
        {{"name", device.name}, {"description", device.description}, {"architecture", device.architecture}});
  if (const std::string reason = Session::current().no_cuda_because(); !reason.empty()) no_cuda = reason;
  return {
      {"libraries", std::move(libraries)}, {"devices", std::move(devices)}, {"no_cuda", std::move(no_cuda)}};
}

}  // namespace

void add_version(CLI::App& app) {
  CLI::App* command = app.add_subcommand("version", "This version, and what compiles and computes here");
  struct Flags {
    bool parts = false, json = false;
  };
  const auto flags = std::make_shared<Flags>();
  command->add_flag("--parts", flags->parts,
                    "Say the libraries inside and those that were found, and the devices");
  add_json_flag(*command, flags->json);
  command->callback([flags] {
    if (flags->json) {
      Json fields = {{"weft", WEFT_VERSION}};
      if (flags->parts) fields.update(parts());
      print_json("weft.version", fields);
      return;
    }
    fmt::print("weft {}\n", WEFT_VERSION);
    if (flags->parts) print_parts();
  });
}

}  // namespace weft::cli
