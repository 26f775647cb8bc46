#include "frontend/cpp/weft/compiled.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "compiler/base/error.h"
#include "compiler/base/short_list.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/overlap.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/compiled/function_graph.h"
#include "frontend/cpp/compiled/shared_arguments.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/dump_run.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/graphs_seen.h"
#include "frontend/cpp/evaluate/made_by.h"
#include "frontend/cpp/evaluate/parts_seen.h"
#include "frontend/cpp/evaluate/see_costs.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/derivatives.h"

namespace weft {

using detail::Access;

struct Compiled::State {
  detail::DeviceSlot* device = nullptr;
  std::vector<ir::TensorType> arguments;
  std::vector<detail::SharedArgument> shared;  // none: all are apart
  // What the program takes: an argument, or the whole of the array of which it is a part.
  struct Place {
    size_t argument;
    bool whole;
  };
  std::vector<Place> places;
  std::vector<int> place_of;                // of each input of the program; -1: a captured buffer
  std::vector<runtime::BufferRef> buffers;  // captured ones
  std::vector<Scalar> scalars;
  ir::Graph graph;  // what the program computes, for dumps and profiles
  Hash dump_key;
  // A result: an output of the program, or else a place as it came, or else a captured value.
  struct Source {
    ir::TensorType type;
    int output = -1, place = -1;
    runtime::BufferRef captured;
  };
  // f's, then what it wrote, then the least and the most of positions that it uses
  std::vector<Source> results;
  std::vector<size_t> written;                 // the places that f writes to
  std::vector<size_t> donated;                 // arguments
  std::vector<int> to_give;                    // inputs of the program whose memory results may get
  std::vector<detail::LateCheck> late_checks;  // without values
  std::vector<std::pair<detail::Ref<detail::Cell>, uint32_t>>
      captured;  // and how often they had been written to
  size_t returned = 0;
  detail::ProgramCache::Program program;

  // The array at a place of these arguments.
  Array at(const Place& place, std::span<const Array> given) const {
    const Array& argument = given[place.argument];
    return place.whole ? Access::make(Access::cell(argument)) : argument;
  }
  // Throws what the function was recorded for and what it got.
  [[noreturn]] void refuse(std::span<const Array> given) const;
  // Whether f writes to a place whose memory another argument shows, or which shows it twice.
  bool writes_shared(std::span<const Array> given) const;
  // Which inputs are donated and come back as no result.
  std::vector<int> inputs_to_give() const;
  // Those of `to_give` that nobody else holds, which have no value from then on.
  std::vector<int> taken(std::span<const Array> given, std::span<const runtime::BufferRef> inputs) const;
};

namespace {

// From now on a look at the array is an Error.
void take_value(const Array& x) {
  if (Access::view(x)) return;
  detail::Cell& cell = *Access::cell(x);
  cell.modify(detail::kInMemory, [&](const ir::NodeRef&) { return detail::donated_node(cell.type); });
}

// Whether the array is all that holds the buffer, but for the caller.
bool holds_alone(const Array& x, const runtime::BufferRef& buffer) {
  const detail::Cell& cell = *Access::cell(x);
  if (Access::view(x) || cell.lent() || !buffer->writable()) return false;
  bool alone = false;
  cell.inspect([&](const ir::NodeRef& node) {
    alone = node->op == ir::Op::input && node->use_count() == 1 && buffer.use_count() == 2;
  });
  return alone;
}

}  // namespace

void Compiled::State::refuse(std::span<const Array> given) const {
  std::string wanted, got;
  for (const ir::TensorType& type : arguments) wanted += (wanted.empty() ? "" : ", ") + to_string(type);
  for (const Array& x : given) {
    got += (got.empty() ? "" : ", ") + to_string(ir::TensorType{x.dtype(), x.shape()});
    if (x.device() != device->name) got += " on " + x.device();
  }
  throw Error("compile: the function was recorded for (" + wanted + ") on " + device->name + ": got (" + got +
              ")");
}

std::vector<int> Compiled::State::inputs_to_give() const {
  std::vector<int> out;
  if (!shared.empty() || !late_checks.empty()) return out;
  for (size_t i = 0; i < place_of.size(); ++i) {
    const int place = place_of[i];
    const bool comes_back =
        std::ranges::any_of(results, [&](const Source& source) { return source.place == place; });
    if (place >= 0 && !comes_back &&
        std::ranges::count(donated, places[static_cast<size_t>(place)].argument) > 0)
      out.push_back(static_cast<int>(i));
  }
  return out;
}

std::vector<int> Compiled::State::taken(std::span<const Array> given,
                                        std::span<const runtime::BufferRef> inputs) const {
  std::vector<int> out;
  if (to_give.empty()) return out;
  // Whoever computes meanwhile may have begun to read the memory; it is seen in the count.
  const std::unique_lock alone(device->in_place);
  for (const int i : to_give) {
    const auto input = static_cast<size_t>(i);
    const Array& argument = given[places[static_cast<size_t>(place_of[input])].argument];
    if (!holds_alone(argument, inputs[input])) continue;
    take_value(argument);
    out.push_back(i);
  }
  return out;
}

// A function as it was called with places that have no values.
struct Compiled::Recorded {
  std::shared_ptr<State> state = std::make_shared<State>();
  std::vector<ir::NodeRef> inputs;   // the places' own nodes
  std::vector<ir::NodeRef> outputs;  // as State::results
  std::vector<Array> places, given;  // `given`: for each argument a place, or a view of one

  Recorded(std::span<const Array> arguments, std::vector<detail::SharedArgument> shared, const Function& f);
  // The least and the most that each late check looks at, as outputs.
  void add_extremes();

 private:
  void add_place(const Array& argument, size_t number);
  void call(std::span<const Array> arguments, const Function& f);
};

void Compiled::Recorded::add_place(const Array& argument, size_t number) {
  detail::DeviceSlot& device = Access::cell(argument)->device;
  if (state->device && state->device != &device) {
    throw Error("compile: arrays must be on one device: got " + state->device->name + " and " + device.name);
  }
  state->device = &device;
  state->arguments.push_back({argument.dtype(), argument.shape()});
  const auto own = static_cast<int>(number);
  const detail::SharedArgument apart{own, -1, {}, {}};
  const detail::SharedArgument& how = state->shared.empty() ? apart : state->shared[number];
  const bool whole = how.part_of >= 0;
  const int first = whole ? how.part_of : how.same_as;
  if (first == own) {
    inputs.push_back(detail::input_node(whole ? how.whole : state->arguments.back(), nullptr));
    places.push_back(detail::record(device, inputs.back(), detail::kInMemory));
    state->places.push_back({number, whole});
  }
  const Array& place = first == own ? places.back() : given[static_cast<size_t>(first)];
  given.push_back(whole ? Access::make(Access::cell(place), how.view) : place);
}

void Compiled::Recorded::call(std::span<const Array> arguments, const Function& f) {
  detail::CellsRead read(places);
  detail::CellsRead::StandsFor stands_for;
  for (size_t i = 0; i < places.size(); ++i)
    stands_for.emplace_back(Access::cell(arguments[state->places[i].argument]).get(),
                            Access::cell(places[i]));
  read.refuse_behind(std::move(stands_for));
  // What is returned as it was found counts as read.
  for (const Array& result : f(given)) outputs.push_back(detail::read(result, {}));
  for (const detail::Ref<detail::Cell>& cell : read.cells())
    state->captured.emplace_back(cell, cell->writes());
  state->late_checks = read.late_checks();
}

Compiled::Recorded::Recorded(std::span<const Array> arguments, std::vector<detail::SharedArgument> shared,
                             const Function& f) {
  state->shared = std::move(shared);
  for (size_t i = 0; i < arguments.size(); ++i) add_place(arguments[i], i);
  if (!state->device) state->device = &detail::current_session().device({});
  call(arguments, f);
  state->returned = outputs.size();
  for (size_t i = 0; i < places.size(); ++i) {
    ir::NodeRef now = Access::cell(places[i])->value();
    if (now == inputs[i]) continue;
    state->written.push_back(i);
    outputs.push_back(std::move(now));
  }
}

void Compiled::Recorded::add_extremes() {
  for (detail::LateCheck& one : state->late_checks) {
    for (Array* const extreme : {&one.least, &one.most}) outputs.push_back(detail::read(*extreme, {}));
    one.value = {};
    one.least = one.most = {};
  }
}

detail::FunctionGraph detail::function_graph(const char* op, std::span<const Array> arguments,
                                             const Compiled::Function& f) {
  Compiled::Recorded body(arguments, {}, f);
  if (!body.state->written.empty())
    throw Error(std::string(op) + ": the function writes to argument " +
                std::to_string(body.state->places[body.state->written.front()].argument) +
                ": let it return what it computes");
  body.add_extremes();
  return {body.state->device, std::move(body.inputs), std::move(body.outputs),
          std::move(body.state->late_checks)};
}

Compiled::Compiled(std::span<const Array> arguments, const Function& f, std::span<const size_t> donated) {
  std::optional<Recorded> body(std::in_place, arguments, std::vector<detail::SharedArgument>{}, f);
  if (body->state->writes_shared(arguments)) {
    std::vector<detail::SharedArgument> shared = detail::shared_arguments(arguments);
    body.emplace(arguments, std::move(shared), f);
  }
  const std::shared_ptr<State> state = body->state;
  state->donated.assign(donated.begin(), donated.end());
  for (const size_t i : state->written)
    if (std::ranges::count(donated, state->places[i].argument) > 0)
      throw Error(
          "compile: the function writes to an argument that is donated: let it return what it computes, or "
          "do not donate that");
  body->add_extremes();
  std::vector<ir::NodeRef> computed;
  const auto place_of = [&](const ir::NodeRef& input) {
    const auto found = std::find(body->inputs.begin(), body->inputs.end(), input);
    return found == body->inputs.end() ? -1 : static_cast<int>(found - body->inputs.begin());
  };
  for (ir::NodeRef& output : body->outputs) {
    State::Source source{output->type, -1, -1, nullptr};
    if (output->op != ir::Op::input) {
      source.output = static_cast<int>(computed.size());
      computed.push_back(std::move(output));
    } else {
      source.place = place_of(output);
      if (source.place < 0) source.captured = detail::value_of(*output);
    }
    state->results.push_back(std::move(source));
  }
  if (computed.empty()) {
    state_ = state;
    return;
  }
  const detail::LongWork work;
  detail::Canonical graph;
  detail::prepare(*state->device, computed, graph, false);
  state->graph = detail::graph_of(computed, graph);
  if (state->device->session.dumps.on()) state->dump_key = graph.key(state->device->key);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    state->place_of.push_back(place_of(graph.inputs[i]));
    state->buffers.push_back(graph.buffers[i]);
    if (state->place_of.back() < 0 && !graph.buffers[i])
      throw Error("compile: an argument of another compiled function was kept");
  }
  state->scalars = graph.scalars;
  state->to_give = state->inputs_to_give();
  state->program = detail::program_for(*state->device, computed, graph,
                                       state->device->session.tier.load(std::memory_order_relaxed));
  state_ = state;
}

void Compiled::warm() const {
  if (!state_->program) return;
  const detail::LongWork work;
  state_->program->finish_kernels();
}

bool Compiled::recording() { return detail::records_cells(); }

bool Compiled::takes(std::span<const Array> arguments) const {
  if (arguments.size() != state_->arguments.size()) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::TensorType& type = state_->arguments[i];
    if (&Access::cell(arguments[i])->device != state_->device) return false;
    if (arguments[i].dtype() != type.dtype || arguments[i].shape() != type.shape) return false;
  }
  return true;
}

bool Compiled::is_current(std::span<const Array> arguments) const {
  return std::all_of(state_->captured.begin(), state_->captured.end(), [&](const auto& one) {
    const auto& [cell, writes] = one;
    const bool is_written = std::any_of(state_->written.begin(), state_->written.end(), [&](size_t i) {
      return Access::cell(arguments[state_->places[i].argument]) == cell;
    });
    return !is_written && cell->writes() == writes;
  });
}

bool Compiled::State::writes_shared(std::span<const Array> given) const {
  for (const size_t i : written) {
    const size_t to = places[i].argument;
    if (detail::may_overlap(Access::view(given[to]).get())) return true;
    for (size_t j = 0; j < given.size(); ++j)
      if (j != to && given[j].shares_cell(given[to]) && detail::may_share(given[j], given[to])) return true;
  }
  return false;
}

bool Compiled::stands(std::span<const Array> arguments) const {
  if (state_->shared.empty()) return !state_->writes_shared(arguments);
  return detail::same_sharing(state_->shared, detail::shared_arguments(arguments));
}

std::vector<Array> Compiled::operator()(std::span<const Array> arguments) const {
  const detail::AskedScope asked("a call of a compiled function");
  return detail::call_since(0, *this, arguments);
}

std::vector<Array> detail::call_since(int64_t since, const Compiled& f, std::span<const Array> arguments) {
  runtime::Trace& trace = f.state_->device->session.counters.trace;
  if (!trace.on()) return f.run(arguments);
  const int64_t start = since ? since : runtime::Trace::now();
  std::vector<Array> results = f.run(arguments);
  const std::span<const ir::NodeRef> outputs = f.state_->graph.outputs;
  const int64_t end = runtime::Trace::now(), ns = end - start;
  trace.pass(end);
  if (const uint64_t number = number_around(outputs)) {
    trace.add_short(number, start, ns, [&] { return event_around(outputs); });
  } else {
    runtime::TraceEvent event = event_around(outputs);
    event.start = start, event.ns = ns;
    trace.add(std::move(event));
  }
  return results;
}

std::vector<Array> Compiled::run(std::span<const Array> arguments) const {
  if (!takes(arguments)) state_->refuse(arguments);
  if (!stands(arguments)) {
    throw Error(
        "compile: an argument that the function writes to shares memory with another, or with itself, as it "
        "did not when it was "
        "recorded: give a copy, or record it with such arguments");
  }
  for (const size_t i : state_->written) {
    const State::Place& place = state_->places[i];
    if (!place.whole) detail::check_writable("compile", arguments[place.argument]);
  }
  for (const Array& x : arguments) {
    if (is_derived(x))
      throw Error(
          "compile: calls of a recorded program have no derivatives: derive the function that was recorded, "
          "and "
          "record that derivative");
  }
  // A view is read as an array of its own.
  const auto value_of = [&](int place) {
    const Array given = state_->at(state_->places[static_cast<size_t>(place)], arguments);
    return Access::view(given) ? detail::materialized(*Access::cell(given.copy()))
                               : detail::materialized(*Access::cell(given));
  };
  std::vector<runtime::BufferRef> outputs;
  if (state_->program) {
    constexpr size_t kFewInputs = 8;
    ShortList<runtime::BufferRef, kFewInputs> inputs(state_->buffers.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int place = state_->place_of[i];
      inputs[i] = place >= 0 ? value_of(place) : state_->buffers[i];
    }
    const detail::LongWork work;
    detail::DumpOfRun dump(
        *state_->device, [&] { return state_->dump_key; }, [&] { return state_->graph; }, inputs,
        state_->scalars);
    const std::vector<int> taken = state_->taken(arguments, std::span(inputs.begin(), inputs.size()));
    if (detail::PartsSeen* seen = detail::parts_seen()) seen->call(*state_->device, state_->graph);
    detail::SessionState& session = state_->device->session;
    int64_t turn = 0;  // of a profile; 0: none is on
    if (session.counters.trace.on())
      turn = detail::see_graph(*state_->device, state_->program, 0, [&] {
        see_costs(topological_order(state_->graph.outputs), state_->program->program(), nullptr,
                  session.costs_seen);
        see_oversubscription(state_->program->program(), *state_->device->device, nullptr,
                             session.costs_seen);
        return state_->graph;
      });
    outputs = state_->program->run(inputs, state_->scalars, taken);
    if (turn > 0 && detail::is_looked_at(turn))
      see_denormals(state_->graph.outputs, outputs, session.costs_seen);
    for (const runtime::BufferRef& output : outputs)
      detail::made_lately().add(
          {output, {}, detail::MadeResult::How::Program, state_->program, detail::asked_now()});
    dump.write(outputs);
  }
  std::vector<Array> results;
  results.reserve(state_->results.size());
  for (const State::Source& source : state_->results) {
    runtime::BufferRef buffer = source.output >= 0  ? std::move(outputs[static_cast<size_t>(source.output)])
                                : source.place >= 0 ? value_of(source.place)
                                                    : source.captured;
    results.push_back(detail::record(*state_->device, detail::input_node(source.type, std::move(buffer)),
                                     detail::kInMemory));
  }
  const size_t written_end = state_->returned + state_->written.size();
  for (size_t i = 0; i < state_->late_checks.size(); ++i) {
    detail::LateCheck check = state_->late_checks[i];
    check.least = results[written_end + 2 * i];
    check.most = results[written_end + 2 * i + 1];
    detail::check_late(check);
  }
  for (size_t i = state_->returned; i < written_end; ++i)
    state_->at(state_->places[state_->written[i - state_->returned]], arguments).assign(results[i]);
  for (const size_t i : state_->donated) take_value(arguments[i]);
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(state_->returned), results.end());
  return results;
}

}  // namespace weft
