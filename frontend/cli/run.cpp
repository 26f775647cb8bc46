// `weft run`: a graph on a device, from files to files, measured and checked on request.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/explain.h"
#include "compiler/lift.h"
#include "frontend/cli/arrays.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/exit_code.h"
#include "frontend/cli/graph_file.h"
#include "frontend/cli/loaded_graph.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "frontend/cli/takes.h"
#include "frontend/cpp/inspect/calibrated.h"
#include "frontend/cpp/inspect/check_functions.h"
#include "frontend/cpp/inspect/compare.h"
#include "frontend/cpp/inspect/expected_time.h"
#include "frontend/cpp/inspect/profile_report.h"

namespace weft::cli {
namespace {

constexpr int kTimes = 20;

struct Flags {
  GraphPath path;
  std::vector<std::string> out;
  InputFlags inputs;
  bool time = false, each_op = false, verify = false, profile = false, json = false;
  std::string trace;
  int times = kTimes;
  DeviceChoice device = default_device_choice();
  CompileFlags compile;
};

double gigabytes_per_second(int64_t bytes, double ms) {
  return ms > 0 ? static_cast<double>(bytes) / ms * 1e-6 : 0;
}

std::string megabytes(int64_t bytes) { return fmt::format("{:.3f} MB", static_cast<double>(bytes) * 1e-6); }

// What compiling did, by the counters' change.
struct Compiling {
  int64_t compiles, disk_hits, memory_hits, ns;
  explicit Compiling(const runtime::Counters& c)
      : compiles(c.compiles), disk_hits(c.disk_hits), memory_hits(c.memory_hits), ns(c.compile_ns) {}
};

void print_compiling(const LoadedGraph& graph, const Compiling& before, const Compiling& after) {
  fmt::print(
      "compiling      {:.2f} ms to plan, {:.2f} ms to load: {} compiled in {:.2f} ms, {} from disk, {} in "
      "memory\n",
      graph.plan_ms(), graph.load_ms(), after.compiles - before.compiles,
      static_cast<double>(after.ns - before.ns) * 1e-6, after.disk_hits - before.disk_hits,
      after.memory_hits - before.memory_hits);
}

struct Totals {
  size_t kernels = 0, others = 0;  // others: library calls and copies
  int64_t bytes = 0;
  double ms = 0;
};

Totals print_steps(const LoadedGraph& graph, int times) {
  Totals t;
  fmt::print("{:>4}  {:>10}  {:>14}  {:>8}  {}\n", "step", "ms", "moved", "GB/s", "what");
  for (const StepTime& s : graph.time_steps(times)) {
    fmt::print("{:>4}  {:>10.4f}  {:>14}  {:>8.2f}  {}\n", t.kernels + t.others, s.ms, megabytes(s.bytes),
               gigabytes_per_second(s.bytes, s.ms), s.summary);
    ++(s.kernel ? t.kernels : t.others);
    t.bytes += s.bytes;
  }
  t.ms = graph.time(times);
  return t;
}

void print_total(std::string_view label, const Totals& t) {
  std::string steps = fmt::format("{} kernel{}", t.kernels, t.kernels == 1 ? "" : "s");
  if (t.others) steps += fmt::format(" and {} other step{}", t.others, t.others == 1 ? "" : "s");
  fmt::print("{:<14} {}, {:.4f} ms, {} moved, {:.2f} GB/s\n", label, steps, t.ms, megabytes(t.bytes),
             gigabytes_per_second(t.bytes, t.ms));
}

// Once the machine's speeds are measured.
void print_expected(const ir::Graph& graph, const Target& target, const Options& options,
                    const MachineFacts& facts) {
  if (!facts.speeds) return;
  std::vector<Scalar> lifted;
  const double seconds =
      detail::expected_seconds(compile_explained(lift_constants(graph, lifted), target, options), facts);
  fmt::print("{:<14} {:.4f} ms for the kernels, by the speeds of this machine\n", "expected", 1e3 * seconds);
}

// What an output is computed from, input values excepted: those are not rounded.
std::vector<ir::HostTensor> intermediates(const ir::Graph& graph, const ir::NodeRef& output,
                                          std::span<const ir::HostTensor> inputs) {
  ir::Graph all{graph.inputs, {}};
  std::vector<ir::NodeRef> open = {output};
  std::unordered_set<const ir::Node*> seen;
  while (!open.empty()) {
    ir::NodeRef x = std::move(open.back());
    open.pop_back();
    if (x->inputs.size() == 0 || !seen.insert(x.get()).second) continue;
    for (const ir::NodeRef& from : x->inputs) open.push_back(from);
    all.outputs.push_back(std::move(x));
  }
  return interpret(all, inputs);
}

std::vector<detail::Comparison> checks(const GraphFile& file, const std::vector<ir::HostTensor>& inputs,
                                       const std::vector<ir::HostTensor>& got) {
  const std::vector<ir::HostTensor> want = interpret(file.graph, inputs);
  std::vector<detail::Comparison> out;
  out.reserve(want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    out.push_back(detail::compare(got[i], want[i]));
    if (!out.back().agrees)
      out.back() = detail::compare(
          got[i], want[i], detail::rounding_of(intermediates(file.graph, file.graph.outputs[i], inputs)));
  }
  return out;
}

bool all_agree(const std::vector<detail::Comparison>& checks) {
  return std::ranges::all_of(checks, &detail::Comparison::agrees);
}

void print_checks(const GraphFile& file, const std::vector<detail::Comparison>& checks,
                  const std::vector<detail::CheckedFunction>& functions) {
  for (size_t i = 0; i < checks.size(); ++i)
    fmt::print("{}: {} with the reference interpreter: {}\n", file.outputs[i],
               checks[i].nothing  ? "tells nothing"
               : checks[i].agrees ? "agrees"
                                  : "DISAGREES",
               checks[i].text);
  for (const detail::CheckedFunction& one : functions) fmt::print("{}", detail::text_of(one));
}

void require_agreement(const std::vector<detail::Comparison>& checks,
                       const std::vector<detail::CheckedFunction>& functions) {
  if (!all_agree(checks)) throw WrongResults("run: the results are not those of the reference interpreter");
  if (!std::ranges::all_of(functions, [](const auto& one) { return one.comparison.agrees; }))
    throw WrongResults("run: a function is further from its reference than its ulps allow");
  if (std::ranges::any_of(checks, &detail::Comparison::nothing))
    throw NothingCompared(
        "run: every element of an output is NaN: give other data, by --in or another --random");
}

// What ran since `start`, where that was traced.
std::optional<detail::ProfileReport> profiled(runtime::Counters& counters, int64_t start) {
  if (!counters.trace.on()) return std::nullopt;
  const int64_t end = runtime::Trace::now();
  return detail::report_of(counters.trace.stop(), {}, start, end);
}

void refuse_more_output(const Flags& flags) {
  if (flags.time || flags.each_op || flags.verify || flags.profile || flags.json)
    throw Error(
        "run: --out to - leaves no room on the standard output for --time, --each-op, --profile, --json and "
        "--verify");
}

// Which output goes to which file.
std::vector<std::pair<size_t, std::string>> files_of(const Flags& flags, const GraphFile& file) {
  std::vector<std::pair<size_t, std::string>> out;
  bool quiet = false;  // the standard output is an array
  for (auto& text : flags.out) {
    if (text.find('=') == std::string::npos) {
      if (file.outputs.size() != 1)
        throw Error(fmt::format(
            "--out takes NAME=FILE where a graph does not return one value alone, got '{}'; it returns {}",
            text, file.outputs.empty() ? "nothing" : fmt::format("{}", fmt::join(file.outputs, ", "))));
      out.emplace_back(0, text);
    } else {
      Binding b = parse_binding("--out", text);
      out.emplace_back(output_number(file, b.name), b.value);
    }
    check_output_name(out.back().second);
    quiet |= out.back().second == "-";
    for (size_t i = 0; i + 1 < out.size(); ++i) {
      if (out[i].second == out.back().second)
        throw Error(fmt::format("--out: a file takes one output: got '{}' and '{}' for '{}'",
                                file.outputs[out[i].first], file.outputs[out.back().first], out[i].second));
    }
  }
  if (quiet) refuse_more_output(flags);
  return out;
}

// What --json prints.
struct RunSaid {
  const GraphFile& file;
  const std::vector<ir::HostTensor>& results;
  const std::vector<detail::Comparison>& checks;  // none where nobody asked
  const std::optional<detail::ProfileReport>& profile;
  const std::vector<detail::CheckedFunction>& functions;
};

void print_run(const RunSaid& said, const Flags& flags, const LoadedGraph& graph) {
  Json outputs = Json::array(), profile, time;
  for (size_t i = 0; i < said.results.size(); ++i) {
    const ir::TensorType& type = said.results[i].type;
    Json one = {{"name", said.file.outputs[i]},
                {"dtype", name(type.dtype)},
                {"shape", std::vector<int64_t>(type.shape.begin(), type.shape.end())},
                {"first", first_values(said.results[i])}};
    if (!said.checks.empty())
      one["check"] = {{"agrees", said.checks[i].agrees}, {"text", said.checks[i].text}};
    outputs.push_back(std::move(one));
  }
  if (said.profile && flags.profile) profile = Json::parse(detail::json_of(*said.profile));
  if (flags.time) {
    Json steps = Json::array();
    for (const StepTime& step : graph.time_steps(flags.times))
      steps.push_back(
          {{"what", step.summary}, {"kernel", step.kernel}, {"ms", step.ms}, {"bytes", step.bytes}});
    time = {{"runs", flags.times}, {"ms", graph.time(flags.times)}, {"steps", std::move(steps)}};
  }
  Json functions = Json::array();
  for (const detail::CheckedFunction& one : said.functions)
    functions.push_back({{"name", one.name},
                         {"agrees", one.comparison.agrees},
                         {"bound", one.bound},
                         {"text", detail::text_of(one)}});
  print_json("weft.run", {{"outputs", std::move(outputs)},
                          {"functions", std::move(functions)},
                          {"time", std::move(time)},
                          {"profile", std::move(profile)}});
}

void run(const Flags& flags) {
  const GraphFile file = read_graph(flags.path);
  const std::vector<std::pair<size_t, std::string>> out = files_of(flags, file);
  std::vector<ir::HostTensor> inputs = gather_inputs(file.graph, flags.inputs);

  runtime::Counters counters;
  const std::shared_ptr<runtime::KernelCache> cache = open_cache(flags.device);
  auto device = open_device(flags.device, cache, counters);
  Target target = target_of(device->info(), flags.device);
  Options options = compile_options(flags.compile);
  Compiling before(counters);
  const int64_t start = runtime::Trace::now();
  if (flags.profile || !flags.trace.empty()) counters.trace.start();
  runtime::Choices choices(cache, device->info().architecture);
  LoadedGraph graph(file.graph, inputs, target, options, device, counters, choices);
  Compiling after(counters);
  std::vector<ir::HostTensor> results = graph.run();
  const std::optional<detail::ProfileReport> profile = profiled(counters, start);

  for (auto& [number, path] : out) write_output(path, results[number]);
  if (out.empty() && !flags.json)
    for (size_t i = 0; i < results.size(); ++i) fmt::print("{}\n", preview(file.outputs[i], results[i]));

  if (profile && flags.profile && !flags.json) fmt::print("\n{}", detail::table_of(*profile));
  if (!flags.trace.empty()) detail::save_text("run: --trace", flags.trace, detail::trace_of(*profile));

  const std::vector<detail::Comparison> found =
      flags.verify ? checks(file, inputs, results) : std::vector<detail::Comparison>{};
  std::vector<detail::CheckedFunction> functions;
  if (flags.verify)
    functions = detail::check_functions(file.graph, inputs, [&](const ir::Graph& apart) {
      Options unfused = options;
      unfused.fuse = false;
      return LoadedGraph(apart, inputs, target, unfused, device, counters, choices).run();
    });
  if (flags.json)
    print_run({file, results, found, profile, functions}, flags, graph);
  else
    print_checks(file, found, functions);
  if (!flags.json && (flags.time || flags.each_op)) {
    const runtime::DeviceInfo& info = device->info();
    fmt::print("\non {} ({}, {}), medians of {} runs\n", info.name, info.description, info.architecture,
               flags.times);
    print_compiling(graph, before, after);
    Totals fused = print_steps(graph, flags.times);
    if (flags.each_op) {
      options.fuse = false;
      before = Compiling(counters);
      LoadedGraph apart(file.graph, inputs, target, options, device, counters, choices);
      fmt::print("\nthe same work op by op\n");
      print_compiling(apart, before, Compiling(counters));
      Totals each = print_steps(apart, flags.times);
      fmt::print("\n");
      print_total("op by op", each);
      print_total("fused", fused);
      fmt::print("{:<14} {:.2f} times as fast, {:.2f} times less memory traffic\n", "fusion",
                 each.ms / fused.ms,
                 static_cast<double>(each.bytes) / static_cast<double>(std::max<int64_t>(fused.bytes, 1)));
    } else {
      int ops = graph.program().ops_before;
      fmt::print("{:<14} {} op{}, a kernel each\n", "before fusion", ops, ops == 1 ? "" : "s");
      print_total("after fusion", fused);
      print_expected(file.graph, target, options, detail::facts_of(*device, cache.get()));
    }
  }
  require_agreement(found, functions);
}

}  // namespace

void add_run(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("run", "Run a graph, from files to files");
  command->footer(R"(Examples:
  weft run axpy.weft --in x=x.npy --in y=y.npy --in alpha=0.5 --out z.npy
  weft run photo.weft --in photo=in.png --out out.png --time
  weft run softmax.weft --random 1 --verify --each-op
  weft run softmax.weft --random 1 --profile --trace trace.json

Files are NPY, or PNG when their name ends in .png: u8 and u16 samples come in as they are,
and floats from 0 to 1 go out as u8. Outputs' names end so, or in nothing. '-' is NPY on the standard input or output.)");
  add_graph_path(*command, flags->path);
  add_input_options(*command, flags->inputs);
  command
      ->add_option(
          "--out", flags->out,
          "Where an output goes, by name or number: 0=y.npy, y=y.png; may be repeated. The file alone "
          "where there is one output. Without --out, the first values are printed")
      ->type_name("[NAME=]FILE")
      ->allow_extra_args(false);
  // A flag, so that it never takes the file that follows it for its number.
  auto* time =
      command
          ->add_flag("--time{" + std::to_string(kTimes) + "}", flags->times,
                     "Time each kernel; --time=N: the median of N runs instead of " + std::to_string(kTimes))
          ->check(takes("--time", 1, 1000000));
  CLI::Option* each_op =
      command->add_flag("--each-op", flags->each_op, "Time it beside the same work op by op");
  command->add_flag("--profile", flags->profile,
                    "Print what compiling, copying and running took, once: the first run");
  command->add_option("--trace", flags->trace, "Write each piece of that on a time line, for Perfetto")
      ->type_name("FILE.json");
  command->add_flag("--verify", flags->verify, "Compare with the reference interpreter");
  add_device_options(*command, flags->device, true);
  add_compile_options(*command, flags->compile);
  each_op->excludes("--no-fuse");
  add_json_flag(*command, flags->json)->excludes(each_op);
  command->callback([flags, time] {
    flags->time = time->count() > 0;
    // CLI11 writes 0 for a flag with a default that is not given.
    if (!flags->time) flags->times = kTimes;
    run(*flags);
  });
}

}  // namespace weft::cli
