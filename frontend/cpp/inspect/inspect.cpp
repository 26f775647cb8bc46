// What the compiler did with an array's graph, as text, the contract that it is one kernel, and the search
// for faster schedules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <span>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/made_by.h"
#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/evaluate/windows.h"
#include "frontend/cpp/inspect/calibrated.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/inspect/explain_now.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/parts_of_run.h"
#include "frontend/cpp/inspect/shown.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/why.h"
#include "runtime/tune.h"

namespace weft {
namespace {

using detail::Access;

struct Inspected {
  detail::DeviceSlot& device;
  std::vector<ir::NodeRef> nodes;
  detail::Canonical graph;
  std::vector<runtime::BufferRef> parts;  // of inputs

  // Arrays of one device.
  explicit Inspected(std::span<const Array> xs) : device(Access::cell(xs[0])->device) {
    for (const Array& x : xs) nodes.push_back(detail::read(x, {}));
    detail::prepare(device, nodes, graph);
    detail::drop_written_windows({}, graph);
  }
  explicit Inspected(const Array& x) : Inspected({&x, 1}) {}
  Inspected(detail::DeviceSlot& here, std::span<const ir::NodeRef> values)
      : device(here), nodes(values.begin(), values.end()) {
    detail::prepare(device, nodes, graph);
    detail::drop_written_windows({}, graph);
  }
  std::span<const runtime::BufferRef> arguments() { return detail::arguments(graph, parts); }
  bool in_memory() const { return graph.order.size() == 1 && !graph.buffers.empty(); }
};

int64_t kernel_steps(const Program& program) {
  return std::count_if(program.steps.begin(), program.steps.end(),
                       [](const ProgramStep& s) { return std::holds_alternative<KernelStep>(s); });
}

// Says of each kernel's step which way it goes when the program is next run. Where nothing is compiled, all go the
// same.
void add_ways(const Inspected& at, Explanation& explanation) {
  if (!at.device.target.compiles) return;
  const std::vector<std::optional<runtime::Way>> ways = detail::ways_now(at.device, at.nodes, at.graph);
  for (size_t k = 0; k < std::min(ways.size(), explanation.steps.size()); ++k)
    if (ways[k] && *ways[k] != runtime::Way::Kernel)
      explanation.steps[k].notes.emplace_back(*ways[k] == runtime::Way::Blocks
                                                  ? "runs in blocks"
                                                  : "runs in blocks until its kernel is compiled");
}

detail::ExplainedGraph explained(detail::DeviceSlot& device, const ir::Graph& graph, ExplainDetail much) {
  detail::ExplainedGraph out =
      detail::explained_graph(graph, compile_explained(graph, device.target, device.compile_options()));
  out.device = device.name;
  out.memory_speed = detail::memory_speed(device.device, device.session.cache.get());
  out.facts = detail::facts_of(*device.device, device.session.cache.get());
  if (much == ExplainDetail::Compiled) {
    const detail::LongWork work;
    out.compiled_steps = detail::compiled_steps(out.compiled.program, *device.device);
  }
  return out;
}

detail::ExplainedGraph explained(const Inspected& at, ExplainDetail much) {
  detail::ExplainedGraph out = explained(at.device, detail::graph_of(at.nodes, at.graph), much);
  out.round_trips = detail::round_trips_of(at.graph.inputs, at.graph.buffers);
  for (detail::CostSeen& cost : detail::costs_of(out.round_trips)) out.costs.push_back(std::move(cost));
  if (detail::is_interpreted(at.device, at.graph)) {
    const int64_t limit = at.device.session.options.interpret_limit;
    out.interpreted = "the graph's arrays have " + std::to_string(at.graph.elements) +
                      (at.graph.elements == 1 ? " element" : " elements") + " together, the largest " +
                      std::to_string(at.graph.largest) + ", and up to " + std::to_string(limit) + " or " +
                      std::to_string(limit / 16) + " no kernel is worth it";
  } else if (at.nodes.size() == 1 && detail::is_mapped(at.device, at.nodes[0])) {
    out.interpreted =
        "of " + std::to_string(element_count(at.nodes[0]->shape())) +
        " elements, which the library's own loops compute op by op sooner than a program is found";
  } else {
    add_ways(at, out.compiled.explanation);
  }
  return out;
}

bool is_computed(const Array& x) {
  return Inspected(x).in_memory() || Access::cell(x)->value()->op == ir::Op::input;
}

// ", as float() at blur.py:12 looked at it", or "" where nobody knows.
std::string asked_text(const detail::Asked& asked) {
  if (!asked.by) return {};
  const std::string where = asked.line.file ? " at " + to_string(std::span(&asked.line, 1)) : "";
  return ", as " + std::string(asked.by) + where + " looked at it";
}

// What is known of how an array came to lie in memory.
std::string history_of(const Array& x) {
  detail::Cell& cell = *Access::cell(x);
  const std::optional<detail::MadeResult> made = detail::made_lately().find(detail::memory_now(cell));
  if (!made)
    return "what computed it is not known: it was given, was small work that is done at once, or " +
           std::to_string(detail::MadeBy::kMost) +
           " results have been computed since: explain an expression before its value is looked at, or "
           "the function that gives it, as f.explain(arguments) does\n";
  const std::string line =
      (made->line.file ? ", of " + to_string(std::span(&made->line, 1)) : "") + asked_text(made->asked);
  if (made->how == detail::MadeResult::How::Loops)
    return "the library's own loops computed it op by op" + line + ": sooner than a program is found\n";
  if (made->how == detail::MadeResult::How::Host)
    return "it was made by " + made->function + line + ": NumPy answered, on the host\n";
  if (made->how == detail::MadeResult::How::Order)
    return "it was made by " + made->function + line +
           ": orders are found at once, on the host, and nothing fuses across them\n";
  if (made->how == detail::MadeResult::How::Interpreter)
    return "it was computed by the interpreter" + line + ": its graph is too small for a kernel\n";
  const std::shared_ptr<const runtime::Executable> program = made->program.lock();
  if (!program)
    return "it was computed by a program" + line +
           ", which is not kept any more: explain it before it is "
           "looked at\n";
  return "it was computed by this program" + line + ":\n" + program->program().explanation;
}

// Of the arrays that lie in memory, each history once.
std::vector<std::string> histories_of(std::span<const Array> xs) {
  std::vector<std::string> out;
  for (const Array& x : xs) {
    const ir::NodeRef value = Access::cell(x)->value();
    const bool is_argument = value->op == ir::Op::input && !detail::buffer_of(*value);  // of what is recorded
    if (is_argument || !is_computed(x)) continue;
    std::string history = history_of(x);
    if (std::ranges::find(out, history) == out.end()) out.push_back(std::move(history));
  }
  return out;
}

// Memory that the arrays are, show a part of, or are computed of.
std::vector<runtime::BufferRef> memory_of(std::span<const Array> xs) {
  std::vector<ir::NodeRef> nodes;
  for (const Array& x : xs) nodes.push_back(detail::read(x, {}));
  std::vector<runtime::BufferRef> out;
  for (const Array& x : xs)  // small parts are read as copies
    if (const ir::NodeRef whole = Access::cell(x)->value(); whole->op == ir::Op::input)
      if (runtime::BufferRef buffer = detail::buffer_of(*whole)) out.push_back(std::move(buffer));
  for (const ir::Node* n : ir::topological_order(nodes))
    if (n->op == ir::Op::input)
      if (runtime::BufferRef buffer = detail::buffer_of(*n)) out.push_back(std::move(buffer));
  return out;
}

// What is said of it, each once.
std::vector<std::string> said_of(std::span<const Array> xs) {
  std::vector<std::string> out;
  for (const runtime::BufferRef& buffer : memory_of(xs)) {
    std::string text = detail::said_of_memory().find(*buffer);
    if (!text.empty() && std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

// What is still to be computed, by device.
std::vector<std::vector<Array>> pending_by_device(std::span<const Array> xs) {
  std::vector<std::vector<Array>> pending;
  for (const Array& x : xs) {
    const detail::Cell& cell = *Access::cell(x);
    if (is_computed(x)) continue;
    auto here = std::find_if(pending.begin(), pending.end(), [&](const auto& those) {
      return &Access::cell(those[0])->device == &cell.device;
    });
    if (here == pending.end()) here = pending.emplace(here);
    here->push_back(x);
  }
  return pending;
}

std::vector<detail::ExplainedGraph> explained(std::span<const Array> xs, ExplainDetail much) {
  std::vector<std::vector<Array>> pending = pending_by_device(xs);
  std::vector<detail::ExplainedGraph> out;
  out.reserve(pending.size());
  for (const std::vector<Array>& those : pending) out.push_back(explained(Inspected(those), much));
  return out;
}

// Those that are still to be computed, which have to be of one device.
std::vector<Array> to_compute(const char* op, std::span<const Array> xs) {
  std::vector<Array> out;
  for (const Array& x : xs) {
    if (Inspected(x).in_memory()) continue;
    if (!out.empty() && &Access::cell(out[0])->device != &Access::cell(x)->device)
      throw Error(std::string(op) + ": takes arrays of one device: got " + Access::cell(out[0])->device.name +
                  " and " + Access::cell(x)->device.name);
    out.push_back(x);
  }
  return out;
}

}  // namespace

detail::ExplainedGraph detail::explained_nodes(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                               ExplainDetail detail) {
  return explained(Inspected(device, nodes), detail);
}

std::vector<detail::ExplainedGraph> detail::explained_pending(std::span<const Array> xs,
                                                              ExplainDetail detail) {
  return explained(xs, detail);
}

std::vector<detail::PendingGraph> detail::pending_graphs(std::span<const Array> xs) {
  std::vector<PendingGraph> out;
  for (const std::vector<Array>& those : pending_by_device(xs)) {
    const Inspected at(those);
    out.push_back({&at.device, graph_of(at.nodes, at.graph)});
  }
  return out;
}

ir::Graph detail::graph_now(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  const Inspected at(device, nodes);
  return graph_of(at.nodes, at.graph);
}

detail::ExplainedGraph detail::explained_recorded(DeviceSlot& device, const ir::Graph& graph,
                                                  ExplainDetail detail) {
  return explained(device, graph, detail);
}

void say_of(const Array& x, std::string text) {
  text += "\n";
  for (const runtime::BufferRef& buffer : memory_of({&x, 1})) detail::said_of_memory().add(buffer, text);
}

std::string explain(const Array& x) { return explain({&x, 1}, ExplainDetail::All); }

std::string explain(std::span<const Array> xs) { return explain(xs, ExplainDetail::All); }

std::string explain(std::span<const Array> xs, ExplainDetail detail) {
  const std::vector<detail::ExplainedGraph> programs = explained(xs, detail);
  std::string all;
  for (const std::string& said : said_of(xs)) all += said;
  if (programs.empty()) {
    all += xs.size() != 1                 ? "the values lie in memory: nothing to compute\n"
           : Inspected(xs[0]).in_memory() ? "the value lies in memory: nothing to compute\n"
                                          : "a view of a value that lies in memory: nothing to compute\n";
    for (const std::string& history : histories_of(xs)) all += history;
    return all;
  }
  for (const detail::ExplainedGraph& program : programs) {
    if (programs.size() > 1) all += "on " + program.device + ":\n";
    all += text_of(program, detail);
  }
  return all;
}

std::string explain_json(std::span<const Array> xs, ExplainDetail detail) {
  std::vector<std::string> computed = said_of(xs);
  for (std::string& history : histories_of(xs)) computed.push_back(std::move(history));
  return json_of(explained(xs, detail), computed);
}

void one_kernel(std::span<const Array> xs) {
  const std::vector<Array> pending = to_compute("one_kernel", xs);
  if (!pending.empty()) {
    Inspected at(pending);
    const detail::ProgramCache::Program known = detail::program_for(
        at.device, at.nodes, at.graph, at.device.session.tier.load(std::memory_order_relaxed));
    const Program& program = known->program();
    if (kernel_steps(program) != static_cast<int64_t>(program.steps.size()) || program.steps.size() > 1) {
      const size_t library = program.steps.size() - static_cast<size_t>(kernel_steps(program));
      throw Error("one_kernel: " +
                  std::string(pending.size() > 1 ? "the arrays must be one kernel together"
                                                 : "the array must be one kernel") +
                  ": got " + std::to_string(kernel_steps(program)) + " kernels and " +
                  std::to_string(library) + " library calls or copies\n" +
                  advice_of(explained(at, ExplainDetail::All)) + program.explanation);
    }
    if (std::ranges::none_of(pending, [](const Array& x) { return static_cast<bool>(Access::view(x)); })) {
      const auto results = known->run(at.arguments(), at.graph.scalars);
      for (size_t k = 0; k < results.size(); ++k)
        at.nodes[k]->set_computed(detail::input_node(at.nodes[k]->type, results[k]));
    }
  }
  eval(xs);
}

const Array& one_kernel(const Array& x) {
  one_kernel({&x, 1});
  return x;
}

std::string tune(std::span<const Array> xs, double seconds) {
  if (!(seconds >= 0))
    throw Error("tune: takes seconds, 0 or more: got " + ir::to_string(Scalar::of(seconds)));
  const std::vector<Array> pending = to_compute("tune", xs);
  if (pending.empty()) return "the value lies in memory: nothing to tune\n";
  Inspected at(pending);
  const detail::LongWork work;
  detail::SessionState& session = at.device.session;
  Options options = session.compile_options();
  const auto compiling = [&](const Choose& choose) {
    options.choose = choose;
    return compile(detail::graph_of(at.nodes, at.graph), at.device.target, options);
  };
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto run = [&](const runtime::Executable& program) {
    const auto start = Clock::now();
    program.run(at.arguments(), at.graph.scalars);
    at.device.device->synchronize();
    return seconds_since(start);
  };
  const auto start = Clock::now();
  const runtime::TuneClock clock{[&](const runtime::Executable& program) {
                                   run(program);  // takes memory from the system
                                   std::array<double, 9> times;
                                   for (double& t : times) t = run(program) * 1e3;
                                   std::nth_element(times.begin(), times.begin() + 4, times.end());
                                   return times[4];
                                 },
                                 [&] { return seconds_since(start); }};
  const auto kernels =
      runtime::tune(compiling, at.device.device, session.counters, at.device.choices, clock, seconds);
  for (const Tier tier : {Tier::Auto, Tier::Compile, Tier::Blocks})
    session.programs.forget(at.graph.key(detail::program_seed(at.device, tier, options.numerics)));
  return report(kernels);
}

std::string tune(const Array& x, double seconds) { return tune({&x, 1}, seconds); }

std::string show(std::span<const Array> xs, const std::string& stage) {
  const std::vector<Array> pending = to_compute("show", xs);
  if (xs.empty()) return "";
  Inspected at(pending.empty() ? xs.first(1) : std::span<const Array>(pending));
  detail::check_stage(at.device, stage);
  if (pending.empty()) return detail::nothing_to_show(stage);
  return detail::shown_graph(at.device, detail::graph_of(at.nodes, at.graph), stage);
}

std::string explain_call(const std::function<std::vector<Array>()>& call, ExplainDetail detail) {
  detail::ExplainedRun run(detail);
  run.add_rest(call());
  return run.text();
}

std::string explain_call_json(const std::function<std::vector<Array>()>& call, ExplainDetail detail) {
  detail::ExplainedRun run(detail);
  run.add_rest(call());
  return run.json();
}

std::string show_call(const std::function<std::vector<Array>()>& call, const std::string& stage) {
  detail::ShownRun run(stage);
  run.add_rest(call());
  return run.text();
}

std::string why(size_t most) {
  return detail::why_text(detail::last_planned(detail::current_session(), most));
}

std::string show(const Array& x, const std::string& stage) { return show({&x, 1}, stage); }

}  // namespace weft
