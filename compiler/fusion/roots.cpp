#include "compiler/fusion/roots.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <utility>

#include "compiler/fusion/expression.h"
#include "compiler/fusion/groups.h"
#include "compiler/ir/analysis/access.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"
#include "compiler/ir/group.h"
#include "compiler/machine/tuning.h"

namespace weft::fusion {

using namespace tuning;

namespace {

using ir::is_reduce;
using ir::Node;
using ir::Op;
using ir::OpKind;

// Roots may share so much that analyzing each alone takes this many nodes, and so many times those of the
// graph. Then values with several users become roots where their expressions are long.
constexpr size_t kAnalyzedAnyway = 20'000, kAnalyzedTimes = 32;
constexpr int kLongExpression = 100;
constexpr size_t kMostConcatParts = 64, kMostSharedConcatParts = 8;  // of concats of concats

bool is_source(const Node& n) { return kind(n.op) == OpKind::Source; }

class FirstRoots {
 public:
  FirstRoots(const ir::Graph& graph, const Options& options) : graph_(graph), options_(options) {
    roots_.order = topological_order(graph.outputs);
    roots_.users = ir::Users(roots_.order);
  }

  Roots run() {
    force_roots();
    bound_parts();
    cut_windows();
    const size_t most = std::max(kAnalyzedAnyway, kAnalyzedTimes * roots_.order.size());
    if (expression_nodes(most) > most) bound_expressions();
    return std::move(roots_);
  }

 private:
  // Roots whatever the heuristics say.
  void force_roots() {
    for (auto& out : graph_.outputs)
      if (out->op != Op::input) roots_.all.insert(out.get());
    for (auto* n : roots_.order) {
      if (is_reduce(*n) || ir::scans(*n) || is_copy(*n)) roots_.all.insert(n);
      if (n->op == Op::assign) {
        roots_.all.insert(n);
        if (const Node* memory = ir::memory_of(n->inputs[0].get()); memory->op != Op::input)
          roots_.all.insert(memory);
        // What a step of a recurrence wrote is not computed again in all later ones.
        const Node* value = n->inputs[1].get();
        bool shared = roots_.users.of(value).size() > 1;
        for (; value->op == Op::reshape; shared |= roots_.users.of(value).size() > 1)
          value = value->inputs[0].get();
        if (kind(value->op) == OpKind::Map && shared) roots_.all.insert(value);
      }
      if (runs_alone(*n)) {
        roots_.all.insert(n);
        for (auto& in : n->inputs) force_operand(in.get());
      }
      if (n->op == Op::gather && !computes_few(*n)) force_gathered(n->inputs[0].get());
      if (options_.apart && !is_source(*n) && kind(n->op) != OpKind::View && options_.apart(*n)) {
        roots_.all.insert(n);
        for (auto& in : n->inputs) force_operand(in.get());
      }
      if (!options_.fuse && !is_source(*n) && kind(n->op) != OpKind::View) roots_.all.insert(n);
    }
  }

  // A kernel tests all parts of a concat for each element, and has to be compiled with all of them. Those of
  // the concats that its parts are computed of count, too. A concat that others read as well is stored
  // sooner: each step of an array that grows is one, and each of its readers would have as many parts as the
  // array has steps.
  void bound_parts() {
    ir::NodeMap<size_t> parts;  // of each node's expression; none: 1
    const auto parts_of = [&](const Node* n) {
      auto it = parts.find(n);
      return ends(n) || it == parts.end() ? 1 : it->second;
    };
    for (auto* n : roots_.order) {
      if (is_source(*n) || runs_alone(*n)) continue;
      const bool concat = n->op == Op::concat;
      const size_t most = roots_.users.of(n).size() > 1 ? kMostSharedConcatParts : kMostConcatParts;
      size_t all = 0;
      for (auto& in : n->inputs) {
        const size_t of_input = parts_of(in.get());
        all = concat ? all + of_input : std::max(all, of_input);
      }
      if (concat && all > std::max(most, n->inputs.size())) {
        for (auto& in : n->inputs)
          if (parts_of(in.get()) > 1) force_operand(in.get());
        all = n->inputs.size();
      }
      if (all > 1) parts[n] = all;
    }
  }

  // Libraries and gathers read memory; views of it are theirs to follow.
  void force_operand(const Node* n) {
    const Node* base = n;
    while (!roots_.contains(base) && views_one(base->op)) base = base->inputs[0].get();
    if (!is_source(*base)) roots_.all.insert(base);
  }

  // The same of what is gathered, whose elements others may take at known steps.
  void force_gathered(const Node* n) {
    while (!roots_.contains(n) && (views_one(n->op) || (n->op == Op::gather && ir::takes_steps(*n))))
      n = n->inputs[0].get();
    if (!is_source(*n)) roots_.all.insert(n);
  }

  // Whether a gather had better compute the elements that it picks. They are fewer than there are. Where they
  // are computed from several arrays, each read in no order, they are so few that this costs less than to
  // read and write all in order. What is guarded is stored: a guard at positions that are known only then
  // holds along no stretch of a row.
  bool computes_few(const Node& gather) const {
    const Node* top = gather.inputs[0].get();
    while (!roots_.contains(top) && views_one(top->op)) top = top->inputs[0].get();
    if (ends(top)) return true;
    const int64_t picked = element_count(gather.shape());
    int64_t arrays = 0;
    ir::NodeSet seen{top};
    std::vector<const Node*> stack{top};
    while (!stack.empty()) {
      const Node* n = stack.back();
      stack.pop_back();
      if (ends(n)) {
        arrays += (n->op == Op::input || !is_source(*n)) && element_count(n->shape()) > picked ? 1 : 0;
        continue;
      }
      if (kind(n->op) != OpKind::Map && !views_one(n->op) && n->op != Op::gather) return false;
      for (auto& in : n->inputs)
        if (seen.insert(in.get()).second) stack.push_back(in.get());
      if (seen.size() > kLongExpression) return false;
    }
    return picked * std::max<int64_t>(kScattered * (arrays - 1), 1) < element_count(top->shape());
  }

  // Graphs that are too large for one kernel are cut across their order: what lives over a cut is stored.
  void cut_windows() {
    // Room is left for extents, guards and what is written.
    const int most_words = options_.max_kernel_words * 4 / 5;
    int cost = 0, words = 0, window = 0;
    ir::NodeMap<int> window_of;
    for (auto* n : roots_.order) {
      cost += compile_cost(*n);
      if (n->op == Op::input || n->op == Op::scalar) words += words_of(*n);
      if (cost > options_.max_kernel_cost || words > most_words) cost = compile_cost(*n), words = 0, ++window;
      window_of[n] = window;
    }
    if (window == 0) return;
    for (auto* n : roots_.order)
      for (auto& in : n->inputs)
        if (window_of.at(in.get()) != window_of.at(n)) force_operand(in.get());
  }

  using Met = ir::NodeMap<const Node*>;  // node -> the last top that met it

  // The nodes of an expression, counted once each, up to one more than matter.
  size_t count(const Node* top, size_t most, Met& met) const {
    size_t nodes = 0;
    std::vector<const Node*> stack{top};
    while (!stack.empty() && nodes <= most) {
      const Node* n = stack.back();
      stack.pop_back();
      ++nodes;
      for (auto& in : n->inputs)
        if (!ends(in.get()) && std::exchange(met[in.get()], top) != top) stack.push_back(in.get());
    }
    return nodes;
  }

  // How many nodes the expressions of all roots have together, up to one more than matter.
  size_t expression_nodes(size_t most) const {
    Met met;
    size_t nodes = 0;
    for (auto* root : roots_.order)
      if (roots_.contains(root) && nodes <= most) nodes += count(root, most - nodes, met);
    return nodes;
  }

  // Where an expression ends.
  bool ends(const Node* n) const { return is_source(*n) || roots_.contains(n); }

  // Values of long expressions that several others read become roots, so that what many roots share is not
  // analyzed anew for each of them. Where all their readers join one kernel, this changes nothing.
  void bound_expressions() {
    ir::NodeMap<int> length;  // of the expression, or more
    Met met;
    for (auto* n : roots_.order) {
      if (ends(n)) continue;
      int sum = 1;
      for (auto& in : n->inputs) sum += ends(in.get()) ? 0 : length[in.get()];
      if (sum > kLongExpression && roots_.users.of(n).size() > 1)
        sum = static_cast<int>(count(n, kLongExpression, met));
      if (sum > kLongExpression && roots_.users.of(n).size() > 1 && kind(n->op) == OpKind::Map) {
        roots_.bounds.insert(n);
        roots_.all.insert(n);
      } else {
        length[n] = std::min(sum, kLongExpression + 1);
      }
    }
  }

  const ir::Graph& graph_;
  const Options& options_;
  Roots roots_;
};

}  // namespace

Roots first_roots(const ir::Graph& graph, const Options& options) { return FirstRoots(graph, options).run(); }

}  // namespace weft::fusion
