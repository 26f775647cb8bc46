#include "compiler/explain.h"
#include "compiler/ir/node_tables.h"

#include <fmt/format.h>
#include <unordered_map>

#include <algorithm>
#include <map>
#include <span>

#include "compiler/ir/function.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/planned_work.h"

namespace weft {

namespace {

using ir::Node;
using ir::OpKind;

// The computing nodes of a step, down to what other steps and inputs give it.
std::vector<const Node*> members(const ir::Step& step, const ir::NodeSet& stored) {
  std::vector<const Node*> out;
  ir::NodeSet seen;
  std::vector<const Node*> stack;
  auto add = [&](const Node* n) {
    if (seen.insert(n).second) stack.push_back(n);
  };
  if (step.library) return {step.library.get()};
  for (auto& root : step.group.roots) add(root.node.get());
  ir::NodeSet own;
  for (auto& root : step.group.roots) own.insert(root.node.get());
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    if (kind(n->op) == OpKind::Source) continue;
    if (stored.contains(n) && !own.contains(n)) continue;
    if (kind(n->op) != OpKind::View) out.push_back(n);
    for (auto& in : n->inputs) add(in.get());
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Origin origin_of(std::span<const Node* const> nodes) {
  constexpr size_t kMost = 8;
  ir::Lines lines;
  std::string ops;
  for (size_t k = 0; k < nodes.size(); ++k) {
    lines = lines.united(nodes[k]->lines);
    if (k < kMost) ops += (ops.empty() ? "" : ", ") + std::string(ir::title_of(*nodes[k]));
  }
  if (nodes.size() > kMost) ops += fmt::format(" and {} more", nodes.size() - kMost);
  return {ops, lines.all()};
}

}  // namespace

int Titles::number(const Node& n) {
  const auto [at, fresh] = numbers_.try_emplace(&n, static_cast<int>(values_.size()));
  if (!fresh) return at->second;
  Explanation::Value value{std::string(ir::title_of(n)), n.dtype(), n.shape(), n.lines.all()};
  value.number = ++uses_[to_string(value)];
  values_.push_back(std::move(value));
  return at->second;
}

std::string to_string(const Explanation::Value& value) {
  const std::string lines = to_string(value.lines);
  return fmt::format("{} : {}{}{}{}", value.op, name(value.dtype), to_string(value.shape),
                     lines.empty() ? "" : " at " + lines,
                     value.number > 1 ? fmt::format(" ({})", value.number) : "");
}

Origin origin_of(const ir::Step& step, const ir::NodeSet& stored) {
  const std::vector<const Node*> nodes = members(step, stored);
  return nodes.empty() ? Origin{"copy", {}} : origin_of(nodes);
}

ir::NodeSet stored_nodes(const ir::Partition& partition) {
  ir::NodeSet out;
  for (auto& s : partition.steps) {
    if (s.library) out.insert(s.library.get());
    for (auto& root : s.group.roots)
      if (root.stored) out.insert(root.node.get());
  }
  return out;
}

Explanation::Step explain(const ir::Step& step, const ir::NodeSet& stored, Titles& titles) {
  Explanation::Step out;
  if (step.library) {
    const OpKind of = kind(step.library->op);
    const bool of_user = ir::has_users_text(*step.library);
    out.kind = of == OpKind::Loop ? "loop" : of_user ? "user kernel" : "library";
    out.text = fmt::format("{} {}", of_user ? "kernel of the user's text:" : out.kind, titles(*step.library));
    out.named.push_back({titles.number(*step.library), true});
    return out;
  }
  out.kind = "kernel";
  out.text = fmt::format("kernel over {}{}: {}", to_string(step.group.outer),
                         step.group.row.empty() ? "" : " with rows " + to_string(step.group.row),
                         to_string(origin_of(step, stored)));
  out.outer = step.group.outer, out.row = step.group.row;
  for (auto& root : step.group.roots) out.named.push_back({titles.number(*root.node), root.stored});
  return out;
}

Explanation::Step explain_loop(const ir::LoopKernel& kernel, const Origin& origin,
                               const std::vector<const Node*>& results, Titles& titles) {
  Explanation::Step out;
  out.kind = "kernel";
  out.text = fmt::format("kernel over {}: {}", to_string(kernel.lanes), to_string(origin));
  out.outer = kernel.lanes;
  for (const size_t number : kernel.results) out.named.push_back({titles.number(*results[number]), true});
  for (const ir::LoopKernel::Walked& walked : kernel.series)
    if (!walked.array) out.named.push_back({titles.number(*results[walked.result]), true});
  return out;
}

std::vector<Explanation::Edge> explain_decisions(const ir::Partition& partition, const ir::NodeSet& stored,
                                                 Titles& titles) {
  std::vector<Explanation::Edge> out;
  out.reserve(partition.decisions.size());
  for (auto& d : partition.decisions) {
    const int64_t bytes =
        element_count(d.producer->shape()) * static_cast<int64_t>(size_of(d.producer->dtype()));
    // What others read from memory is written in any case.
    const int64_t saved = !d.fused ? 0 : stored.contains(d.producer) ? bytes : 2 * bytes;
    out.push_back({titles.number(*d.producer), titles.number(*d.consumer), d.fused, d.reason, saved});
  }
  return out;
}

std::vector<Explanation::Repeated> explain_repeated_work(const ir::Partition& partition,
                                                         const ir::NodeSet& stored) {
  std::unordered_map<const ir::Node*, std::vector<size_t>> computed_by;  // kernels
  std::vector<const Node*> order;
  for (size_t k = 0; k < partition.steps.size(); ++k)
    for (const Node* n : members(partition.steps[k], stored)) {
      std::vector<size_t>& kernels = computed_by[n];
      if (kernels.empty()) order.push_back(n);
      kernels.push_back(k);
    }
  std::map<std::vector<size_t>, std::vector<const Node*>> together;
  for (const Node* n : order)
    if (computed_by[n].size() > 1) together[computed_by[n]].push_back(n);
  std::vector<Explanation::Repeated> out;
  out.reserve(together.size());
  for (auto& [kernels, nodes] : together) out.push_back({static_cast<int>(kernels.size()), origin_of(nodes)});
  return out;
}

Explanation explain(const ir::Partition& partition) {
  const ir::NodeSet stored = stored_nodes(partition);
  Titles titles;
  Explanation out;
  out.steps.reserve(partition.steps.size());
  for (auto& step : partition.steps) out.steps.push_back(explain(step, stored, titles));
  out.edges = explain_decisions(partition, stored, titles);
  out.repeated = explain_repeated_work(partition, stored);
  out.values = titles.take();
  return out;
}

namespace {

std::string indented(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += "    " + text.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace

std::string text_of_steps(const Explanation& explanation) {
  const auto title = [&](int number) { return to_string(explanation.values[static_cast<size_t>(number)]); };
  std::string out;
  for (size_t k = 0; k < explanation.steps.size(); ++k) {
    const Explanation::Step& step = explanation.steps[k];
    out += fmt::format("step {}: {}\n", k, step.text);
    for (const Explanation::Named& one : step.named)
      if (step.kind == "kernel")
        out += fmt::format("  {} {}\n", one.written ? "writes" : "keeps", title(one.value));
    for (const std::string& note : step.notes) out += fmt::format("  {}\n", note);
    for (const Explanation& body : step.bodies) out += indented(to_string(body));
  }
  return out;
}

std::string text_of_reasons(const Explanation& explanation) {
  const auto title = [&](int number) { return to_string(explanation.values[static_cast<size_t>(number)]); };
  std::string out;
  for (const Explanation::Edge& edge : explanation.edges) {
    if (edge.fused)
      out += fmt::format("fused: {} -> {}: {} stay inside, as {}\n", title(edge.from), title(edge.to),
                         readable_bytes(edge.bytes_saved), edge.reason);
    else
      out += fmt::format("not fused: {} -> {}: {}\n", title(edge.from), title(edge.to), edge.reason);
  }
  for (const Explanation::Repeated& repeated : explanation.repeated)
    out += fmt::format("computed by {} kernels: {}: less work than to write the value and read it again\n",
                       repeated.kernels, to_string(repeated.origin));
  return out;
}

std::string to_string(const Explanation& explanation) {
  return text_of_steps(explanation) + text_of_reasons(explanation);
}

namespace {

// NumPy has no view that is these: it copies.
bool is_copied(const ir::Node* n) { return n->op == ir::Op::pad || n->op == ir::Op::concat; }

// A repeated value is read where it lies, and so is a number. Of what is gathered from, no more than the result has.
int64_t bytes_read_of(const ir::Node* n, const ir::Node* by) {
  while (n->op == ir::Op::broadcast || n->op == ir::Op::reshape) n = n->inputs[0].get();
  if (n->op == ir::Op::constant || n->op == ir::Op::scalar) return 0;
  int64_t elements = element_count(n->shape());
  if (by->op == ir::Op::gather) elements = std::min(elements, element_count(by->shape()));
  return elements * static_cast<int64_t>(size_of(n->dtype()));
}

}  // namespace

OpByOp op_by_op(const ir::Graph& graph) {
  OpByOp out;
  for (const ir::Node* n : topological_order(graph.outputs)) {
    const bool view = kind(n->op) == ir::OpKind::View;
    if (kind(n->op) == ir::OpKind::Source || (view && !is_copied(n))) continue;
    if (!view) ++out.ops;
    if (kind(n->op) == ir::OpKind::Loop) continue;  // the bodies have theirs
    out.bytes += element_count(n->shape()) * static_cast<int64_t>(size_of(n->dtype()));
    for (const ir::NodeRef& in : n->inputs) out.bytes += bytes_read_of(in.get(), n);
  }
  return out;
}

}  // namespace weft
