// `weft grad`: the gradient of a graph's only output, as the text of a graph.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/derive/derive.h"
#include "compiler/ir/text/print.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"

namespace weft::cli {
namespace {

struct Flags {
  GraphPath path;
  std::vector<std::string> wrt;
};

const std::string& name_of(const ir::Node& input) {
  return input.op == ir::Op::input ? input.as<ir::InputAttr>().name : input.as<ir::ScalarAttr>().name;
}

std::vector<ir::NodeRef> chosen(const ir::Graph& graph, const std::vector<std::string>& names) {
  std::vector<ir::NodeRef> wrt;
  for (const std::string& name : names) {
    const auto found = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                    [&](const ir::NodeRef& in) { return name_of(*in) == name; });
    if (found == graph.inputs.end()) {
      std::vector<std::string> known;
      known.reserve(graph.inputs.size());
      for (const ir::NodeRef& in : graph.inputs) known.push_back(name_of(*in));
      throw Error(
          fmt::format("grad: the graph has no input '{}': its inputs are {}", name, fmt::join(known, ", ")));
    }
    wrt.push_back(*found);
  }
  if (!names.empty()) return wrt;
  for (const ir::NodeRef& in : graph.inputs)
    if (derive::has_tangents(in->dtype())) wrt.push_back(in);
  return wrt;
}

void run(const Flags& flags) {
  const GraphFile file = read_graph(flags.path);
  fmt::print("{}", ir::print(derive::gradient(file.graph, chosen(file.graph, flags.wrt))));
}

}  // namespace

void add_grad(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("grad", "The gradient of a graph that gives one number, as a graph");
  command->footer(
      "Examples:\n  weft grad loss.weft\n  weft grad loss.weft --wrt w --wrt b > gradient.weft\n"
      "  weft grad loss.weft | weft explain -");
  add_graph_path(*command, flags->path);
  command->add_option(
      "--wrt", flags->wrt,
      "An input to derive by; may be given again, in the results' order; all floats unless told");
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
