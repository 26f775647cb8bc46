#include "frontend/cpp/weft/derivatives.h"

#include <algorithm>
#include <optional>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/session_state.h"

namespace weft {

using detail::Access;
using ir::NodeRef;

namespace {

detail::Age now(const detail::DeviceSlot& device) {
  return device.session.recorded.load(std::memory_order_relaxed);
}

// An array for a node that was made of others by no function of the front end.
Array array_of(detail::DeviceSlot& device, NodeRef node) {
  const detail::Age since = node->op == ir::Op::input ? detail::kInMemory : now(device);
  return detail::record(device, std::move(node), since);
}

std::vector<NodeRef> nodes_of(std::span<const Array> arrays) {
  std::vector<NodeRef> nodes;
  for (const Array& x : arrays) nodes.push_back(x.has_value() ? detail::read(x, {}) : NodeRef());
  return nodes;
}

std::vector<Array> arrays_of(detail::DeviceSlot& device, std::span<const NodeRef> nodes) {
  std::vector<Array> arrays;
  for (const NodeRef& node : nodes) arrays.push_back(node ? array_of(device, node) : Array());
  return arrays;
}

detail::DeviceSlot& device_of(std::span<const Array> arrays) {
  for (const Array& x : arrays)
    if (x.has_value()) return Access::cell(x)->device;
  return detail::current_session().device({});
}

// A node of its own for the value, which is computed as soon as that is.
NodeRef own_node(const NodeRef& value, const ir::Lines& lines) {
  NodeRef own = ir::copy(value, lines);
  const ir::Node* computed = value->computed();
  if (value->op == ir::Op::input && detail::buffer_of(*value)) computed = value.get();
  if (computed) own->set_computed(NodeRef(computed));
  return own;
}

// What a rule says. Where it is called once for all values of a vmap, or for all turns of a loop, it gets places, and is
// recorded as their functions are.
std::vector<NodeRef> said(detail::DeviceSlot& device, const CustomDerivative::Map& rule,
                          std::span<const NodeRef> given) {
  const std::vector<Array> arguments = arrays_of(device, given);
  std::vector<NodeRef> places;
  std::vector<Array> without_values;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i] || given[i]->op != ir::Op::input || detail::buffer_of(*given[i])) continue;
    places.push_back(given[i]);
    without_values.push_back(arguments[i]);
  }
  if (places.empty()) return nodes_of(rule(arguments));
  const detail::DerivedPlaces derived(places);
  std::optional<detail::CellsRead> read(std::in_place, without_values);
  std::vector<NodeRef> results = nodes_of(rule(arguments));
  const std::vector<detail::Ref<detail::Cell>> cells = read->cells();
  read.reset();
  for (const detail::Ref<detail::Cell>& cell : cells)
    detail::note_read(*cell);  // of what is recorded around it
  return results;
}

}  // namespace

struct Derivation::State {
  std::optional<detail::Past> past{std::in_place};
  std::shared_ptr<derive::Customs> customs = past->customs();
  std::vector<NodeRef> leaves, outputs;
  detail::DeviceSlot* device = nullptr;
};

Derivation::Derivation() : state_(std::make_unique<State>()) {}
Derivation::~Derivation() = default;

Array Derivation::leaf(const Array& x) {
  if (!derive::has_tangents(x.dtype()))
    throw TypeError("grad: derivatives are by floats and complex numbers: got " +
                    std::string(name(x.dtype())) + to_string(x.shape()) + "; convert it with astype()");
  detail::Cell& cell = *Access::cell(x);
  if (state_->device && state_->device != &cell.device)
    throw Error("grad: arrays must be on one device: got " + state_->device->name + " and " +
                cell.device.name);
  state_->device = &cell.device;
  const NodeRef value = detail::read(x, {});
  NodeRef own = own_node(value, value->lines);
  state_->leaves.push_back(own);
  state_->past->leaves.push_back(own);
  return array_of(cell.device, std::move(own));
}

void Derivation::finish(std::span<const Array> outputs) {
  if (!state_->past) throw Error("grad: a derivation is finished once");
  state_->outputs = nodes_of(outputs);
  if (!state_->device) state_->device = &device_of(outputs);
  state_->past.reset();
}

bool Derivation::has_customs() const {
  return std::any_of(state_->customs->begin(), state_->customs->end(),
                     [](const auto& one) { return !one.second->inputs.empty(); });
}

void Derivation::abandon() { state_->past.reset(); }

std::vector<Array> Derivation::vjp(std::span<const Array> cotangents) const {
  return arrays_of(*state_->device,
                   derive::vjp(state_->outputs, state_->leaves, nodes_of(cotangents), *state_->customs));
}

std::vector<Array> Derivation::jvp(std::span<const Array> tangents) const {
  return arrays_of(*state_->device,
                   derive::jvp(state_->outputs, state_->leaves, nodes_of(tangents), *state_->customs));
}

bool is_derived(const Array& x) {
  return detail::keeps_past() && derive::has_tangents(x.dtype()) && detail::is_derived(detail::read(x, {}));
}

std::vector<Array> with_derivative(std::span<const Array> outputs, std::span<const Array> inputs,
                                   CustomDerivative derivative) {
  const std::shared_ptr<derive::Customs> customs = detail::customs_here();
  if (!customs) return {outputs.begin(), outputs.end()};
  detail::DeviceSlot& device = device_of(outputs);
  auto custom = std::make_shared<derive::Custom>();
  custom->name = derivative.name;
  custom->inputs = nodes_of(inputs);
  for (const NodeRef& value : nodes_of(outputs)) custom->outputs.push_back(own_node(value, value->lines));
  const auto on_nodes = [&device](CustomDerivative::Map map) {
    return
        [&device, map = std::move(map)](std::span<const NodeRef> given) { return said(device, map, given); };
  };
  if (derivative.vjp) custom->vjp = on_nodes(std::move(derivative.vjp));
  if (derivative.jvp) custom->jvp = on_nodes(std::move(derivative.jvp));
  for (const NodeRef& output : custom->outputs) customs->emplace(output.get(), custom);
  return arrays_of(device, custom->outputs);
}

Array stop_gradient(const Array& x) { return with_derivative({&x, 1}, {}, {"stop_gradient", {}, {}})[0]; }

Array detail::seed_of(const Array& loss) {
  if (!is_float(loss.dtype()) || loss.size() != 1)
    throw Error("grad: takes functions that give one real number of a float dtype: got " +
                std::string(name(loss.dtype())) + to_string(loss.shape()) +
                (is_float(loss.dtype()) ? "; sum() it, or ask for vjp() or jacrev()" : ""));
  const ir::TensorType type{loss.dtype(), loss.shape()};
  return record(Access::cell(loss)->device, ir::constant(type, Scalar::of(1.0)), kInMemory);
}

Pullback vjp(const ArrayFunction& f, std::span<const Array> arguments) {
  const auto derivation = std::make_shared<Derivation>();
  std::vector<Array> leaves;
  for (const Array& x : arguments) leaves.push_back(derivation->leaf(x));
  std::vector<Array> values = f(leaves);
  derivation->finish(values);
  return {std::move(values),
          [derivation](std::span<const Array> cotangents) { return derivation->vjp(cotangents); }};
}

std::pair<std::vector<Array>, std::vector<Array>> jvp(const ArrayFunction& f,
                                                      std::span<const Array> arguments,
                                                      std::span<const Array> tangents) {
  Derivation derivation;
  std::vector<Array> leaves;
  for (const Array& x : arguments) leaves.push_back(derivation.leaf(x));
  std::vector<Array> values = f(leaves);
  derivation.finish(values);
  std::vector<Array> moved = derivation.jvp(tangents);
  return {std::move(values), std::move(moved)};
}

}  // namespace weft
