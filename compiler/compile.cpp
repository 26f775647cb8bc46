#include "compiler/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/base/error.h"
#include "compiler/explain.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/assign.h"
#include "compiler/passes/functions_of_target.h"
#include "compiler/passes/interleave.h"
#include "compiler/passes/join_loops.h"
#include "compiler/passes/loops/map_loops.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/products/expand_products.h"
#include "compiler/passes/products/join_products.h"
#include "compiler/passes/products/widen_products.h"
#include "compiler/passes/reductions/merge_reductions.h"
#include "compiler/passes/reductions/narrow.h"
#include "compiler/passes/reductions/pick_rows.h"
#include "compiler/passes/reductions/split_reductions.h"
#include "compiler/passes/reductions/write_out_reductions.h"
#include "compiler/passes/refine_shapes.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/passes/unreshape.h"
#include "compiler/program_builder.h"

namespace weft {

namespace {

using ir::OpKind;

// The passes over graphs, in order.
constexpr passes::Pass kPasses[] = {
    {"as_updates", passes::as_updates, OpKind::Update, passes::kRequired},
    {"functions_of_target", passes::functions_of_target, {}, passes::kRequired},
    {"simplify", [](auto& graph, auto&, auto& options) { return passes::simplify(graph, options); }},
    {"share", [](auto& graph, auto&, auto& options) { return passes::share(graph, options); }},
    {"join_loops", passes::join_loops, OpKind::Loop},
    {"map_loops", passes::map_loops, OpKind::Loop},
    {"narrow", passes::narrow},
    {"pick_rows", passes::pick_rows, OpKind::Gather},
    {"merge_reductions", passes::merge_reductions, OpKind::Reduce},
    {"join_products", passes::join_products, OpKind::Dot},
    {"expand_products", passes::expand_products, OpKind::Dot},
    {"write_out_reductions", passes::write_out_reductions, OpKind::Reduce},
    {"refine_shapes", passes::refine_shapes, OpKind::View},
    {"split_reductions", passes::split_reductions, OpKind::Reduce},
    {"unreshape", passes::unreshape, OpKind::View},
    {"interleave", passes::interleave},
    {"assign", passes::assign_in_place, OpKind::Update},
    {"widen_products", passes::widen_products, OpKind::Dot, passes::kRequired},
};

bool may_be_left_out(std::string_view name) {
  return std::ranges::any_of(kPasses, [&](auto& pass) { return pass.name == name && !pass.required; });
}

// Whether a pass gave back what it got: nodes never change, so what was in order is.
bool is_same(const ir::Graph& a, const ir::Graph& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs;
}

uint32_t bit_of(OpKind kind) { return uint32_t{1} << static_cast<unsigned>(kind); }

// The kinds of ops that the graph has, a bit for each.
uint32_t kinds_of(const ir::Graph& graph) {
  uint32_t out = 0;
  for (const ir::Node* n : topological_order(graph.outputs)) out |= bit_of(kind(n->op));
  return out;
}

ir::Graph after(const passes::Pass& pass, const ir::Graph& graph, const Target& target,
                const Options& options) {
  ir::Graph next = pass.run(graph, target, options);
  if (options.after_pass) options.after_pass(pass.name, next);
  if (is_same(next, graph)) return graph;
  if (options.dump && hash_graph(next) != hash_graph(graph)) options.dump(pass.name, ir::print(next));
  return next;
}

}  // namespace

std::vector<std::string_view> passes_of(const Options& options) {
  for (auto& name : options.without_passes)
    if (!may_be_left_out(name))
      throw Error("compile: no pass that may be left out has the name '" + name + "'");
  std::vector<std::string_view> out;
  out.reserve(std::size(kPasses));
  for (auto& pass : kPasses)
    if (std::ranges::find(options.without_passes, pass.name) == options.without_passes.end())
      out.push_back(pass.name);
  return out;
}

ir::Graph run_pass(std::string_view name, const ir::Graph& graph, const Target& target,
                   const Options& options) {
  const auto* const pass = std::ranges::find(kPasses, name, &passes::Pass::name);
  if (pass == std::end(kPasses)) throw Error(fmt::format("compile: no pass has the name '{}'", name));
  ir::Graph next = after(*pass, graph, target, options);
  if (!is_same(next, graph)) ir::verify(next, name);
  return next;
}

ir::Graph prepare(const ir::Graph& recorded, const Target& target, const Options& options) {
  const std::vector<std::string_view> names = passes_of(options);
  ir::verify(recorded, "recording");
  if (options.dump) options.dump("graph", ir::print(recorded));
  ir::Graph graph = recorded;
  const auto each_verified = [&] {
    graph = recorded;
    for (const std::string_view name : names) graph = run_pass(name, graph, target, options);
    return graph;
  };
  if (options.after_pass || options.dump) return each_verified();
  uint32_t kinds = kinds_of(graph);
  for (const passes::Pass& pass : kPasses) {
    if (std::ranges::find(names, pass.name) == names.end()) continue;
    if (pass.of && !(kinds & bit_of(*pass.of))) continue;
    ir::Graph next = after(pass, graph, target, options);
    if (is_same(next, graph)) continue;
    graph = std::move(next);
    kinds = kinds_of(graph);
  }
  if (is_same(graph, recorded)) return graph;
  // A verification takes about as long as a pass.
  try {
    ir::verify(graph, "the passes");
  } catch (const InternalError&) {
    return each_verified();  // names the one that is wrong
  }
  return graph;
}

namespace {

Program compiled(const ir::Graph& graph, const Target& target, const Options& options,
                 Explanation& explanation);

Program built(const ir::Graph& prepared, const ir::Partition& partition, const Target& target,
              const Options& options, Explanation& explanation) {
  std::vector<Explanation> bodies;  // of loops, those of the latest one last
  const CompileBody compile_body = [&](const ir::Graph& body, std::vector<int> donated) {
    Options of_body = options;
    of_body.donated = std::move(donated);
    Explanation said;
    said.costs = explanation.costs;
    Program made = compiled(body, target, of_body, said);
    bodies.push_back(std::move(said));
    return made;
  };
  Program program =
      build_program(prepared, partition, target, options, Bodies{compile_body, bodies}, explanation);
  program.explanation = to_string(explanation);
  return program;
}

Program compiled(const ir::Graph& graph, const Target& target, const Options& options,
                 Explanation& explanation) {
  const ir::Graph prepared = prepare(graph, target, options);
  Program program = built(prepared, fusion::fuse(prepared, target, options), target, options, explanation);
  for (const ir::Node* n : topological_order(graph.outputs))
    program.ops_before += kind(n->op) != ir::OpKind::Source && kind(n->op) != ir::OpKind::View;
  return program;
}

}  // namespace

Program compile(const ir::Graph& graph, const Target& target, const Options& options) {
  Explanation explanation;
  return compiled(graph, target, options, explanation);
}

Program compile_prepared(const ir::Graph& prepared, const Target& target, const Options& options) {
  Explanation explanation;
  return built(prepared, fusion::fuse(prepared, target, options), target, options, explanation);
}

Program compile_fused(const ir::Graph& prepared, const ir::Partition& partition, const Target& target,
                      const Options& options, Explanation& explanation) {
  return built(prepared, partition, target, options, explanation);
}

Explained compile_explained(const ir::Graph& graph, const Target& target, const Options& options) {
  Explained out;
  out.explanation.costs = true;
  out.program = compiled(graph, target, options, out.explanation);
  out.op_by_op = op_by_op(graph);
  return out;
}

bool is_pass(std::string_view name) {
  return std::ranges::any_of(kPasses, [&](auto& pass) { return pass.name == name; });
}

std::vector<std::string_view> optional_passes() {
  std::vector<std::string_view> out;
  for (auto& pass : kPasses)
    if (!pass.required) out.push_back(pass.name);
  return out;
}

}  // namespace weft
