#include "compiler/ir/verify.h"
#include "compiler/ir/node_tables.h"

#include <fmt/format.h>

#include "compiler/base/error.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/infer.h"
#include "compiler/ir/node_index.h"
#include "compiler/ir/text/print.h"

namespace weft::ir {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, std::string_view after) : graph_(graph), after_(after) {}

  void run() {
    check_references();
    check_inputs();
    check_acyclic();
    for (const Node* node : order_) check_node(*node);
    if (const BrokenAssign assign = find_broken_assign(graph_); assign.node) broken(*assign.node, assign.why);
  }

 private:
  static constexpr int32_t kOpen = 0, kDone = 1;  // of a node that is visited

  [[noreturn]] void broken(std::string_view rule) const {
    throw InternalError(fmt::format("{}: broken graph: {} (a defect of Weft)", after_, rule));
  }

  // The graph as a whole may be unfit for printing, so only the node and its inputs are shown, numbered among
  // themselves.
  [[noreturn]] void broken(const Node& node, std::string_view rule) const {
    ValueNames names;
    std::string around;
    for (const NodeRef& in : node.inputs)
      if (in && names.emplace(in.get(), fmt::format("%{}", names.size())).second)
        around += "\n  " + name(in.get(), names) + " : " + to_string(in->type);
    names.emplace(&node, fmt::format("%{}", names.size()));
    throw InternalError(fmt::format("{}: broken graph: {}: {} (a defect of Weft){}\n  {}", after_,
                                    ir::name(node.op), rule, around, print(node, names)));
  }

  static std::string name(const Node* node, const ValueNames& names) {
    return fmt::format("{} = {}", names.at(node), describe(*node));
  }

  void check_references() const {
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      if (!graph_.outputs[i]) broken(fmt::format("output {} is empty", i));
    for (size_t i = 0; i < graph_.inputs.size(); ++i)
      if (!graph_.inputs[i]) broken(fmt::format("input {} is empty", i));
  }

  void check_inputs() {
    for (const NodeRef& in : graph_.inputs) {
      if (!is_given(in->op)) broken(*in, "the graph lists as input what is neither input nor scalar");
      if (!listed_.insert(in.get()).second) broken(*in, "the graph lists this input twice");
      check_node(*in);
    }
  }

  // Depth first with its own stack; an open node that is met again is on a cycle.
  void check_acyclic() {
    struct Frame {
      const Node* node;
      size_t next = 0;
    };
    NodeIndex visits;
    std::vector<Frame> stack;
    auto enter = [&](const Node* node) {
      visits.insert(node, kOpen);
      stack.push_back({node});
    };
    for (const NodeRef& output : graph_.outputs) {
      if (visits.find(output.get()) < 0) enter(output.get());
      while (!stack.empty()) {
        Frame& top = stack.back();
        if (top.next == top.node->inputs.size()) {
          visits.set(top.node, kDone);
          order_.push_back(top.node);
          stack.pop_back();
          continue;
        }
        const Node* in = top.node->inputs[top.next++].get();
        if (!in) broken(*top.node, fmt::format("operand {} is empty", top.next - 1));
        const int32_t seen = visits.find(in);
        if (seen < 0)
          enter(in);
        else if (seen == kOpen)
          broken(*top.node, fmt::format("operand {} depends on this node itself", top.next - 1));
      }
    }
  }

  void check_node(const Node& node) const {
    if (is_given(node.op) && !listed_.count(&node)) broken(node, "the graph does not list this input");
    TensorType inferred;
    try {
      inferred = infer(node.op, {node.inputs.begin(), node.inputs.size()}, node.attr, node.type);
    } catch (const std::exception& e) {
      // Error says which rule of the op is broken, bad_variant_access that the attribute is of another op.
      broken(node, e.what());
    }
    if (inferred != node.type)
      broken(node, fmt::format("its type is {}, but its operands give {}", to_string(node.type),
                               to_string(inferred)));
  }

  const Graph& graph_;
  std::string_view after_;
  NodeSet listed_;
  std::vector<const Node*> order_;
};

}  // namespace

void verify(const Graph& graph, std::string_view after) { Verifier(graph, after).run(); }

}  // namespace weft::ir
