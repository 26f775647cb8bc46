// `weft report`: what a graph's runs took and why, as one page for a browser.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "compiler/explain.h"
#include "compiler/lift.h"
#include "frontend/cli/arrays.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/loaded_graph.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cli/takes.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/page_programs.h"
#include "frontend/cpp/inspect/report_page.h"

namespace weft::cli {
namespace {

constexpr int kReportRuns = 10;

struct ReportFlags {
  GraphPath path;
  std::string out = "report.html";
  InputFlags inputs;
  int times = kReportRuns;
  bool json = false;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

void report(const ReportFlags& flags) {
  const GraphFile file = read_graph(flags.path);
  const std::vector<ir::HostTensor> inputs = gather_inputs(file.graph, flags.inputs);
  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(flags.device);
  const std::shared_ptr<runtime::Device> device = open_device(flags.device, cache, counters);
  const Target target = target_of(device->info(), flags.device);
  const Options options = compile_options(flags.compile);
  runtime::Choices choices(cache, device->info().architecture);
  detail::PageParts parts;
  parts.title = flags.path.file;
  parts.memory_speed = detail::memory_speed(device, cache.get());
  parts.compute_speed = detail::compute_speed(device, cache.get());
  std::vector<Scalar> lifted;
  const ir::Graph graph = lift_constants(file.graph, lifted);
  Options choosing = options;
  choosing.choose = [&](const KernelKey& key) { return choices.find(key); };
  const std::vector<detail::CostSeen> costs =
      detail::explained_graph(graph, compile_explained(graph, target, choosing)).costs;
  parts.programs.push_back(json_of(detail::PageProgram{graph, target, choosing, device.get(),
                                                       flags.device.name, parts.memory_speed, flags.times}));
  const int64_t start = runtime::Trace::now();
  const auto bytes_before = static_cast<int64_t>(device->memory().in_use);
  counters.trace.start();
  runtime::memory_trace.start();
  const LoadedGraph loaded(file.graph, inputs, target, options, device, counters, choices);
  for (int turn = 0; turn < flags.times; ++turn) loaded.run();
  const int64_t end = runtime::Trace::now();
  detail::ProfileReport profile = detail::report_of(counters.trace.stop(), costs, start, end);
  profile.memory = runtime::memory_trace.stop({device.get()}, start);
  profile.bytes_before = bytes_before;
  detail::save_text("report: --out", flags.out, detail::page_of(profile, parts));
  if (flags.json) {
    Json data = Json::parse(detail::json_of(profile));
    return print_json("weft.report",
                      {{"page", flags.out}, {"runs", flags.times}, {"profile", std::move(data)}});
  }
  fmt::print("{}: {} runs in {:.3f} ms, {} rows\n", flags.out, flags.times,
             static_cast<double>(profile.wall_ns) * 1e-6, profile.rows.size());
}

}  // namespace

void add_report(CLI::App& app) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command = app.add_subcommand("report", "One page for a browser: what ran, how long, and why");
  command->footer(R"(Examples:
  weft report softmax.weft --random 1
  weft report axpy.weft --in x=x.npy --in y=y.npy --in alpha=0.5 --out axpy.html

The page is one file, and asks nothing of the network.)");
  add_graph_path(*command, flags->path);
  command->add_option("--out", flags->out, "Where the page goes")
      ->type_name("FILE.html")
      ->capture_default_str();
  add_input_options(*command, flags->inputs);
  command->add_option("--runs", flags->times, "How often it runs")
      ->check(takes("--runs", 1, 1000000))
      ->capture_default_str();
  add_json_flag(*command, flags->json);
  add_device_options(*command, flags->device, true);
  add_compile_options(*command, flags->compile);
  command->callback([flags] { report(*flags); });
}

}  // namespace weft::cli
