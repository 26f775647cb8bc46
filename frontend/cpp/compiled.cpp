#include "frontend/cpp/weft/compiled.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/base/short_list.h"
#include "frontend/cpp/canonical.h"
#include "frontend/cpp/cell.h"
#include "frontend/cpp/evaluate.h"
#include "frontend/cpp/long_work.h"
#include "frontend/cpp/record.h"
#include "frontend/cpp/resident_index.h"

namespace weft {

using detail::Access;

struct Compiled::State {
  detail::DeviceSlot* device = nullptr;
  std::vector<ir::TensorType> arguments;
  std::vector<int> argument_of;             // of each input of the program; -1: a captured buffer
  std::vector<runtime::BufferRef> buffers;  // captured ones
  std::vector<Scalar> scalars;
  // A result: an output of the program, or else an argument as it came, or else a captured value.
  struct Source {
    ir::TensorType type;
    int output = -1, argument = -1;
    runtime::BufferRef captured;
  };
  // f's, then what it wrote, then the least and the most of positions that it uses
  std::vector<Source> results;
  std::vector<int> written;                           // the arguments that f writes to
  std::vector<detail::LatePositions> late_positions;  // without values
  std::vector<std::pair<detail::Ref<detail::Cell>, uint32_t>>
      captured;  // and how often they had been written to
  size_t returned = 0;
  detail::ProgramCache::Program program;
};

Compiled::Compiled(std::span<const Array> arguments, const Function& f) {
  auto state = std::make_shared<State>();
  std::vector<Array> places;
  std::vector<ir::NodeRef> inputs;
  for (const Array& argument : arguments) {
    detail::DeviceSlot& device = Access::cell(argument)->device;
    if (state->device && state->device != &device) {
      throw Error("compile: arrays must be on one device: got " + state->device->name + " and " +
                  device.name);
    }
    state->device = &device;
    state->arguments.push_back({argument.dtype(), argument.shape()});
    inputs.push_back(detail::input_node(state->arguments.back(), nullptr));
    places.push_back(detail::record(device, inputs.back(), detail::kInMemory));
  }
  std::vector<ir::NodeRef> outputs;
  std::vector<detail::LatePositions> late;
  {
    const detail::CellsRead read(places);
    // What is returned as it was found counts as read.
    for (const Array& result : f(places)) outputs.push_back(detail::read(result, {}));
    for (const detail::Ref<detail::Cell>& cell : read.cells())
      state->captured.emplace_back(cell, cell->writes());
    late = read.late_positions();
  }
  if (!state->device) state->device = &detail::current_session().device({});
  state->returned = outputs.size();
  for (size_t i = 0; i < places.size(); ++i) {
    ir::NodeRef now = Access::cell(places[i])->value();
    if (now == inputs[i]) continue;
    state->written.push_back(static_cast<int>(i));
    outputs.push_back(std::move(now));
  }
  for (detail::LatePositions& one : late) {
    for (Array* const extreme : {&one.least, &one.most}) outputs.push_back(detail::read(*extreme, {}));
    state->late_positions.push_back({{}, std::move(one.op), one.axis, one.extent, {}, {}});
  }
  std::vector<ir::NodeRef> computed;
  for (ir::NodeRef& output : outputs) {
    State::Source source{output->type, -1, -1, nullptr};
    if (output->op != ir::Op::input) {
      source.output = static_cast<int>(computed.size());
      computed.push_back(std::move(output));
    } else if (const auto found = std::find(inputs.begin(), inputs.end(), output); found != inputs.end()) {
      source.argument = static_cast<int>(found - inputs.begin());
    } else {
      source.captured = detail::value_of(*output);
    }
    state->results.push_back(std::move(source));
  }
  if (computed.empty()) {
    state_ = std::move(state);
    return;
  }
  const detail::LongWork work;
  detail::Canonical graph;
  detail::prepare(*state->device, computed, graph);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto found = std::find(inputs.begin(), inputs.end(), graph.inputs[i]);
    state->argument_of.push_back(found == inputs.end() ? -1 : static_cast<int>(found - inputs.begin()));
    state->buffers.push_back(graph.buffers[i]);
    if (found == inputs.end() && !graph.buffers[i])
      throw Error("compile: an argument of another compiled function was kept");
  }
  state->scalars = graph.scalars;
  state->program = detail::program_for(*state->device, computed, graph);
  state_ = std::move(state);
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

bool Compiled::is_current() const {
  return std::all_of(state_->captured.begin(), state_->captured.end(),
                     [](const auto& one) { return one.first->writes() == one.second; });
}

bool Compiled::writes_shared(std::span<const Array> arguments) const {
  for (const int i : state_->written) {
    const auto to = static_cast<size_t>(i);
    for (size_t j = 0; j < arguments.size(); ++j)
      if (j != to && arguments[j].shares_cell(arguments[to])) return true;
  }
  return false;
}

std::vector<Array> Compiled::operator()(std::span<const Array> arguments) const {
  if (!takes(arguments))
    throw Error("compile: the function was recorded for other dtypes, shapes or devices");
  if (writes_shared(arguments))
    throw Error("compile: an argument that the function writes to shares memory with another; give a copy");
  // A view is read as an array of its own.
  const auto value_of = [&](int argument) {
    const Array& given = arguments[static_cast<size_t>(argument)];
    return Access::view(given) ? detail::materialized(*Access::cell(given.copy()))
                               : detail::materialized(*Access::cell(given));
  };
  std::vector<runtime::BufferRef> outputs;
  if (state_->program) {
    constexpr size_t kFewInputs = 8;
    ShortList<runtime::BufferRef, kFewInputs> inputs(state_->buffers.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int argument = state_->argument_of[i];
      inputs[i] = argument >= 0 ? value_of(argument) : state_->buffers[i];
    }
    const detail::LongWork work;
    outputs = state_->program->run(inputs, state_->scalars);
  }
  std::vector<Array> results;
  results.reserve(state_->results.size());
  for (const State::Source& source : state_->results) {
    runtime::BufferRef buffer = source.output >= 0 ? std::move(outputs[static_cast<size_t>(source.output)])
                                : source.argument >= 0 ? value_of(source.argument)
                                                       : source.captured;
    results.push_back(detail::record(*state_->device, detail::input_node(source.type, std::move(buffer)),
                                     detail::kInMemory));
  }
  const size_t written_end = state_->returned + state_->written.size();
  for (size_t i = 0; i < state_->late_positions.size(); ++i) {
    detail::LatePositions positions = state_->late_positions[i];
    positions.least = results[written_end + 2 * i];
    positions.most = results[written_end + 2 * i + 1];
    detail::check_late(positions);
  }
  for (size_t i = state_->returned; i < written_end; ++i)
    Array(arguments[static_cast<size_t>(state_->written[i - state_->returned])]).assign(results[i]);
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(state_->returned), results.end());
  return results;
}

}  // namespace weft
