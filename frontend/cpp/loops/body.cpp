#include "frontend/cpp/loops/body.h"

#include <algorithm>
#include <optional>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/make_loop.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

using ir::NodeRef;

namespace {

Array recorded_later(DeviceSlot& device, NodeRef node) {
  const Age since =
      node->op == ir::Op::input ? kInMemory : device.session.recorded.load(std::memory_order_relaxed);
  return record(device, std::move(node), since);
}

}  // namespace

DeviceSlot& loop_device(std::string_view op, std::span<const Array> arrays) {
  DeviceSlot* device = nullptr;
  for (const Array& x : arrays) {
    DeviceSlot& own = Access::cell(x)->device;
    if (device && device != &own)
      throw Error(std::string(op) + ": arrays must be on one device: got " + device->name + " and " +
                  own.name);
    device = &own;
  }
  return device ? *device : current_session().device({});
}

void Bodies::add_place(std::string name, const ir::TensorType& type) {
  own_.push_back(ir::input(type, {nullptr, std::move(name), {}, 0}));
}

void Bodies::add_turn() { turn_ = ir::input({DType::I64, {}}, {nullptr, "turn", {}, 0}); }

std::vector<NodeRef> Bodies::inputs() const {
  std::vector<NodeRef> all = own_;
  if (turn_) all.push_back(turn_);
  return all;
}

bool Bodies::comes_from_outside(const NodeRef& value) const {
  const std::vector<NodeRef> own = inputs();
  return std::ranges::none_of(ir::topological_order({&value, 1}), [&](const ir::Node* node) {
    return std::ranges::any_of(own, [&](const NodeRef& input) { return input.get() == node; });
  });
}

void Bodies::call(const std::function<std::vector<Array>(std::span<const Array> places)>& f) {
  std::vector<Array> places;
  places.reserve(own_.size() + 1);
  for (NodeRef& input : inputs()) places.push_back(record(device_, std::move(input), kInMemory));
  std::vector<Ref<Cell>> cells;
  std::vector<LateCheck> late_checks;
  std::vector<NodeRef>& nodes = results_.emplace_back();
  {
    const CellsRead read(places);
    const DerivedPlaces derived(own_);
    for (const Array& result : f(places)) {
      if (&Access::cell(result)->device != &device_)
        throw Error(std::string(op_) + ": arrays must be on one device: got " + device_.name + " and " +
                    Access::cell(result)->device.name);
      nodes.push_back(detail::read(result, {}));
    }
    if (const std::shared_ptr<derive::Customs> customs = customs_here()) trace(*customs, nodes);
    cells = read.cells();
    late_checks = read.late_checks();
  }
  for (const Ref<Cell>& cell : cells) note_read(*cell);  // of what is recorded around it
  // Kernels hold to their axis what differs from turn to turn, without an error.
  for (const LateCheck& late : late_checks) {
    if (!comes_from_outside(late.value)) continue;
    const Array values = recorded_later(device_, late.value);
    check_again(late, values);
  }
}

void Bodies::trace(const derive::Customs& customs, const std::vector<NodeRef>& results) {
  std::vector<NodeRef> roots = results;
  for (size_t next = traced_.size();;) {
    for (const ir::Node* node : ir::topological_order(roots)) {
      const auto found = customs.find(node);
      if (found == customs.end() || found->second->inputs.empty() || comes_from_outside(NodeRef(node)))
        continue;
      std::vector<NodeRef> computed;
      for (const NodeRef& output : found->second->outputs)
        computed.insert(computed.end(), output->inputs.begin(), output->inputs.end());
      if (has_past_besides(computed, found->second->inputs, own_))
        throw Error(
            found->second->name +
            ": uses an array of a loop's body, besides its arguments, that derivatives are wanted of, and "
            "says none by it: give it as an argument, or use its stop_gradient()");
      if (!is_traced(*found->second)) traced_.push_back({found->second, {}, {}});
    }
    if (next == traced_.size()) break;
    const std::shared_ptr<const derive::Custom> custom = traced_[next].custom;
    traced_[next++] = derive::traced(custom);
    roots = custom->inputs;
  }
  // A rule may call its own function, so these are not asked.
  for (const derive::Traced& one : traced_) {
    for (const ir::Node* node : ir::topological_order(derive::closed_over(one))) {
      const auto found = customs.find(node);
      if (found != customs.end() && !found->second->inputs.empty() && !is_traced(*found->second))
        within_rules_.emplace_back(node);
    }
  }
}

bool Bodies::is_traced(const derive::Custom& custom) const {
  return std::ranges::any_of(traced_, [&](const derive::Traced& one) { return one.custom.get() == &custom; });
}

ir::Closed Bodies::close() const {
  const std::shared_ptr<derive::Customs> customs = customs_here();
  std::vector<std::vector<NodeRef>> lists = results_;
  std::vector<NodeRef> places = own_;
  for (const derive::Traced& one : traced_) {
    lists.push_back(derive::closed_over(one));
    const std::vector<NodeRef> its = derive::places_of(one);
    places.insert(places.end(), its.begin(), its.end());
  }
  std::vector<NodeRef>& within = lists.emplace_back();  // each with what it is a function of
  for (const NodeRef& node : within_rules_) {
    const std::vector<NodeRef>& inputs = customs->at(node.get())->inputs;
    within.push_back(node);
    within.insert(within.end(), inputs.begin(), inputs.end());
  }
  // What has no derivatives has none wherever it stands.
  ir::Closed closed = ir::close(lists, places, turn_, [&](const NodeRef& was, const NodeRef& now) {
    const auto found = customs ? customs->find(was.get()) : derive::Customs::iterator();
    if (!customs || found == customs->end() || !found->second->inputs.empty()) return;
    auto custom = std::make_shared<derive::Custom>(*found->second);
    custom->outputs = {now};
    customs->emplace(now.get(), std::move(custom));
  });
  for (size_t i = 0; i < traced_.size(); ++i)
    derive::add_closed(traced_[i], closed.bodies[results_.size() + i].outputs, customs);
  auto next = closed.bodies.back().outputs.begin();
  for (const NodeRef& node : within_rules_) {
    const derive::Custom& inner = *customs->at(node.get());
    const NodeRef now = *next++;
    const auto end = next + static_cast<std::ptrdiff_t>(inner.inputs.size());
    if (now->op != ir::Op::input)  // else it was computed outside
      customs->insert_or_assign(now.get(), derive::within_rule(inner, now, {next, end}));
    next = end;
  }
  closed.bodies.resize(results_.size());
  const auto at = [](size_t place) { return static_cast<std::ptrdiff_t>(place); };
  for (ir::Graph& body : closed.bodies)
    body.inputs.erase(body.inputs.begin() + at(own_.size()), body.inputs.begin() + at(places.size()));
  return closed;
}

std::vector<Array> run_loop(DeviceSlot& device, ir::Loop loop, std::span<const NodeRef> operands,
                            const ir::Lines& lines) {
  const ir::LoopRef made = ir::checked(std::move(loop));
  std::vector<Array> results;
  for (NodeRef& node : ir::results_of(made, operands, lines))
    results.push_back(recorded_later(device, std::move(node)));
  // One program for all results. What is recorded is computed with what follows.
  if (!records_cells() && !keeps_past()) {
    std::vector<Cell*> cells;
    cells.reserve(results.size());
    for (const Array& result : results) cells.push_back(Access::cell(result).get());
    if (!cells.empty()) materialize(cells);
  }
  return results;
}

}  // namespace weft::detail
