#include "compiler/ir/close.h"
#include <unordered_map>

#include "compiler/ir/build.h"

namespace weft::ir {
namespace {

class Closing {
 public:
  Closing(std::span<const NodeRef> own, const NodeRef& turn, const Remade& remade) : remade_(remade) {
    for (const NodeRef& node : own) now_.emplace(node.get(), node);
    if (turn) now_.emplace(turn.get(), turn_ = turn_input());
  }

  NodeRef output(const NodeRef& node) {
    visit(node);
    return made(node);
  }
  const std::vector<NodeRef>& captured() const { return captured_; }
  const std::vector<NodeRef>& places() const { return places_; }
  const NodeRef& turn() const { return turn_; }

 private:
  // Null for what does not depend on the inputs.
  const NodeRef* find(const NodeRef& node) const {
    const auto found = now_.find(node.get());
    return found == now_.end() || !found->second ? nullptr : &found->second;
  }

  void visit(const NodeRef& top) {
    struct Visit {
      const Node* node;
      size_t next = 0;
    };
    std::vector<Visit> path;
    const auto enter = [&](const Node* node) {
      // What has been computed has a value, and so depends on none of the inputs.
      if (now_.contains(node)) return;
      if (node->computed()) {
        now_.emplace(node, NodeRef());
        return;
      }
      path.push_back({node});
    };
    enter(top.get());
    while (!path.empty()) {
      Visit& at = path.back();
      if (at.next < at.node->inputs.size()) {
        enter(at.node->inputs[at.next++].get());
        continue;
      }
      const Node* node = at.node;
      path.pop_back();
      if (!now_.contains(node)) finish(*node);
    }
  }

  void finish(const Node& node) {
    bool depends = false;
    for (const NodeRef& in : node.inputs) depends = depends || find(in);
    if (!depends) {
      now_.emplace(&node, NodeRef());
      return;
    }
    std::vector<NodeRef> inputs;
    bool changed = false;
    for (const NodeRef& in : node.inputs) {
      inputs.push_back(made(in));
      changed |= inputs.back() != in;
    }
    const NodeRef was(&node);
    NodeRef now = changed ? with_inputs(node, inputs) : was;
    if (changed && remade_) remade_(was, now);
    now_.emplace(&node, std::move(now));
  }

  // What is read in the body as well as outside, so that nothing has to be stored for it: a broadcast would take many
  // times the memory of what it repeats.
  static bool is_view_of_memory(const Node& node) {
    return !node.computed() && !is_copy(node) &&
           (node.op == Op::broadcast || node.op == Op::permute || node.op == Op::reshape ||
            node.op == Op::slice);
  }

  // The node inside of the body, where it was visited.
  NodeRef made(const NodeRef& node) {
    if (const NodeRef* inside = find(node)) return *inside;
    if (!node->computed() && (node->op == Op::constant || node->op == Op::iota)) return node;
    if (is_view_of_memory(*node)) {
      if (const auto known = place_of_.find(node.get()); known != place_of_.end()) return known->second;
      const NodeRef base = made(node->inputs[0]);
      return place_of_[node.get()] = with_inputs(*node, {&base, 1});
    }
    NodeRef& place = place_of_[node.get()];
    if (!place) {
      place = input(node->type, {nullptr, "k" + std::to_string(captured_.size()), {}, 0}, node->lines);
      captured_.push_back(node);
      places_.push_back(place);
    }
    return place;
  }

  const Remade& remade_;
  NodeRef turn_;
  std::unordered_map<const Node*, NodeRef> now_, place_of_;
  std::vector<NodeRef> captured_, places_;
};

}  // namespace

Closed close(std::span<const std::vector<NodeRef>> outputs, std::span<const NodeRef> own, const NodeRef& turn,
             const Remade& remade) {
  Closing closing(own, turn, remade);
  Closed closed;
  for (const std::vector<NodeRef>& list : outputs) {
    Graph& body = closed.bodies.emplace_back();
    for (const NodeRef& output : list) body.outputs.push_back(closing.output(output));
  }
  closed.captured = closing.captured();
  for (Graph& body : closed.bodies) {
    body.inputs.assign(own.begin(), own.end());
    body.inputs.insert(body.inputs.end(), closing.places().begin(), closing.places().end());
    if (turn) body.inputs.push_back(closing.turn());
  }
  return closed;
}

}  // namespace weft::ir
