#include "compiler/passes/assign.h"
#include "compiler/ir/analysis/users.h"
#include "compiler/ir/function.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"
#include "compiler/machine/tuning.h"
#include "compiler/passes/order_updates.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/rewritten.h"

namespace weft::passes {

using namespace tuning;

namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;

// Where updates are written in place. A long chain of them is worth a copy of what it starts from: as one
// expression, each would cost a test and a choice for every element. As a choice inside the kernel that
// computes the value, a single one costs every element, too; a kernel of its own costs some microseconds,
// which large values repay where the part that is replaced is small. But a choice lets the kernel go on to
// what reads the value, which spares memory twice its size.
class InPlace {
  static constexpr int kMostRounds = 4;  // of assumptions; then nothing is assumed

 public:
  InPlace(const ir::Graph& graph, const Target& target, const Options& options)
      : on_cpu_(target.kind == TargetKind::Cpu),
        graph_(graph),
        order_(topological_order(graph.outputs)),
        readers_(order_),
        rule_(graph) {
    int number = 0;
    for (auto& in : graph.inputs) {
      if (in->op != Op::input) continue;
      if (std::find(options.donated.begin(), options.donated.end(), number++) != options.donated.end())
        donated_.insert(in.get());
    }
    chains_ = find_chains();
  }

  // The updates that can be assignments, and the values that have to lie in memory of their own for it.
  struct Found {
    ir::NodeSet updates, copied, choices;  // `choices`: better than assignments

    size_t settled() const { return updates.size() + choices.size(); }
  };
  // Two arrays that are computed from each other in turns are in place where both are: so all that may be, in
  // memory that is given or in a copy, are assumed to be, and fewer where that does not hold.
  Found find() {
    ir::NodeSet assumed;
    for (const Chain& chain : chains_)
      if (chain.given || chain.updates.size() >= kWorthACopy)
        assumed.insert(chain.updates.begin(), chain.updates.end());
    for (int round = 0; round < kMostRounds && !assumed.empty(); ++round) {
      rule_.assume(assumed);
      Found found = find_as_assumed();
      if (ir::erase_if(assumed, [&](const Node* n) { return !found.updates.contains(n); }) == 0) return found;
    }
    rule_.assume({});
    return find_as_assumed();
  }

  // Slices that are wanted both before and after an update that could be in place if they were copied.
  ir::NodeSet worth_keeping() const {
    ir::NodeSet out;
    for (const Node* n : order_) {
      if (n->op != Op::update) continue;
      ir::InPlaceRule::Spared none;
      if (rule_.refuse(*n, none).empty()) continue;
      for (const Node* slice : rule_.worth_keeping(*n)) out.insert(slice);
    }
    return out;
  }

 private:
  // Updates of one value, the last first; `given`: they may be written into memory that the caller gives away.
  struct Chain {
    std::vector<const Node*> updates;
    bool given = false;
  };

  std::vector<Chain> find_chains() const {
    std::vector<Chain> out;
    ir::NodeSet seen;
    for (auto top = order_.rbegin(); top != order_.rend(); ++top) {
      if ((*top)->op != Op::update || seen.contains(*top)) continue;
      Chain chain;
      const Node* n = *top;
      do {
        seen.insert(n);
        chain.updates.push_back(n);
        n = ir::memory_of(n->inputs[0].get());
      } while (n->op == Op::update && !rule_.is_output(n) && !seen.contains(n));
      const bool output = std::count_if(graph_.outputs.begin(), graph_.outputs.end(),
                                        [&](auto& o) { return ir::memory_of(o.get()) == *top; }) == 1;
      chain.given =
          output && donated_.contains(n) && !rule_.is_output(n) && n->as<ir::InputAttr>().strides.empty();
      out.push_back(std::move(chain));
    }
    return out;
  }

  Found find_as_assumed() const {
    Found out;
    for (const Chain& chain : chains_) settle(chain, out);
    return out;
  }

  // From the start on: the first update that needs its old value elsewhere ends a run, and begins another on a
  // copy.
  void settle(const Chain& chain, Found& out) const {
    const std::vector<const Node*>& updates = chain.updates;
    const auto part = [&](size_t from, size_t end) { return std::span(updates).subspan(from, end - from); };
    bool given = chain.given;
    for (size_t end = updates.size(); end > 0; given = false) {
      ir::InPlaceRule::Spared spared;
      const auto takes = [&](const Node* update) { return rule_.refuse(*update, spared).empty(); };
      const bool computed = !given && !out.updates.contains(ir::memory_of(updates[end - 1]->inputs[0].get()));
      size_t from = end;
      // Behind one that is in place, the value lies in memory.
      while (from > 0 && (given || (computed && (from < end || worth_a_kernel(*updates[from - 1])))) &&
             takes(updates[from - 1]))
        --from;
      if (computed && from < end && goes_on(updates, from, end)) {
        const auto run = part(from, end);
        out.choices.insert(run.begin(), run.end());
        from = end, spared = {};
      }
      const bool copied = from == end && !given;
      if (copied) {
        --from;  // what it replaces stays as it is
        while (from > 0 && takes(updates[from - 1])) --from;
      }
      if (copied && end - from < kWorthACopy && !wastes(*updates[end - 1])) {
        from = end - 1;  // computed as a choice; the next ones may still write into its memory
      } else {
        const auto run = part(from, end);
        out.updates.insert(run.begin(), run.end());
        if (copied) out.copied.insert(updates[end - 1]);
      }
      end = from;
    }
  }

  bool worth_a_kernel(const Node& update) const {
    return kind(ir::memory_of(update.inputs[0].get())->op) != ir::OpKind::Source && replaces_little(update) &&
           (element_count(update.shape()) >= kLargeValue || wastes(update));
  }

  static bool replaces_little(const Node& update) {
    return kSmallUpdate * element_count(update.inputs[1]->shape()) <= element_count(update.shape());
  }

  // Of rows that are written in part a choice computes the other elements, too. Whether that is so much that a kernel
  // for the written ones takes less time, even with a copy of what they replace.
  bool wastes(const Node& update) const {
    const Shape &shape = update.shape(), &part = update.inputs[1]->shape();
    if (!on_cpu_ || shape.empty() || element_count(part) == 0 || !replaces_little(update)) return false;
    const int64_t unwritten = element_count(part) / part.back() * (shape.back() - part.back());
    return unwritten > 0 &&
           takes_more(*update.inputs[1],
                      std::max(kWorkOfUnwritten, kMostUnwritten / static_cast<float>(unwritten)));
  }

  // Whether the kernel that computes a value had better go on through updates of it to what reads them: few
  // tests an element, for whole ranges of what takes little to compute, which a choice does for all elements.
  // A test that differs along the lanes is worth it alone.
  bool goes_on(const std::vector<const Node*>& chain, size_t from, size_t end) const {
    size_t tests = 0;
    for (size_t k = from; k < chain.size() && tests <= kMostTests; ++k) {
      const auto readings = readings_of(*chain[k], k == from ? nullptr : chain[k - 1]);
      if (!readings) return false;
      tests += *readings * (chain.size() - k);
    }
    if (tests == 0 || tests > kMostTests) return false;
    return std::ranges::all_of(std::span(chain).subspan(from, end - from), [&](const Node* update) {
      const Shape &shape = update->shape(), &part = update->inputs[1]->shape();
      const Dims& steps = update->as<ir::SliceAttr>().steps;
      for (size_t k = 0; k < part.size(); ++k)
        if (part[k] > 1 && steps[k] != 1) return false;
      const bool along_lanes = shape.size() > 1 && part.back() < shape.back();
      return (!along_lanes || tests == 1) && !takes_more(*update->inputs[1], kWorkOfUnwritten);
    });
  }

  // Whether an element takes more multiply-adds than `most`, with all maps that it is computed from.
  static bool takes_more(const Node& value, float most) {
    float work = 0;
    ir::NodeSet seen{&value};
    std::vector<const Node*> stack{&value};
    while (!stack.empty()) {
      const Node& n = *stack.back();
      stack.pop_back();
      const ir::OpKind is = kind(n.op);
      if (is != ir::OpKind::Map && is != ir::OpKind::View && n.op != Op::update && n.op != Op::gather)
        continue;
      work += n.op == Op::gather      ? kGatherWork
              : is == ir::OpKind::Map ? ir::cost_of(n)
              : ir::views_one(n.op)   ? 0
                                      : kPartWork * static_cast<float>(n.inputs.size());
      if (work > most) return true;
      for (auto& in : n.inputs)
        if (seen.insert(in.get()).second) stack.push_back(in.get());
    }
    return false;
  }

  // How many read a value in kernels, through views, but for `next`; nothing where any other does.
  std::optional<size_t> readings_of(const Node& value, const Node* next) const {
    size_t out = 0;
    std::vector<const Node*> shown{&value};
    while (!shown.empty()) {
      const Node* n = shown.back();
      shown.pop_back();
      for (const Node* reader : readers_.of(n)) {
        const ir::OpKind is = kind(reader->op);
        if (reader == next && reader->inputs[0].get() == n) continue;
        if (reader->op == Op::reshape || reader->op == Op::slice || reader->op == Op::permute)
          shown.push_back(reader);
        else if (is == ir::OpKind::Map || is == ir::OpKind::Reduce || reader->op == Op::update)
          ++out;
        else
          return {};
      }
    }
    return out;
  }

  bool on_cpu_;
  ir::Graph graph_;
  std::vector<const Node*> order_;
  ir::Users readers_;
  ir::InPlaceRule rule_;
  ir::NodeSet donated_;
  std::vector<Chain> chains_;
};

}  // namespace

namespace {

ir::Graph with_assigns(const ir::Graph& graph, const InPlace::Found& found) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  Rewritten replaced(order.size());
  ir::Graph out{graph.inputs, {}};
  for (const Node* n : order) {
    if (!found.updates.contains(n)) {
      replaced.set(n, replaced.with_new_inputs(*n));
      continue;
    }
    NodeRef into = replaced.at(n->inputs[0].get());
    if (found.copied.contains(n)) into = ir::copy(into, n->lines);
    replaced.set(n, ir::make(Op::assign, std::vector{into, replaced.at(n->inputs[1].get())}, n->attr, n->type,
                             n->lines));
  }
  // A reshape of what was written in place lies in that memory.
  for (auto& o : graph.outputs) {
    const Node* memory = ir::memory_of(o.get());
    out.outputs.push_back(replaced.at(found.updates.contains(memory) ? memory : o.get()));
  }
  return out;
}

bool same_range(const Node& a, const Node& b) {
  const auto &of_a = a.as<ir::SliceAttr>(), &of_b = b.as<ir::SliceAttr>();
  return of_a.starts == of_b.starts && of_a.steps == of_b.steps &&
         a.inputs[1]->shape() == b.inputs[1]->shape();
}

// The same graph, where an update takes the last one of the same value and the same range for its base: it
// replaces what that one wrote. The simplifier takes the first value, so that what nobody reads is gone.
ir::Graph with_chains(const ir::Graph& graph) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  std::unordered_map<const ir::Node*, std::vector<const Node*>>
      last;  // of each value, an update for each range
  Rewritten replaced(order.size());
  for (const Node* n : order) {
    NodeRef now = replaced.with_new_inputs(*n);
    if (n->op == Op::update) {
      std::vector<const Node*>& updates = last[n->inputs[0].get()];
      const auto before =
          std::ranges::find_if(updates, [&](const Node* other) { return same_range(*other, *n); });
      if (before == updates.end()) {
        updates.push_back(n);
      } else {
        now = ir::make(Op::update, std::vector{replaced.at(*before), now->inputs[1]}, n->attr, n->type,
                       n->lines);
        *before = n;
      }
    }
    replaced.set(n, std::move(now));
  }
  return replaced.graph(graph);
}

// The same graph, with copies of these values for all that read them.
ir::Graph with_copies(const ir::Graph& graph, const ir::NodeSet& values) {
  return rewrite_from(graph, [&](const NodeRef& now, const Node& was) {
    return values.contains(&was) ? ir::copy(now, was.lines) : now;
  });
}

}  // namespace

ir::Graph assign_in_place(const ir::Graph& graph, const Target& target, const Options& options) {
  const std::vector<const Node*> order = topological_order(graph.outputs);
  const auto updates = static_cast<size_t>(
      std::count_if(order.begin(), order.end(), [](const Node* n) { return n->op == Op::update; }));
  if (updates == 0) return graph;
  // The graph as it is, or else one that is made fit for more.
  ir::Graph best = graph;
  InPlace rule(best, target, options);
  InPlace::Found found = rule.find();
  auto offer = [&](ir::Graph other) {
    InPlace its(other, target, options);
    InPlace::Found more = its.find();
    if (more.settled() <= found.settled()) return;
    best = std::move(other);
    rule = std::move(its);
    found = std::move(more);
  };
  if (found.settled() < updates) offer(with_chains(graph));
  if (found.settled() < updates) offer(order_updates(graph, kWorthOrdering));
  if (found.settled() < updates)
    if (auto slices = rule.worth_keeping(); !slices.empty()) offer(with_copies(best, slices));
  return found.updates.empty() ? graph : with_assigns(best, found);
}

ir::Graph as_updates(const ir::Graph& graph, const Target&, const Options&) {
  return rewrite(graph, [](const NodeRef& n) {
    return n->op == Op::assign ? ir::make(Op::update, std::span(n->inputs.begin(), n->inputs.size()), n->attr,
                                          n->type, n->lines)
                               : n;
  });
}

}  // namespace weft::passes
