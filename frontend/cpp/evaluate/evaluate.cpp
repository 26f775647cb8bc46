#include "frontend/cpp/evaluate/evaluate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "compiler/base/per_thread.h"
#include "compiler/base/repeat.h"
#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/interpret/rounding.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/dump_run.h"
#include "frontend/cpp/evaluate/find_nans.h"
#include "frontend/cpp/evaluate/graphs_seen.h"
#include "frontend/cpp/evaluate/held_nodes.h"
#include "frontend/cpp/evaluate/made_by.h"
#include "frontend/cpp/evaluate/maps_now.h"
#include "frontend/cpp/evaluate/parts_seen.h"
#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/evaluate/see_costs.h"
#include "frontend/cpp/evaluate/turns.h"
#include "frontend/cpp/evaluate/windows.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/log_sink.h"
#include "frontend/cpp/session/long_work.h"
#include "runtime/load_program.h"

namespace weft::detail {
namespace {

size_t bytes_of(const ir::TensorType& type) {
  return static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype);
}

// Of each node the line that recorded it.
std::vector<SourceLine> lines_of(const Canonical& graph) {
  std::vector<SourceLine> lines;
  lines.reserve(graph.order.size());
  for (const ir::Node* node : graph.order) lines.push_back(node->lines.only());
  return lines;
}

runtime::TraceEvent interpreted_event(const Canonical& graph) {
  runtime::TraceEvent event;
  event.work = runtime::Work::Interpret;
  ir::Lines lines;
  size_t count = 0;
  for (const ir::Node* node : graph.order) {
    if (ir::kind(node->op) == ir::OpKind::Source) continue;
    lines = lines.united(node->lines);
    ++count;
  }
  event.what = std::to_string(count) + (count == 1 ? " op" : " ops");
  event.lines = lines.all();
  return event;
}

std::vector<runtime::BufferRef> on_host(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                        const Canonical& graph) {
  auto timed = runtime::timed(device.session.counters.trace);
  std::vector<std::vector<std::byte>> copies;
  const std::vector<ir::Elements> inputs = host_inputs(device, graph, copies);
  const std::vector<ir::HostTensor> values = interpreted(nodes, graph, inputs);
  std::vector<runtime::BufferRef> result;
  for (const ir::HostTensor& value : values) {
    result.push_back(device.device->allocate(value.data.size()));
    device.device->upload(*result.back(), 0, value.data.data(), value.data.size());
    made_lately().add({result.back(),
                       nodes[result.size() - 1]->lines.only(),
                       MadeResult::How::Interpreter,
                       {},
                       asked_now()});
  }
  ++device.session.counters.interpreted;
  timed.end([&] { return interpreted_event(graph); });
  return result;
}

// The lines of this graph that stand where a program's steps had theirs when it was compiled for another; none where
// they are the same.
runtime::LinesNow lines_now(const std::vector<SourceLine>& recorded, const Canonical& graph) {
  const auto is_own = [](const SourceLine& line, const ir::Node* node) {
    return are_one(line, node->lines.only());
  };
  if (recorded.size() != graph.order.size() || std::ranges::equal(recorded, graph.order, is_own)) return {};
  std::vector<SourceLine> now = lines_of(graph);
  uint64_t number = 0;
  for (const SourceLine& line : now) {
    const std::array<uint64_t, 3> one{reinterpret_cast<uintptr_t>(line.file), line.line, line.callers};
    number = hash_bytes(one.data(), sizeof one, number).low;
  }
  // The program outlives its run.
  return {[&recorded, now = std::move(now)](const std::vector<SourceLine>& lines) {
            ir::Lines found;
            for (size_t i = 0; i < now.size(); ++i)
              if (now[i].file &&
                  std::ranges::any_of(lines, [&](auto& line) { return are_one(line, recorded[i]); }))
                found = found.united(now[i]);
            return found.all();
          },
          number};
}

// Whether the graph's arrays are too few or too small for a kernel to be worth its compilation.
bool is_small(const DeviceSlot& device, const Canonical& graph) {
  const int64_t limit = device.session.options.interpret_limit;
  // Of memory that the host has to ask for each array costs more than a kernel, however small it is.
  const bool tiny = device.device->host_visible() && graph.largest <= limit / 16;
  return tiny || graph.elements <= limit;
}

}  // namespace

Tier tier_of(const DeviceSlot& device, const Canonical& graph) {
  const Tier tier = device.session.tier.load(std::memory_order_relaxed);
  return tier == Tier::Compile && device.device->runs_blocks() && is_small(device, graph) ? Tier::Blocks
                                                                                          : tier;
}

bool is_interpreted(const DeviceSlot& device, const Canonical& graph) {
  if (graph.applies && !device.target.compiles) return true;
  if (!is_small(device, graph)) return false;
  return !device.device->runs_blocks() ||
         std::ranges::all_of(graph.order, [](const ir::Node* n) { return ir::rounds_as_kernels(*n); });
}

uint64_t program_seed(const DeviceSlot& device, Tier tier, Numerics numerics) {
  return device.key ^ static_cast<uint64_t>(numerics) ^ (static_cast<uint64_t>(tier) << 32);
}

namespace {

// Where block programs stand in what a session's tier asks for. A schedule that was tuned is kept under what its
// kernel's text says, so that is not late.
Blocks blocks_of(DeviceSlot& device, Tier tier) {
  if (tier == Tier::Compile || !device.device->runs_blocks()) return Blocks::None;
  if (tier == Tier::Blocks) return Blocks::Instead;
  return device.choices.any() ? Blocks::Beside : Blocks::BesideLate;
}

}  // namespace

ProgramCache::Program program_for(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                  const Canonical& graph, Tier tier, std::vector<int> donated) {
  SessionState& session = device.session;
  const Numerics numerics = session.numerics.load(std::memory_order_relaxed);
  uint64_t seed = program_seed(device, tier, numerics);
  if (!donated.empty()) seed = hash_bytes(donated.data(), donated.size() * sizeof(int), seed).low;
  const Hash key = graph.key(seed);
  if (ProgramCache::Program known = session.programs.find(key)) {
    session.counters.program_hits.fetch_add(1, std::memory_order_relaxed);
    return known;
  }
  session.counters.program_misses.fetch_add(1, std::memory_order_relaxed);
  Options options = session.compile_options();
  options.numerics = numerics;
  options.donated = std::move(donated);
  options.blocks = blocks_of(device, tier);
  std::optional<Planned> planned;
  const int64_t compiles = session.counters.compiles.load(std::memory_order_relaxed);
  ProgramCache::Program program = runtime::load_program(
      [&](const Choose& choose) {
        options.choose = choose;
        const ir::Graph recorded = graph_of(nodes, graph);
        if (!planned) planned = planned_of(recorded), planned->at = runtime::Trace::now();
        Program made = compile(recorded, device.target, options);
        made.recorded = lines_of(graph);
        return made;
      },
      device.device, session.counters, device.choices, tier == Tier::Auto ? &session.compiling : nullptr);
  if (planned) {
    planned->key = key;
    planned->settings = fmt::format("the device {}, numerics {} and tier {}", device.name,
                                    weft::to_string(numerics), weft::to_string(tier));
    planned->ends_turn = asked_now().by == kEndOfTurn;
    planned->is_known = session.programs.find(key) != nullptr;
    planned->kernels = static_cast<int64_t>(program->program().kernels.size());
    planned->compiled =
        std::min(planned->kernels, session.counters.compiles.load(std::memory_order_relaxed) - compiles);
    const std::string where = to_string(planned->lines), ops = planned->ops;
    const std::string reason = note_planned(session, *std::move(planned));
    if (const auto log = logger_named(kRecompiles); log->should_log(spdlog::level::info))
      log->info("planned {}{}{}: {}", where, where.empty() ? "" : ": ", ops, reason);
  }
  if (session.log->should_log(spdlog::level::debug)) {
    session.log->debug("program {}: {} nodes, {} ops, {} kernels", to_string(key), graph.order.size(),
                       program->program().ops_before, program->program().kernels.size());
  }
  return session.programs.put(key, std::move(program));
}

std::vector<std::optional<runtime::Way>> ways_now(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                                  const Canonical& graph) {
  SessionState& session = device.session;
  const Tier tier = tier_of(device, graph);
  Options options = device.compile_options();
  const uint64_t seed = program_seed(device, tier, options.numerics);
  if (ProgramCache::Program known = session.programs.find(graph.key(seed))) return known->ways();
  options.blocks = blocks_of(device, tier);
  return runtime::first_ways(compile(graph_of(nodes, graph), device.target, options), *device.device,
                             tier == Tier::Auto);
}

void prepare(DeviceSlot& device, std::span<const ir::NodeRef> nodes, Canonical& graph, bool windows) {
  // A graph that writes memory in place runs with the lock held alone: its nodes have no sound memory
  // meanwhile.
  std::shared_lock lock(device.in_place, std::try_to_lock);
  if (!lock) {
    const LongWork wait;  // whoever holds it may ask for the interpreter's lock
    lock.lock();
  }
  canonicalize(nodes, graph);
  if (windows && device.device->host_visible()) find_windows(nodes, graph);
  if (!graph.equals.empty()) {
    const Hash which = hash_bytes(graph.equals.data(), graph.equals.size() * sizeof(uint32_t));
    if (!device.session.equal_numbers.may_be_one(graph.key(device.key), which)) graph.equals.clear();
    graph.unite_equal_numbers();
  }
  for (const runtime::BufferRef& buffer : graph.buffers)
    if (buffer) buffer->complete();
}

namespace {

// A thread's scratch; buffers are not held for longer than they are needed.
struct ThreadCanonical {
  Canonical& graph = PerThread<Canonical>::get();
  ~ThreadCanonical() { graph.clear(); }
};

void check_values(const Canonical& graph) {
  for (size_t i = 0; i < graph.buffers.size(); ++i)
    if (!graph.buffers[i]) value_of(*graph.inputs[i]);
}

constexpr int64_t kMostBytesOfAnElement = 16;

// Nodes in a row: where computing a value again would be a loop's worth of work.
constexpr uint32_t kDeep = 64;
// References from elsewhere: that of an array's name, and that of a value made of it that is still to be
// computed, for which it will be needed again. A few operations are done again as soon as their result is
// read.
constexpr uint32_t kNamedAndNeeded = 2, kFew = 4;

std::vector<ir::NodeRef> worth_keeping(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                       const Canonical& graph) {
  KeptLines& lines = device.session.kept_lines;
  for (const ir::Node* node : graph.order)
    if (node->let_go()) lines.add(node->lines.only());
  std::optional<Hash> key;
  const auto keeps_line = [&](const Held& held) {
    const ir::SourceLine& line = held.node.lines.only();
    if (!line.file) return false;
    if (!key) key = graph.key(device.key);
    const std::array<uint64_t, 5> place{key->low, key->high, held.number, line.line,
                                        reinterpret_cast<uintptr_t>(line.file)};
    return lines.keeps(hash_bytes(place.data(), sizeof place), line);
  };
  const auto wanted = [&](const Held& held) {
    const bool needed_again = held.others >= kNamedAndNeeded && held.depth >= kFew;
    if (held.depth >= kDeep || needed_again || keeps_line(held)) return true;
    held.node.set_let_go();
    return false;
  };
  return held_elsewhere(nodes, graph, std::ref(wanted));
}

}  // namespace

namespace {

Hash dump_key(const DeviceSlot& device, const Canonical& graph) {
  return graph.key(program_seed(device, Tier::Auto, device.session.numerics.load(std::memory_order_relaxed)));
}

std::vector<runtime::BufferRef> run(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                    const Canonical& graph, const ProgramCache::Program& program,
                                    const std::vector<int>& given = {}) {
  try {
    std::vector<runtime::BufferRef> parts;
    const std::span<const runtime::BufferRef> inputs = arguments(graph, parts);
    runtime::LinesNow lines;
    bool look = false;  // at values
    if (device.session.counters.trace.on()) {
      lines = lines_now(program->program().recorded, graph);
      const int64_t turn = see_graph(device, program, lines.number, [&] { return graph_of(nodes, graph); });
      look = is_looked_at(turn);
      if (turn == 1) {
        see_costs(graph.order, program->program(), lines ? &lines : nullptr, device.session.costs_seen);
        see_oversubscription(program->program(), *device.device, lines ? &lines : nullptr,
                             device.session.costs_seen);
      }
      if (look) see_denormals(graph, device.session.costs_seen);
    }
    DumpOfRun dump(
        device, [&] { return dump_key(device, graph); }, [&] { return graph_of(nodes, graph); }, inputs,
        graph.scalars);
    std::vector<runtime::BufferRef> results =
        program->run(inputs, graph.scalars, given, lines ? &lines : nullptr);
    put_back(nodes, graph, inputs, results);
    if (look) see_denormals(nodes, results, device.session.costs_seen);
    for (size_t i = 0; i < results.size(); ++i)
      made_lately().add({results[i], nodes[i]->lines.only(), MadeResult::How::Program, program, asked_now()});
    dump.write(results);
    return results;
  } catch (const runtime::BufferRefused& e) {
    // The same program may have been compiled for other lines.
    Options options = device.session.compile_options();
    if (graph.updates) options.donated = given;
    const Program own = compile(graph_of(nodes, graph), device.target, options);
    const auto buffer = static_cast<size_t>(e.buffer);
    if (buffer >= own.buffers.size()) throw;
    throw OutOfMemory(own.buffers[buffer].what + ": " + e.reason);
  }
}

bool watches(const DeviceSlot& device) {
  return device.session.watch.load(std::memory_order_relaxed) != Watch::Nothing;
}

// `alone` is to be held until the nodes have their values.
std::vector<runtime::BufferRef> compiled(DeviceSlot& device, std::span<const ir::NodeRef> nodes,
                                         Canonical& graph, std::unique_lock<std::shared_mutex>& alone) {
  ProgramCache::Program program;
  if (!graph.updates) {
    program = program_for(device, nodes, graph, tier_of(device, graph));
    if (program->most_taken() < kWorthTakingOver && !program->saves_a_copy())
      return run(device, nodes, graph, program);
  }
  // Who looks for NaN computes the graph again from what its inputs hold.
  if (watches(device) || dying_inputs(nodes, graph).empty()) {
    drop_written_windows({}, graph);
    if (!program) program = program_for(device, nodes, graph, tier_of(device, graph));
    return run(device, nodes, graph, program);
  }
  // Whoever holds the lock meanwhile may have begun to read what dies.
  alone.lock();
  const std::vector<int> dying = dying_inputs(nodes, graph);
  drop_written_windows(dying, graph);
  const std::vector<int> given = to_give(dying, graph);
  if (!program) program = program_for(device, nodes, graph, tier_of(device, graph), given);
  return run(device, nodes, graph, program, given);
}

// What the device's pending writes are to be computed to; those that were computed meanwhile are forgotten.
std::vector<ir::NodeRef> pending_values(DeviceSlot& device) {
  std::vector<ir::NodeRef> pending;
  device.pending_writes.keep_if([&](Awaited& cell) {
    ir::NodeRef value = static_cast<Cell&>(cell).memory();
    if (value->op == ir::Op::input || value->computed()) return false;
    pending.push_back(std::move(value));
    return true;
  });
  return pending;
}

// Makes what waits to be written to memory that the graph reads outputs of it. Whether there was any.
bool add_writes(DeviceSlot& device, std::vector<ir::NodeRef>& outputs, Canonical& graph) {
  if (!device.pending_writes.any() || graph.largest * kMostBytesOfAnElement < kWorthWritingInPlace ||
      records_cells())
    return false;
  std::vector<ir::NodeRef> writes;
  for (ir::NodeRef& value : pending_values(device)) {
    const bool asked = std::find(outputs.begin(), outputs.end(), value) != outputs.end();
    if (!asked && replaces_what_is_read(*value, graph)) writes.push_back(std::move(value));
  }
  if (writes.empty()) return false;
  const size_t asked = outputs.size();
  outputs.insert(outputs.end(), writes.begin(), writes.end());
  prepare(device, outputs, graph);
  if (std::find(graph.buffers.begin(), graph.buffers.end(), nullptr) == graph.buffers.end()) return true;
  // An argument of a function that is being recorded has no value.
  outputs.resize(asked);
  prepare(device, outputs, graph);
  return false;
}

// A constant in memory, filled by the host; null where it is none, or so large that a kernel does it sooner.
runtime::BufferRef filled(DeviceSlot& device, const ir::Node& node) {
  if (node.op != ir::Op::constant || node.computed() || !device.device->host_visible()) return nullptr;
  const int64_t count = element_count(node.shape());
  if (count > device.session.options.interpret_limit * kFilledElements) return nullptr;
  runtime::BufferRef buffer = device.device->allocate(bytes_of(node.type));
  std::byte item[kMostBytesOfAnElement];
  node.as<ir::ConstantAttr>().value.store(item);
  repeat(static_cast<std::byte*>(buffer->data()), item, size_of(node.dtype()), static_cast<size_t>(count));
  node.set_computed(input_node(node.type, buffer));
  ++device.session.counters.interpreted;
  return buffer;
}

// Who asks for kernels gets kernels.
bool may_be_mapped(const DeviceSlot& device, const ir::Node& node) {
  constexpr int64_t kLimits = 4;  // so many times what the interpreter takes together
  return element_count(node.shape()) <= kLimits * device.session.options.interpret_limit &&
         device.session.tier.load(std::memory_order_relaxed) != Tier::Compile;
}

runtime::BufferRef mapped(DeviceSlot& device, const ir::NodeRef& node, runtime::TimedOnHost& since) {
  if (device.session.dumps.on() || !may_be_mapped(device, *node)) return nullptr;
  MapsNow& maps = MapsNow::of_thread();
  if (!maps.compute_untold(device, node)) return nullptr;
  runtime::BufferRef buffer = maps.give();
  node->set_computed(input_node(node->type, buffer));
  made_lately().add({buffer, node->lines.only(), MadeResult::How::Loops, {}, asked_now()});
  ++device.session.counters.interpreted;
  maps.tell(since);
  return buffer;
}

}  // namespace

namespace {

// What is computed now, and what looked at it.
void log_flush(const DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  std::string values;
  for (const ir::NodeRef& node : nodes) {
    const std::string lines = ir::to_string(node->lines);
    values += fmt::format("{}{} : {}{}{}", values.empty() ? "" : ", ", ir::called(*node), name(node->dtype()),
                          to_string(node->shape()), lines.empty() ? "" : " at " + lines);
  }
  const Asked& asked = asked_now();
  const std::string where = asked.line.file ? " at " + weft::to_string(std::span(&asked.line, 1)) : "";
  device.session.log->trace("computes {}{}", values,
                            asked.by ? fmt::format(", as {}{} looked", asked.by, where) : "");
}

}  // namespace

namespace {

// The graph that is evaluated keeps its numbers: these have their own.
bool is_any_true(DeviceSlot& device, std::span<const ir::NodeRef> bools) {
  Canonical graph;
  prepare(device, bools, graph, false);
  const ProgramCache::Program program = program_for(device, bools, graph, tier_of(device, graph));
  for (const runtime::BufferRef& found : program->run(graph.buffers, graph.scalars)) {
    std::byte any{};
    device.device->download(&any, *found, 0, sizeof any);
    if (any != std::byte{}) return true;
  }
  return false;
}

}  // namespace

bool is_mapped(DeviceSlot& device, const ir::NodeRef& node) {
  return may_be_mapped(device, *node) && MapsNow::of_thread().takes(device, node);
}

std::vector<runtime::BufferRef> evaluate(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  const bool lie_in_memory =
      std::all_of(nodes.begin(), nodes.end(), [](const ir::NodeRef& n) { return n->op == ir::Op::input; });
  std::vector<runtime::BufferRef> result;
  if (lie_in_memory) {
    for (const ir::NodeRef& n : nodes) result.push_back(value_of(*n));
    return result;
  }
  auto evaluating = runtime::timed(device.session.counters.trace);
  const auto done = [&](std::vector<runtime::BufferRef> buffers) {
    if (const uint64_t number = evaluating ? number_around(nodes) : 0)
      evaluating.end_short(number, [&] { return event_around(nodes); });
    else
      evaluating.end([&] { return event_around(nodes); });
    return buffers;
  };
  flushed();
  if (PartsSeen* seen = parts_seen()) seen->flush(device, nodes);
  if (device.session.log->should_log(spdlog::level::trace)) log_flush(device, nodes);
  if (nodes.size() == 1) {
    if (runtime::BufferRef buffer = filled(device, *nodes[0])) return {std::move(buffer)};
    if (runtime::BufferRef buffer = mapped(device, nodes[0], evaluating)) return {std::move(buffer)};
  }
  ThreadCanonical scratch;
  Canonical& graph = scratch.graph;
  const bool watching = watches(device);
  prepare(device, nodes, graph, !watching && !device.session.dumps.on());
  check_values(graph);
  if (graph.order.size() == 1 && !graph.buffers.empty()) {
    // The node was computed for another array.
    result.assign(nodes.size(), graph.buffers[0]);
    return result;
  }
  std::vector<ir::NodeRef> outputs(nodes.begin(), nodes.end());
  const bool wrote = !watching && add_writes(device, outputs, graph);
  std::vector<ir::NodeRef> kept = worth_keeping(device, outputs, graph);
  for (ir::NodeRef& reader : held_readers(outputs, graph, kWorthWritingInPlace))
    if (std::find(kept.begin(), kept.end(), reader) == kept.end()) kept.push_back(std::move(reader));
  if (!kept.empty()) {
    add_outputs(kept, graph);
    drop_kept_windows(kept, graph);
    outputs.insert(outputs.end(), kept.begin(), kept.end());
  }
  const auto keep = [&](std::vector<runtime::BufferRef> buffers) {
    if (watching)
      refuse_nans(device, outputs, graph, buffers, [&](std::span<const ir::NodeRef> bools) {
        return is_interpreted(device, graph) || is_any_true(device, bools);
      });
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i]->op != ir::Op::input) outputs[i]->set_computed(input_node(outputs[i]->type, buffers[i]));
    if (wrote) pending_values(device);  // lets their graphs go
    buffers.resize(nodes.size());
    return done(std::move(buffers));
  };
  if (is_interpreted(device, graph)) return keep(on_host(device, outputs, graph));
  std::unique_lock alone(device.in_place, std::defer_lock);
  try {
    return keep(compiled(device, outputs, graph, alone));
  } catch (const runtime::NoCompilerLeft&) {
    return keep(on_host(device, outputs, graph));
  }
}

runtime::BufferRef evaluate_if_small(DeviceSlot& device, const ir::NodeRef& node) {
  if (node->op == ir::Op::input) return buffer_of(*node);
  ThreadCanonical scratch;
  Canonical& graph = scratch.graph;
  prepare(device, {&node, 1}, graph, false);
  if (std::find(graph.buffers.begin(), graph.buffers.end(), nullptr) != graph.buffers.end()) return nullptr;
  if (graph.order.size() == 1 && !graph.buffers.empty()) return graph.buffers[0];
  if (watches(device)) return is_small(device, graph) ? evaluate(device, {&node, 1})[0] : nullptr;
  if (is_interpreted(device, graph)) {
    if (PartsSeen* seen = parts_seen()) seen->flush(device, {&node, 1});
    return on_host(device, {&node, 1}, graph)[0];
  }
  return is_small(device, graph) ? evaluate(device, {&node, 1})[0] : nullptr;
}

void materialize(std::span<Cell* const> cells) {
  const auto is_pending = [](const Cell* cell) {
    const ir::NodeRef value = cell->memory();
    return value->op != ir::Op::input && !value->computed();
  };
  if (cells.size() == 1) {
    if (is_pending(cells[0])) materialized(*cells[0]);
    return;
  }
  std::vector<Cell*> left;
  for (Cell* cell : cells)
    if (is_pending(cell) && std::find(left.begin(), left.end(), cell) == left.end()) left.push_back(cell);
  if (left.size() == 1) {
    materialized(*left.front());
    return;
  }
  const LongWork work;
  while (!left.empty()) {
    DeviceSlot& device = left.front()->device;
    std::vector<Cell*> here, elsewhere;
    std::vector<ir::NodeRef> nodes;
    for (Cell* cell : left) {
      (&cell->device == &device ? here : elsewhere).push_back(cell);
      if (&cell->device == &device) nodes.push_back(cell->value());
    }
    evaluate(device, nodes);
    nodes.clear();
    for (const Cell* cell : here) cell->value();  // lets the graph go
    left = std::move(elsewhere);
  }
}

runtime::BufferRef materialized(Cell& cell) {
  if (!cell.lent()) return memory_now(cell);
  note_read(cell);
  return value_of(*cell.value());
}

runtime::BufferRef memory_now(Cell& cell) {
  note_read(cell);
  runtime::BufferRef buffer;
  ir::NodeRef node;
  cell.inspect([&](const ir::NodeRef& now) {
    if (now->op == ir::Op::input) buffer = buffer_of(*now);
    if (!buffer) node = now;
  });
  if (buffer) return buffer;
  if (node->op == ir::Op::input) return value_of(*node);
  {
    const LongWork work;
    buffer = evaluate(cell.device, {&node, 1})[0];
  }
  node = {};
  cell.value();  // lets the graph go
  return buffer;
}

}  // namespace weft::detail
