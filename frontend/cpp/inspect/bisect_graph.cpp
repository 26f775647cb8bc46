#include "frontend/cpp/inspect/bisect_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/lines.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/inspect/lines_json.h"
#include "runtime/progress.h"

namespace weft::detail {

namespace {

using nlohmann::ordered_json;

constexpr int kBisectSchema = 1;
constexpr size_t kMostMade = 8;  // ops of a pass that are named

BisectedOp bisected_op(const ir::Node& node) { return {ir::describe(node), node.lines.all()}; }

// Nodes of `after` that stand for nothing alike in `before`.
std::vector<BisectedOp> made_by(const ir::Graph& before, const ir::Graph& after) {
  std::map<std::string, int> had;
  const auto said = [](const ir::Node& node) { return ir::describe(node) + to_string(node.type); };
  for (const ir::Node* node : ir::topological_order(before.outputs)) ++had[said(*node)];
  std::vector<BisectedOp> out;
  for (const ir::Node* node : ir::topological_order(after.outputs))
    if (--had[said(*node)] < 0 && out.size() < kMostMade) out.push_back(bisected_op(*node));
  return out;
}

bool has_loops(const ir::Graph& graph) {
  return std::ranges::any_of(ir::topological_order(graph.outputs),
                             [](const ir::Node* node) { return ir::kind(node->op) == ir::OpKind::Loop; });
}

class Bisecting {
 public:
  Bisecting(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
            std::span<const std::string> names, const Target& target, const Options& options,
            const RunCompiled& run)
      : graph_(graph),
        inputs_(inputs),
        names_(names),
        target_(target),
        options_(options),
        run_(run),
        reference_(reference_of(graph, inputs)) {}

  Bisected search() {
    out_.problem = problem_of_run(graph_, options_, false);
    if (out_.problem.empty() || find_pass()) return std::move(out_);
    if (has_loops(graph_) && find_pass_to_leave_out()) return std::move(out_);
    find_kernel();
    return std::move(out_);
  }

 private:
  std::string judged(const std::function<std::vector<ir::HostTensor>()>& results) const {
    try {
      return problem_of(reference_, graph_.outputs, results(), names_);
    } catch (const InternalError& e) {
      return std::string("failed: ") + e.what();
    }
  }
  std::string problem_of_run(const ir::Graph& graph, const Options& options, bool prepared) const {
    return judged([&] { return run_(graph, options, prepared); });
  }

  bool right_without(std::string_view pass) const {
    Options without = options_;
    without.without_passes.emplace_back(pass);
    return problem_of_run(graph_, without, false).empty();
  }

  bool name_pass(std::string_view name, std::string problem, std::vector<BisectedOp> made) {
    BisectedPass& pass = out_.pass.emplace();
    pass = {std::string(name), std::move(problem), std::move(made), std::nullopt};
    const std::vector<std::string_view> optional = optional_passes();
    if (std::ranges::find(optional, name) != optional.end()) pass.right_without = right_without(name);
    return true;
  }

  // Leaves what all passes made in prepared_.
  bool find_pass() {
    prepared_ = graph_;
    const std::vector<std::string_view> passes = passes_of(options_);
    runtime::Progress progress("bisecting: passes", static_cast<int64_t>(passes.size()));
    for (const std::string_view name : passes) {
      progress.add();
      ir::Graph next;
      try {
        next = run_pass(name, prepared_, target_, options_);
      } catch (const InternalError& e) {
        return name_pass(name, e.what(), {});
      }
      if (ir::hash_graph(next) != ir::hash_graph(prepared_)) {
        const std::string problem = judged([&] { return ir::interpret(next, inputs_); });
        if (!problem.empty()) return name_pass(name, problem, made_by(prepared_, next));
      }
      prepared_ = std::move(next);
    }
    return false;
  }

  // Bodies of loops go through the passes, too, where they are compiled.
  bool find_pass_to_leave_out() {
    for (const std::string_view name : optional_passes())
      if (right_without(name)) {
        out_.pass = {std::string(name), "in the body of a loop", {}, true};
        return true;
      }
    return false;
  }

  using Nodes = std::unordered_set<const ir::Node*>;

  bool wrong_apart(const Nodes& apart) const {
    Options options = options_;
    options.apart = [&](const ir::Node& node) { return apart.contains(&node); };
    return !problem_of_run(prepared_, options, true).empty();
  }

  void find_kernel() {
    std::vector<const ir::Node*> order;
    for (const ir::Node* node : ir::topological_order(prepared_.outputs))
      if (ir::kind(node->op) != ir::OpKind::Source && ir::kind(node->op) != ir::OpKind::View)
        order.push_back(node);
    const auto all_from = [&](size_t first) {
      return Nodes(order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
    };
    if (order.empty() || !wrong_apart({})) return;
    if (wrong_apart(all_from(0))) {
      out_.op = first_difference(graph_, reference_, [&](const ir::Graph& graph, bool fuse) {
        Options options = options_;
        options.fuse = options.fuse && fuse;
        return run_(graph, options, false);
      });
      return;
    }
    size_t right = 0, wrong = order.size();  // so many ops fuse
    runtime::Progress progress("bisecting: operations left out", static_cast<int64_t>(order.size()));
    while (wrong - right > 1) {
      progress.reach(static_cast<int64_t>(order.size() - wrong));
      const size_t middle = right + (wrong - right) / 2;
      (wrong_apart(all_from(middle)) ? wrong : right) = middle;
    }
    Nodes apart = all_from(wrong);
    std::vector<const ir::Node*> group(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wrong));
    take_out(group, apart, [&] { progress.reach(static_cast<int64_t>(order.size() - group.size())); });
    say(group);
  }

  // Sets apart what results stay wrong without: halves, quarters and so on, but for the last op.
  void take_out(std::vector<const ir::Node*>& group, Nodes& apart, const std::function<void()>& tell) const {
    for (size_t part = std::max<size_t>(1, group.size() / 2); group.size() > 1; part = (part + 1) / 2) {
      for (size_t from = 0; from + 1 < group.size();) {
        const size_t to = std::min(from + part, group.size() - 1);
        const auto first = group.begin() + static_cast<std::ptrdiff_t>(from),
                   last = group.begin() + static_cast<std::ptrdiff_t>(to);
        Nodes more = apart;
        more.insert(first, last);
        tell();
        if (wrong_apart(more)) {
          apart = std::move(more);
          group.erase(first, last);
        } else {
          from = to;
        }
      }
      if (part == 1) break;
    }
  }

  void say(const std::vector<const ir::Node*>& group) {
    out_.group.reserve(group.size());
    for (const ir::Node* node : group) out_.group.push_back(bisected_op(*node));
    for (size_t reader = 0; reader < group.size(); ++reader) {
      // Through views, to the values that they are of.
      std::vector<const ir::Node*> open{group[reader]};
      Nodes met;
      while (!open.empty()) {
        const ir::Node* node = open.back();
        open.pop_back();
        for (const ir::NodeRef& in : node->inputs) {
          if (!met.insert(in.get()).second) continue;
          const auto at = std::ranges::find(group, in.get());
          if (at != group.end())
            out_.edges.emplace_back(static_cast<size_t>(at - group.begin()), reader);
          else if (ir::kind(in->op) == ir::OpKind::View)
            open.push_back(in.get());
        }
      }
    }
  }

  const ir::Graph& graph_;
  std::span<const ir::HostTensor> inputs_;
  std::span<const std::string> names_;
  const Target& target_;
  const Options& options_;
  const RunCompiled& run_;
  Reference reference_;
  ir::Graph prepared_;
  Bisected out_;
};

std::string with_lines(const std::string& text, const std::vector<ir::SourceLine>& lines) {
  return lines.empty() ? text : text + " at " + to_string(lines);
}

std::string text_of(const BisectedPass& pass) {
  std::string out = fmt::format("the pass {}: {}\n", pass.name, pass.problem);
  for (const BisectedOp& op : pass.made) out += fmt::format("  it made {}\n", with_lines(op.text, op.lines));
  if (pass.right_without)
    out += *pass.right_without ? fmt::format("without it (--without {}) the results are right\n", pass.name)
                               : "without it the results are wrong, too\n";
  return out;
}

ordered_json ops_json(const std::vector<BisectedOp>& ops) {
  ordered_json out = ordered_json::array();
  for (const BisectedOp& op : ops) out.push_back({{"op", op.text}, {"lines", lines_json(op.lines)}});
  return out;
}

}  // namespace

Bisected bisect_graph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                      std::span<const std::string> names, const Target& target, const Options& options,
                      const RunCompiled& run) {
  return Bisecting(graph, inputs, names, target, options, run).search();
}

std::string text_of(const Bisected& bisected) {
  if (bisected.agrees()) return "agrees with the reference interpreter: there is nothing to search\n";
  std::string out = fmt::format("DISAGREES: {}\n", bisected.problem);
  if (bisected.pass) return out + text_of(*bisected.pass);
  out += "every pass gives a graph that computes the same\n";
  if (bisected.op)
    return out + fmt::format("the op {}, {}: {}\n", with_lines(bisected.op->op, bisected.op->lines),
                             bisected.op->fused ? "in a fused kernel" : "in a kernel of its own",
                             bisected.op->comparison.text);
  if (bisected.group.empty()) return out + "no op and no kernel by itself makes the difference\n";
  out += "each op in a kernel of its own is right; these are wrong in one kernel:\n";
  for (const BisectedOp& op : bisected.group) out += fmt::format("  {}\n", with_lines(op.text, op.lines));
  for (const auto& [from, to] : bisected.edges)
    out +=
        fmt::format("the edge {} -> {}\n", with_lines(bisected.group[from].text, bisected.group[from].lines),
                    with_lines(bisected.group[to].text, bisected.group[to].lines));
  return out;
}

std::string json_of(const Bisected& bisected) {
  ordered_json pass, op, edges = ordered_json::array();
  if (bisected.pass) {
    ordered_json right;
    if (bisected.pass->right_without) right = *bisected.pass->right_without;
    pass = {{"name", bisected.pass->name},
            {"text", bisected.pass->problem},
            {"made", ops_json(bisected.pass->made)},
            {"right_without", std::move(right)}};
  }
  if (bisected.op)
    op = {{"way", bisected.op->fused ? "fused" : "op_by_op"},
          {"op", bisected.op->op},
          {"lines", lines_json(bisected.op->lines)},
          {"text", bisected.op->comparison.text}};
  for (const auto& [from, to] : bisected.edges) edges.push_back({{"from", from}, {"to", to}});
  const ordered_json all = {{"schema", "weft.bisect"},           {"version", kBisectSchema},
                            {"agrees", bisected.agrees()},       {"text", bisected.problem},
                            {"pass", std::move(pass)},           {"op", std::move(op)},
                            {"group", ops_json(bisected.group)}, {"edges", std::move(edges)}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace weft::detail
