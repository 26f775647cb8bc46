#include "compiler/passes/join_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/make_loop.h"
#include "compiler/passes/pass.h"

namespace weft::passes {
namespace {

using ir::Loop;
using ir::Node;
using ir::NodeRef;

constexpr size_t kMostLoops = 64;  // that are compared with each other

// For each result of `small` the number of the same one of `large`; none where one is missing. Bodies that derivatives
// make of a body have its own nodes.
std::optional<std::vector<size_t>> results_in(const Node& small, const Node& large) {
  const Loop &a = *ir::loop_of(small), &b = *ir::loop_of(large);
  if (a.op != b.op || a.bodies.size() != b.bodies.size() || a.length != b.length || a.reverse != b.reverse)
    return {};
  if (a.op == ir::Op::branch && small.inputs[0] != large.inputs[0]) return {};
  const size_t hidden = a.op == ir::Op::branch ? 1 : 0;
  for (size_t body = 0; body < a.bodies.size(); ++body) {
    const auto &mine = a.bodies[body].inputs, &theirs = b.bodies[body].inputs;
    for (size_t i = 0; i < mine.size(); ++i) {
      const auto found = std::ranges::find(theirs, mine[i]);
      if (found == theirs.end()) return {};
      const auto at = static_cast<size_t>(found - theirs.begin());
      const bool turn = hidden == 0 && i + 1 == mine.size();
      if (turn ? at + 1 != theirs.size() : small.inputs[i + hidden] != large.inputs[at + hidden]) return {};
      if ((i < a.carries) != (at < b.carries)) return {};
      // What is carried goes on the same way.
      if (i < a.carries && !(a.op == ir::Op::while_loop && body == 0) &&
          a.bodies[body].outputs[i] != b.bodies[body].outputs[at])
        return {};
    }
  }
  if (a.op == ir::Op::while_loop && a.bodies[0].outputs[0] != b.bodies[0].outputs[0]) return {};
  std::vector<size_t> numbers;
  for (size_t i = 0; i < a.results.size(); ++i) {
    const size_t first = i < a.carries ? 0 : b.carries, end = i < a.carries ? b.carries : b.results.size();
    size_t at = first;
    const auto differs = [&] {
      for (size_t body = a.op == ir::Op::while_loop ? 1 : 0; body < a.bodies.size(); ++body) {
        if (a.bodies[body].outputs[i] != b.bodies[body].outputs[at]) return true;
        // Two carried values may become the same one, and begin as two.
        if (i < a.carries && a.bodies[body].inputs[i] != b.bodies[body].inputs[at]) return true;
      }
      return false;
    };
    while (at < end && differs()) ++at;
    if (at == end) return {};
    numbers.push_back(at);
  }
  return numbers;
}

// A loop and the one that replaces it.
struct Pair {
  const Node *small, *large;
  std::vector<size_t> numbers;
};

bool depends_on(const Node& node, const Node& loop) {
  return std::ranges::any_of(ir::topological_order({node.inputs.begin(), node.inputs.size()}),
                             [&](const Node* n) { return ir::same_loop(*n, loop); });
}

std::optional<Pair> find_pair(const std::vector<const Node*>& loops) {
  for (const Node* small : loops) {
    for (const Node* large : loops) {
      if (ir::loop_of(*large)->results.size() <= ir::loop_of(*small)->results.size()) continue;
      if (auto numbers = results_in(*small, *large); numbers && !depends_on(*large, *small))
        return Pair{small, large, *std::move(numbers)};
    }
  }
  return {};
}

}  // namespace

ir::Graph join_loops(const ir::Graph& before, const Target&, const Options&) {
  ir::Graph graph = before;
  for (;;) {
    std::vector<const Node*> loops;  // the first result of each
    for (const Node* n : topological_order(graph.outputs))
      if (ir::is_loop(*n) &&
          std::ranges::none_of(loops, [&](const Node* one) { return ir::same_loop(*one, *n); }))
        loops.push_back(n);
    if (loops.size() < 2 || loops.size() > kMostLoops) return graph;
    const std::optional<Pair> pair = find_pair(loops);
    if (!pair) return graph;
    const Node& large = *pair->large;
    const std::vector<NodeRef> results =
        ir::results_of(ir::loop_of(large), {large.inputs.begin(), large.inputs.size()}, large.lines);
    graph = rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
      if (ir::same_loop(was, *pair->small)) return results[pair->numbers[ir::result_number(was)]];
      return ir::same_loop(was, large) ? results[ir::result_number(was)] : now;
    });
  }
}

}  // namespace weft::passes
