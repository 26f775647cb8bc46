#include "compiler/draw.h"
#include "compiler/ir/node_tables.h"

#include <fmt/format.h>

#include <vector>

#include "compiler/compile.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/dot_graph.h"
#include "compiler/ir/text/print.h"
#include "compiler/planned_work.h"

namespace weft {

namespace {

// The nodes that a step computes, views included, from the roots down to what lies in memory.
std::vector<const ir::Node*> computed_by(const ir::Step& step, const ir::NodeSet& in_memory) {
  if (step.library) return {step.library.get()};
  std::vector<const ir::Node*> out;
  ir::NodeSet seen;
  out.reserve(step.group.roots.size());
  for (auto& root : step.group.roots)
    if (seen.insert(root.node.get()).second) out.push_back(root.node.get());
  for (size_t k = 0; k < out.size(); ++k)
    for (auto& in : out[k]->inputs)
      if (kind(in->op) != ir::OpKind::Source && !in_memory.contains(in.get()) && seen.insert(in.get()).second)
        out.push_back(in.get());
  return out;
}

// The nodes of several graphs, each numbered once.
class Numbered {
 public:
  explicit Numbered(std::vector<GraphStages::Node>& nodes) : nodes_(nodes) {}

  std::vector<int> of(const std::vector<ir::NodeRef>& outputs) {
    for (const ir::Node* n : topological_order(outputs)) add(*n);
    std::vector<int> out;
    out.reserve(outputs.size());
    for (auto& output : outputs) out.push_back(numbers_.at(output.get()));
    return out;
  }
  int operator()(const ir::Node* n) const { return numbers_.at(n); }

 private:
  void add(const ir::Node& n) {
    if (!numbers_.emplace(&n, static_cast<int>(nodes_.size())).second) return;
    GraphStages::Node node{
        std::string(ir::called(n)),     to_string(n.type), kind(n.op) == ir::OpKind::Source,
        kind(n.op) == ir::OpKind::View, n.lines.all(),     {}};
    node.inputs.reserve(n.inputs.size());
    for (auto& in : n.inputs) node.inputs.push_back(numbers_.at(in.get()));
    nodes_.push_back(std::move(node));
  }

  std::vector<GraphStages::Node>& nodes_;
  ir::NodeMap<int> numbers_;
};

// "step 2: kernel", what it moves, and how long that takes.
std::string label_of(int group, const Program& program, const Explanation& explanation, double memory_speed) {
  std::string out;
  PlannedWork work;
  for (size_t k = 0; k < explanation.steps.size(); ++k) {
    if (explanation.steps[k].group != group) continue;
    out += fmt::format("{}step {}: {}", out.empty() ? "" : ", ", k, explanation.steps[k].kind);
    add_work_of(program, k, work);
  }
  if (out.empty()) return "no step of its own";  // no elements, or another result of a step
  out += fmt::format("\n{} read, {} written{}", readable_bytes(work.bytes_read),
                     readable_bytes(work.bytes_written), work.unknown_turns ? ", in one turn" : "");
  if (work.operations > 0)
    out += fmt::format("\n{:.3g} million operations", static_cast<double>(work.operations) / 1e6);
  if (const double speed = timed_speed(work.bytes(), memory_speed); speed > 0)
    out += fmt::format("\n{} {}", work.operations > 0 ? "at least" : "about",
                       readable_seconds(static_cast<double>(work.bytes()) / speed));
  return out;
}

std::string caption_of(double memory_speed) {
  return fmt::format(
      "times: at the {:.1f} GB/s of this machine's memory; less where arrays stay in caches, more where much "
      "is computed",
      memory_speed / 1e9);
}

std::string draw(const ir::Graph& graph, const Target& target, const Options& options, double memory_speed,
                 const DrawnPart* part) {
  const ir::Graph ready = prepare(graph, target, options);
  const ir::Partition partition = fusion::fuse(ready, target, options);
  const ir::NodeSet in_memory = stored_nodes(partition);
  ir::NodeMap<int> group;
  for (size_t number = 0; number < partition.steps.size(); ++number)
    for (const ir::Node* n : computed_by(partition.steps[number], in_memory))
      group.emplace(n, static_cast<int>(number));
  Explanation explanation;
  const Program program = compile_fused(ready, partition, target, options, explanation);
  ir::Frames frames;
  frames.of = [&](const ir::Node* n) {
    const auto it = group.find(n);
    return it == group.end() ? -1 : it->second;
  };
  frames.labels.reserve(partition.steps.size());
  for (size_t k = 0; k < partition.steps.size(); ++k)
    frames.labels.push_back(label_of(static_cast<int>(k), program, explanation, memory_speed));
  if (timed_speed(work_of(program).bytes(), memory_speed) > 0) frames.caption = caption_of(memory_speed);
  if (part) {
    frames.prefix = fmt::format("p{}_", part->number);
    frames.caption = part->title + (frames.caption.empty() ? "" : "\n" + frames.caption);
  }
  return ir::dot(ready, frames);
}

}  // namespace

std::string draw_kernels(const ir::Graph& graph, const Target& target, const Options& options,
                         double memory_speed) {
  return draw(graph, target, options, memory_speed, nullptr);
}

std::string draw_kernels(const ir::Graph& graph, const Target& target, const Options& options,
                         double memory_speed, const DrawnPart& part) {
  return draw(graph, target, options, memory_speed, &part);
}

GraphStages graph_stages(const ir::Graph& graph, const Target& target, const Options& options) {
  GraphStages out;
  Numbered numbered(out.nodes);
  std::vector<ir::Graph> kept = {graph};  // so that no two nodes have had one address
  out.stages.push_back({"recorded", numbered.of(graph.outputs)});
  for (const std::string_view pass : passes_of(options)) {
    ir::Graph next = run_pass(pass, kept.back(), target, options);
    if (next.outputs == kept.back().outputs || hash_graph(next) == hash_graph(kept.back())) continue;
    out.stages.push_back({std::string(pass), numbered.of(next.outputs)});
    kept.push_back(std::move(next));
  }
  const ir::Partition partition = fusion::fuse(kept.back(), target, options);
  const ir::NodeSet in_memory = stored_nodes(partition);
  const Explanation explanation = explain(partition);
  out.steps.reserve(partition.steps.size());
  for (size_t k = 0; k < partition.steps.size(); ++k) {
    GraphStages::Step step{explanation.steps[k].text, {}};
    const std::vector<const ir::Node*> nodes = computed_by(partition.steps[k], in_memory);
    step.nodes.reserve(nodes.size());
    for (const ir::Node* n : nodes) step.nodes.push_back(numbered(n));
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace weft
