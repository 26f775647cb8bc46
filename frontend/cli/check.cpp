// `weft check`: whether a graph's results are right, and the first op that is not.
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "frontend/cli/commands.h"
#include "frontend/cli/exit_code.h"
#include "frontend/cli/graph_case.h"
#include "frontend/cli/print_json.h"
#include "frontend/cpp/inspect/verify_graph.h"

namespace weft::cli {
namespace {

struct CheckFlags {
  CaseFlags what;
  std::string beside = "auto";
  bool json = false;
};

void check(const CheckFlags& flags) {
  const GraphCase what(flags.what);
  const auto run = [&](const ir::Graph& graph, bool fuse) {
    Options options = what.options();
    options.fuse = options.fuse && fuse;
    return what.run(graph, what.inputs(), options);
  };
  const bool is_named = flags.beside != "auto" && flags.beside != "none";
  const std::string other = is_named                 ? flags.beside
                            : flags.beside == "auto" ? other_device(flags.what.device)
                                                     : "";
  std::optional<std::vector<ir::HostTensor>> named;  // Error where it is not to be had
  if (is_named) named = what.run_on(other);
  const detail::OtherDevice elsewhere{
      other, [&](const ir::Graph&) { return named ? *std::move(named) : what.run_on(other); }};
  const detail::VerifiedGraph verified = detail::verify_graph(
      what.file().graph, what.inputs(), what.file().outputs, run, other.empty() ? nullptr : &elsewhere);
  fmt::print("{}{}", flags.json ? json_of(verified) : text_of(verified), flags.json ? "\n" : "");
  if (verified.first) throw WrongResults("check: the results are not those of the reference interpreter");
  if (verified.differs())
    throw WrongResults("check: a function is further from its reference than its ulps allow");
  if (verified.compares_nothing())
    throw NothingCompared(
        "check: every element of an output is NaN: give other data, by --in or another --random");
}

}  // namespace

void add_check(CLI::App& app) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command =
      app.add_subcommand("check", "Whether the results are right, and the first op that is not");
  command->footer(R"(Examples:
  weft check softmax.weft --random 1
  weft check axpy.weft --in x=x.npy --in y=y.npy --in alpha=0.5 --device cuda
  weft check softmax.weft --random 1 --beside cuda:1
  weft check softmax.weft --random 1 --json

The graph is computed as fused kernels and op by op, and on another device where there is one: a GPU beside the CPU,
the CPU beside a GPU. All are compared with the reference interpreter.
Exit codes: 0 it agrees, 3 a result is wrong, 4 every element of an output is NaN, so that nothing was compared.)");
  add_case_options(*command, flags->what);
  command
      ->add_option("--beside", flags->beside, "Another device that computes it, too: its name, auto, or none")
      ->type_name("NAME")
      ->capture_default_str();
  add_json_flag(*command, flags->json);
  command->callback([flags] { check(*flags); });
}

}  // namespace weft::cli
