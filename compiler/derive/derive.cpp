#include "compiler/derive/derive.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/derive/formula.h"
#include "compiler/derive/loops.h"
#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"
#include "compiler/derive/totals.h"
#include "compiler/ir/build.h"
#include "compiler/ir/user_kernel.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;

constexpr std::string_view kNone = "none: ";

// A node, all outputs of one Custom, or all results of one loop: what is differentiated in one step.
struct Step {
  const Node* node;
  const Custom* custom;
  std::vector<const Node*> results = {};  // of a loop
  std::span<const NodeRef> inputs() const {
    return custom ? std::span<const NodeRef>(custom->inputs) : std::span<const NodeRef>(node->inputs);
  }
};

// What lies between the outputs and `wrt`, each step after those that it takes from, and which nodes of it
// depend on `wrt`.
class Between {
 public:
  Between(std::span<const NodeRef> outputs, std::span<const NodeRef> wrt, const Customs& customs)
      : customs_(customs) {
    for (const NodeRef& node : wrt) active_.emplace(node.get(), true);
    for (const NodeRef& output : outputs) add(output.get());
  }
  const std::vector<Step>& steps() const { return steps_; }
  bool active(const Node* node) const {
    const auto found = active_.find(node);
    return found != active_.end() && found->second;
  }

 private:
  Step step_of(const Node* node) const {
    const auto custom = customs_.find(node);
    return {node, custom == customs_.end() ? nullptr : custom->second.get()};
  }

  void add(const Node* output) {
    struct Visit {
      Step step;
      size_t next = 0;
    };
    std::vector<Visit> path;
    const auto enter = [&](const Node* node) {
      if (active_.try_emplace(node, false).second) path.push_back({step_of(node)});
    };
    enter(output);
    while (!path.empty()) {
      Visit& top = path.back();
      const std::span<const NodeRef> inputs = top.step.inputs();
      if (top.next < inputs.size()) {
        enter(inputs[top.next++].get());
        continue;
      }
      const Step step = top.step;
      path.pop_back();
      finish(step);
    }
  }

  void finish(const Step& step) {
    const bool depends = std::any_of(step.inputs().begin(), step.inputs().end(),
                                     [&](const NodeRef& in) { return active(in.get()); });
    if (!step.custom) {
      active_[step.node] = depends && has_tangents(step.node->dtype());
      if (active(step.node)) add_step(step);
      return;
    }
    const auto is_this = [&](const Step& s) { return s.custom == step.custom; };
    for (const NodeRef& one : step.custom->outputs)
      active_[one.get()] = depends && has_tangents(one->dtype());
    if (depends && std::none_of(steps_.begin(), steps_.end(), is_this)) steps_.push_back(step);
  }

  // The results of a loop are one step, where the first of them stands.
  void add_step(Step step) {
    if (ir::is_loop(*step.node)) {
      for (const size_t at : loops_) {
        if (!ir::same_loop(*steps_[at].node, *step.node)) continue;
        steps_[at].results.push_back(step.node);
        return;
      }
      loops_.push_back(steps_.size());
      step.results.push_back(step.node);
    }
    steps_.push_back(std::move(step));
  }

  const Customs& customs_;
  std::vector<size_t> loops_;  // among the steps
  ir::NodeMap<bool> active_;
  std::vector<Step> steps_;
};

[[noreturn]] void refuse(const Node& node) {
  const std::string_view why = info(node.op).derivative;
  std::string text =
      ir::is_user_kernel(node) ? ir::user_kernel_of(node)->title : std::string(ir::name(node.op));
  text += ": it has no derivative";
  if (why.starts_with(kNone)) text += ": " + std::string(why.substr(kNone.size()));
  text += ": got " + std::string(name(node.dtype())) + to_string(node.shape());
  if (!node.lines.empty()) text += ", at " + ir::to_string(node.lines);
  throw Error(text + "; stop_gradient() keeps derivatives out");
}

void check_types(std::string_view op, std::span<const NodeRef> given, std::span<const NodeRef> of) {
  if (given.size() != of.size())
    throw InternalError(std::string(op) + ": " + std::to_string(given.size()) + " given for " +
                        std::to_string(of.size()));
  for (size_t i = 0; i < of.size(); ++i) {
    if (!given[i] || given[i]->type == of[i]->type) continue;
    throw Error(std::string(op) + ": a tangent has the dtype and the shape of its value: got " +
                std::string(name(given[i]->dtype())) + to_string(given[i]->shape()) + " for " +
                std::string(name(of[i]->dtype())) + to_string(of[i]->shape()));
  }
}

bool has_formulas(std::string_view derivative) {
  return !derivative.empty() && !derivative.starts_with(kNone) && !derivative.starts_with("rule: ");
}

NodeRef input_cotangent(const Node& node, size_t input, const NodeRef& cotangent) {
  const std::string_view derivative = info(node.op).derivative;
  if (has_formulas(derivative)) return by_formula(node, input, cotangent);
  const Rule* rule = rule_of(node.op);
  if (!rule) refuse(node);
  return rule->vjp(node, input, cotangent);
}

NodeRef tangent(const Node& node, std::span<const NodeRef> tangents) {
  const std::string_view derivative = info(node.op).derivative;
  if (!has_formulas(derivative)) {
    const Rule* rule = rule_of(node.op);
    if (!rule) refuse(node);
    return rule->jvp(node, tangents);
  }
  NodeRef total;
  for (size_t i = 0; i < tangents.size(); ++i) {
    NodeRef part = tangents[i] ? by_formula(node, i, tangents[i]) : NodeRef();
    if (part) total = total ? ir::map(ir::Op::add, {total, part}, node.lines) : part;
  }
  return total;
}

std::vector<NodeRef> filled(std::span<const NodeRef> given, std::span<const NodeRef> of) {
  std::vector<NodeRef> all(given.begin(), given.end());
  for (size_t i = 0; i < all.size(); ++i)
    if (!all[i] && has_tangents(of[i]->dtype())) all[i] = zeros(of[i]->type);
  return all;
}

// Of each result of a step's loop what f gives for it, added up where several nodes are one result.
template <class F>
std::vector<NodeRef> by_result(const Step& step, F&& f) {
  std::vector<NodeRef> all(ir::loop_of(*step.node)->results.size());
  for (const Node* one : step.results) {
    NodeRef& place = all[ir::result_number(*one)];
    NodeRef more = f(one);
    place = place && more ? ir::map(ir::Op::add, {place, more}, one->lines) : more ? more : place;
  }
  return all;
}

OfBodies of_bodies(const Customs& customs) {
  using Nodes = OfBodies::Nodes;
  return {[&](Nodes outputs, Nodes wrt) { return depends(outputs, wrt, customs); },
          [&](Nodes outputs, Nodes wrt, Nodes given) { return vjp(outputs, wrt, given, customs); },
          [&](Nodes outputs, Nodes wrt, Nodes given) { return jvp(outputs, wrt, given, customs); }};
}

void check_custom(const Custom& custom, bool known, size_t got, size_t wanted, const char* what) {
  if (!known) throw Error(custom.name + ": it has no " + what);
  if (got != wanted)
    throw Error(custom.name + ": its " + what + " gives one value for each: got " + std::to_string(got) +
                " for " + std::to_string(wanted));
}

}  // namespace

bool has_tangents(DType dtype) { return is_float(dtype) || is_complex(dtype); }

NodeRef tangent_of(const Node& node, std::span<const NodeRef> tangents) { return tangent(node, tangents); }

std::vector<bool> depends(std::span<const NodeRef> outputs, std::span<const NodeRef> wrt,
                          const Customs& customs) {
  const Between between(outputs, wrt, customs);
  std::vector<bool> result;
  for (const NodeRef& output : outputs) result.push_back(between.active(output.get()));
  return result;
}

std::vector<NodeRef> vjp(std::span<const NodeRef> outputs, std::span<const NodeRef> wrt,
                         std::span<const NodeRef> cotangents, const Customs& customs) {
  check_types("vjp", cotangents, outputs);
  const Between between(outputs, wrt, customs);
  Totals totals;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (between.active(outputs[i].get())) totals.add(outputs[i], cotangents[i], outputs[i]->lines);
  for (size_t k = between.steps().size(); k-- > 0;) {
    const Step& step = between.steps()[k];
    const ir::Lines& lines = step.node->lines;
    if (!step.results.empty()) {
      const std::vector<NodeRef> given =
          by_result(step, [&](const Node* n) { return totals.of(NodeRef(n)); });
      if (std::none_of(given.begin(), given.end(), [](const NodeRef& c) { return bool(c); })) continue;
      std::vector<bool> wanted;
      for (const NodeRef& in : step.inputs()) wanted.push_back(between.active(in.get()));
      const std::vector<NodeRef> results = loop_vjp(*step.node, given, wanted, of_bodies(customs));
      for (size_t i = 0; i < results.size(); ++i)
        if (wanted[i]) totals.add(step.inputs()[i], results[i], lines);
      continue;
    }
    if (step.custom) {
      const Custom& custom = *step.custom;
      std::vector<NodeRef> given;
      given.reserve(custom.outputs.size());
      for (const NodeRef& output : custom.outputs) given.push_back(totals.of(output));
      if (std::none_of(given.begin(), given.end(), [](const NodeRef& c) { return bool(c); })) continue;
      check_custom(custom, bool(custom.vjp), 0, 0, "vjp");
      const std::vector<NodeRef> results = custom.vjp(filled(given, custom.outputs));
      check_custom(custom, true, results.size(), custom.inputs.size(), "vjp");
      check_types(custom.name, results, custom.inputs);
      for (size_t i = 0; i < results.size(); ++i)
        if (between.active(custom.inputs[i].get())) totals.add(custom.inputs[i], results[i], lines);
      continue;
    }
    const NodeRef cotangent = totals.of(NodeRef(step.node));
    if (!cotangent) continue;
    for (size_t i = 0; i < step.node->inputs.size(); ++i) {
      const NodeRef& in = step.node->inputs[i];
      if (between.active(in.get())) totals.add(in, input_cotangent(*step.node, i, cotangent), lines);
    }
  }
  std::vector<NodeRef> results;
  for (const NodeRef& node : wrt) {
    const NodeRef total = totals.of(node);
    results.push_back(total ? total : zeros(node->type));
  }
  return results;
}

std::vector<NodeRef> jvp(std::span<const NodeRef> outputs, std::span<const NodeRef> wrt,
                         std::span<const NodeRef> tangents, const Customs& customs) {
  check_types("jvp", tangents, wrt);
  const Between between(outputs, wrt, customs);
  Totals totals;
  for (size_t i = 0; i < wrt.size(); ++i) totals.add(wrt[i], tangents[i], wrt[i]->lines);
  const auto tangents_of = [&](std::span<const NodeRef> nodes) {
    std::vector<NodeRef> given;
    for (const NodeRef& in : nodes) given.push_back(between.active(in.get()) ? totals.of(in) : NodeRef());
    return given;
  };
  for (const Step& step : between.steps()) {
    const std::vector<NodeRef> given = tangents_of(step.inputs());
    if (std::none_of(given.begin(), given.end(), [](const NodeRef& t) { return bool(t); })) continue;
    if (!step.results.empty()) {
      const std::vector<NodeRef> results = loop_jvp(*step.node, given, of_bodies(customs));
      for (const Node* one : step.results)
        totals.add(NodeRef(one), results[ir::result_number(*one)], one->lines);
      continue;
    }
    if (!step.custom) {
      totals.add(NodeRef(step.node), tangent(*step.node, given), step.node->lines);
      continue;
    }
    const Custom& custom = *step.custom;
    check_custom(custom, bool(custom.jvp), 0, 0, "jvp");
    const std::vector<NodeRef> results = custom.jvp(filled(given, custom.inputs));
    check_custom(custom, true, results.size(), custom.outputs.size(), "jvp");
    check_types(custom.name, results, custom.outputs);
    for (size_t i = 0; i < results.size(); ++i) totals.add(custom.outputs[i], results[i], step.node->lines);
  }
  std::vector<NodeRef> results;
  for (const NodeRef& output : outputs) {
    const NodeRef total = totals.of(output);
    if (!has_tangents(output->dtype()))
      results.emplace_back();
    else
      results.push_back(total ? total : zeros(output->type));
  }
  return results;
}

ir::Graph gradient(const ir::Graph& graph, std::span<const NodeRef> wrt) {
  if (graph.outputs.size() != 1)
    throw Error("grad: takes a graph of one output: got " + std::to_string(graph.outputs.size()));
  const Node& loss = *graph.outputs[0];
  if (!is_float(loss.dtype()) || !loss.shape().empty())
    throw Error("grad: takes a graph that gives one real number of a float dtype: got " +
                std::string(name(loss.dtype())) + to_string(loss.shape()));
  for (const NodeRef& node : wrt)
    if (!has_tangents(node->dtype()))
      throw TypeError("grad: derivatives are with respect to floats and complex numbers: got " +
                      std::string(name(node->dtype())) + to_string(node->shape()));
  const NodeRef one = number(loss.type, 1, loss.lines);
  std::vector<NodeRef> results = vjp(graph.outputs, wrt, {&one, 1});
  for (size_t i = 0; i < wrt.size(); ++i) {
    if (wrt[i]->op != ir::Op::scalar) continue;
    Dims all;
    for (size_t k = 0; k < wrt[i]->shape().size(); ++k) all.push_back(static_cast<int64_t>(k));
    results[i] = ir::reduce(ir::Op::sum, results[i], all, wrt[i]->lines);
  }
  return {graph.inputs, std::move(results)};
}

}  // namespace weft::derive
