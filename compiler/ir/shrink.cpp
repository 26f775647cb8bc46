#include "compiler/ir/shrink.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/build.h"

namespace weft::ir {

Graph replaced(const Graph& graph, const Node* from, const NodeRef& to) {
  std::unordered_map<const Node*, NodeRef> made = {{from, to}};
  for (const Node* node : topological_order(graph.outputs)) {
    if (made.count(node)) continue;
    std::vector<NodeRef> inputs;
    inputs.reserve(node->inputs.size());
    bool same = true;
    for (const NodeRef& in : node->inputs) {
      inputs.push_back(made.at(in.get()));
      same = same && inputs.back() == in;
    }
    made.emplace(node, same ? NodeRef(node) : make(node->op, inputs, node->attr, node->type, node->lines));
  }
  std::vector<NodeRef> outputs;
  outputs.reserve(graph.outputs.size());
  for (const NodeRef& out : graph.outputs) outputs.push_back(made.at(out.get()));
  return {graph.inputs, std::move(outputs)};
}

namespace {

using Fails = std::function<bool(const Graph&)>;
using OnCut = std::function<void(const NodeRef&, const NodeRef&)>;

// Lists the inputs that the outputs reach: first those listed before, in their order, then new ones.
Graph with_reached_inputs(const std::vector<NodeRef>& listed, std::vector<NodeRef> outputs) {
  NodeSet reached, taken;
  std::vector<const Node*> order = topological_order(outputs);
  for (const Node* node : order)
    if (is_given(node->op)) reached.insert(node);
  Graph graph;
  auto take = [&](const NodeRef& in) {
    if (reached.count(in.get()) && taken.insert(in.get()).second) graph.inputs.push_back(in);
  };
  for (const NodeRef& in : listed) take(in);
  for (const Node* node : order) take(NodeRef(node));
  graph.outputs = std::move(outputs);
  return graph;
}

// As replaced(), with the inputs that are read.
Graph cut_to(const Graph& graph, const Node* from, const NodeRef& to) {
  return with_reached_inputs(graph.inputs, replaced(graph, from, to).outputs);
}

class Shrinking {
 public:
  Shrinking(Graph graph, const Fails& still_fails, const OnCut& on_cut)
      : graph_(std::move(graph)), still_fails_(still_fails), on_cut_(on_cut) {}

  Graph run() {
    try_graph(with_reached_inputs(graph_.inputs, graph_.outputs));
    bool smaller = true;
    while (smaller) {
      smaller = single_output();
      smaller = drop_outputs() || smaller;
      smaller = retreat_outputs() || smaller;
      smaller = cut_nodes() || smaller;
    }
    return graph_;
  }

 private:
  bool try_graph(Graph candidate) {
    if (!still_fails_(candidate)) return false;
    graph_ = std::move(candidate);
    return true;
  }

  // The first value that fails on its own, if any does, leaves the fewest nodes before it.
  bool single_output() {
    for (const Node* node : topological_order(graph_.outputs)) {
      bool already = graph_.outputs.size() == 1 && graph_.outputs[0].get() == node;
      if (is_given(node->op) || already) continue;
      if (try_graph(with_reached_inputs(graph_.inputs, {NodeRef(node)}))) return true;
    }
    return false;
  }

  bool drop_outputs() {
    bool smaller = false;
    for (size_t i = graph_.outputs.size(); i-- > 0 && graph_.outputs.size() > 1;) {
      std::vector<NodeRef> outputs = graph_.outputs;
      outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = try_graph(with_reached_inputs(graph_.inputs, std::move(outputs))) || smaller;
    }
    return smaller;
  }

  // An output gives way to one of its operands, as long as one can.
  bool retreat_outputs() {
    bool smaller = false;
    for (size_t i = 0; i < graph_.outputs.size();) {
      bool retreated = false;
      const NodeRef output = graph_.outputs[i];
      for (const NodeRef& in : output->inputs) {
        std::vector<NodeRef> outputs = graph_.outputs;
        outputs[i] = in;
        retreated = try_graph(with_reached_inputs(graph_.inputs, std::move(outputs)));
        if (retreated) break;
      }
      smaller = smaller || retreated;
      if (!retreated) ++i;
    }
    return smaller;
  }

  // From the outputs backwards: a node that can be cut takes everything before it along.
  bool cut_nodes() {
    bool smaller = false;
    for (bool cut = true; cut;) {
      cut = false;
      std::vector<const Node*> order = topological_order(graph_.outputs);
      const Graph before = graph_;  // keeps the nodes of `order` alive
      for (auto at = order.rbegin(); at != order.rend() && !cut; ++at) {
        if (is_given((*at)->op) || (*at)->inputs.size() == 0) continue;
        const uint64_t hash = hash_graph({before.inputs, {NodeRef(*at)}}).low;
        if (settled_.count(hash)) continue;
        cut = cut_node(**at);
        if (!cut) settled_.insert(hash);
      }
      smaller = smaller || cut;
    }
    settled_.clear();
    return smaller;
  }

  bool cut_node(const Node& node) {
    for (const NodeRef& in : node.inputs)
      if (in->type == node.type && try_graph(cut_to(graph_, &node, in))) return true;
    NodeRef fresh = input(node.type, {nullptr, free_name(), {}, 0});
    if (on_cut_) on_cut_(fresh, NodeRef(&node));
    if (!try_graph(cut_to(graph_, &node, fresh))) return false;
    ++cuts_;
    return true;
  }

  std::string free_name() {
    for (;; ++cuts_) {
      std::string name = "cut" + std::to_string(cuts_);
      const auto has_it = [&](const NodeRef& in) {
        return (in->op == Op::scalar ? in->as<ScalarAttr>().name : in->as<InputAttr>().name) == name;
      };
      if (std::ranges::none_of(graph_.inputs, has_it)) return name;
    }
  }

  Graph graph_;
  const Fails& still_fails_;
  const OnCut& on_cut_;
  std::unordered_set<uint64_t> settled_;  // nodes that could not be cut, by hash, within one round
  int cuts_ = 0;
};

}  // namespace

Graph shrink(Graph graph, const Fails& still_fails, const OnCut& on_cut) {
  return Shrinking(std::move(graph), still_fails, on_cut).run();
}

}  // namespace weft::ir
