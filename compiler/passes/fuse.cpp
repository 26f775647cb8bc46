#include "compiler/passes/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/in_place.h"
#include "compiler/passes/groups.h"
#include "compiler/passes/take_in_groups.h"

namespace weft::passes {

namespace {

using ir::is_reduce;
using ir::Node;
using ir::NodeRef;
using ir::Op;
using ir::OpKind;
using ir::space_of;

constexpr float kRepeatedWork = 16;  // multiply-adds an element that may be repeated before a value is stored
constexpr float kSharedWork = 60;    // the same, for a value that several kernels need
constexpr float kSpreadWork =
    36;  // the same, for a value of few elements that is repeated along the last axis
constexpr float kComplexWork = 4;  // of a complex op, in real ones
// Where roots share so much that analyzing each alone takes this many nodes, and so many times those of the
// graph, values with several users become roots when their expressions are long.
constexpr size_t kAnalyzedAnyway = 20'000, kAnalyzedTimes = 32;
constexpr int kLongExpression = 100;
constexpr float kPartWork = 1;     // of a concat or pad, an element
constexpr int64_t kScattered = 8;  // elements that are read in order while one is that is not
constexpr size_t kMostParts = 64, kMostSharedParts = 8;  // of concats of concats
constexpr size_t kSiblingsTried = 4;
constexpr size_t kPassingOn = 16;  // views and updates that are followed from a value to who needs it
constexpr int kRounds = 8, kRoundsOfSharing = 3;

class Fuser {
 public:
  Fuser(const ir::Graph& graph, const Target& target, const Options& options)
      : graph_(graph), target_(target), options_(options), order_(topological_order(graph.outputs)) {
    for (auto* n : order_)
      for (auto& in : n->inputs) users_[in.get()].push_back(n);
    for (auto& out : graph.outputs) refs_.emplace(out.get(), out);
    for (auto* n : order_)
      for (auto& in : n->inputs) refs_.emplace(in.get(), in);
  }

  ir::Partition run() {
    force_roots();
    bound_parts();
    cut_windows();
    const size_t most = std::max(kAnalyzedAnyway, kAnalyzedTimes * order_.size());
    if (expression_nodes(most) > most) bound_expressions();
    // Values worth storing show only once the groups are known; each round adds some, and there are few
    // rounds.
    for (int round = 0, sharing = 0;; ++round) {
      if (find_expressions(round < kRounds)) continue;
      build_groups();
      if (sharing++ >= kRoundsOfSharing || !store_shared_work()) break;
    }
    return finish();
  }

 private:
  bool in_memory_source(const Node& n) const { return kind(n.op) == OpKind::Source; }

  // Roots whatever the heuristics say.
  void force_roots() {
    for (auto& out : graph_.outputs)
      if (out->op != Op::input) roots_.insert(out.get());
    for (auto* n : order_) {
      if (is_reduce(*n) || ir::scans(*n) || is_copy(*n)) roots_.insert(n);
      if (n->op == Op::assign) {
        roots_.insert(n);
        if (const Node* memory = ir::memory_of(n->inputs[0].get()); memory->op != Op::input)
          roots_.insert(memory);
        // What a step of a recurrence wrote is not computed again in all later ones.
        const Node* value = n->inputs[1].get();
        bool shared = users_[value].size() > 1;
        for (; value->op == Op::reshape; shared |= users_[value].size() > 1) value = value->inputs[0].get();
        if (kind(value->op) == OpKind::Map && shared) roots_.insert(value);
      }
      if (is_library(*n)) {
        roots_.insert(n);
        for (auto& in : n->inputs) force_operand(in.get());
      }
      if (n->op == Op::gather && !computes_few(*n)) force_operand(n->inputs[0].get());
      if (!options_.fuse && kind(n->op) != OpKind::Source && kind(n->op) != OpKind::View) roots_.insert(n);
    }
  }

  // A kernel tests all parts of a concat for each element, and has to be compiled with all of them: those of
  // the concats, too, that the concat's parts are computed of. One that others read as well, as each step of
  // an array that grows is, is stored sooner, so that not each of its readers has as many parts as the array
  // has steps.
  void bound_parts() {
    std::unordered_map<const Node*, size_t> parts;  // of each node's expression; none: 1
    const auto parts_of = [&](const Node* n) {
      auto it = parts.find(n);
      return ends(n) || it == parts.end() ? 1 : it->second;
    };
    for (auto* n : order_) {
      if (kind(n->op) == OpKind::Source || is_library(*n)) continue;
      const bool concat = n->op == Op::concat;
      const size_t most = users_[n].size() > 1 ? kMostSharedParts : kMostParts;
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
    if (!in_memory_source(*base)) roots_.insert(base);
  }

  // Whether a gather had better compute the elements that it picks: fewer than there are, and where they are
  // computed from several arrays, each read in no order, so few that this costs less than to read and write
  // all in order. What is guarded is stored, for a guard at positions that are known only then holds along no
  // stretch of a row.
  bool computes_few(const Node& gather) const {
    const Node* top = gather.inputs[0].get();
    while (!roots_.contains(top) && views_one(top->op)) top = top->inputs[0].get();
    if (ends(top)) return true;
    const int64_t picked = element_count(gather.shape());
    int64_t arrays = 0;
    std::unordered_set<const Node*> seen{top};
    std::vector<const Node*> stack{top};
    while (!stack.empty()) {
      const Node* n = stack.back();
      stack.pop_back();
      if (ends(n)) {
        arrays += (n->op == Op::input || !in_memory_source(*n)) && element_count(n->shape()) > picked ? 1 : 0;
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
    std::unordered_map<const Node*, int> window_of;
    for (auto* n : order_) {
      cost += compile_cost(*n);
      if (n->op == Op::input) words += words_of(*n);
      if (cost > options_.max_kernel_cost || words > most_words) cost = compile_cost(*n), words = 0, ++window;
      window_of[n] = window;
    }
    if (window == 0) return;
    for (auto* n : order_)
      for (auto& in : n->inputs)
        if (window_of[in.get()] != window_of[n]) force_operand(in.get());
  }

  // How many nodes the expressions of all roots have together, counted up to one more than matter.
  size_t expression_nodes(size_t most) const {
    std::unordered_map<const Node*, const Node*> met;  // node -> the last root that met it
    size_t nodes = 0;
    std::vector<const Node*> stack;
    for (auto* root : order_) {
      if (!roots_.contains(root)) continue;
      stack.push_back(root);
      while (!stack.empty() && nodes <= most) {
        const Node* n = stack.back();
        stack.pop_back();
        ++nodes;
        for (auto& in : n->inputs)
          if (!ends(in.get()) && std::exchange(met[in.get()], root) != root) stack.push_back(in.get());
      }
      stack.clear();
    }
    return nodes;
  }

  // Where an expression ends.
  bool ends(const Node* n) const { return kind(n->op) == OpKind::Source || roots_.contains(n); }

  // Values of long expressions that several others read become roots, so that what many roots share is not
  // analyzed anew for each of them. Where all their readers join one kernel, this changes nothing.
  void bound_expressions() {
    std::unordered_map<const Node*, int> length;  // of the expression, or more
    std::unordered_map<const Node*, const Node*> met;
    // The nodes of the expression, counted once each, up to one more than matter.
    auto count = [&](const Node* top) {
      int nodes = 0;
      std::vector<const Node*> stack{top};
      while (!stack.empty() && nodes <= kLongExpression) {
        const Node* n = stack.back();
        stack.pop_back();
        ++nodes;
        for (auto& in : n->inputs)
          if (!ends(in.get()) && std::exchange(met[in.get()], top) != top) stack.push_back(in.get());
      }
      return nodes;
    };
    for (auto* n : order_) {
      if (ends(n)) continue;
      int sum = 1;
      for (auto& in : n->inputs) sum += ends(in.get()) ? 0 : length[in.get()];
      if (sum > kLongExpression && users_[n].size() > 1) sum = count(n);
      if (sum > kLongExpression && users_[n].size() > 1 && kind(n->op) == OpKind::Map) {
        bounds_.insert(n);
        roots_.insert(n);
      } else {
        length[n] = std::min(sum, kLongExpression + 1);
      }
    }
  }

  // ---- expressions

  // Each part of a concat, pad or update is a guarded load and a choice, wherever it is read.
  static float cost(const Node* n) {
    if (n->op == Op::concat || n->op == Op::pad || n->op == Op::update)
      return kPartWork * static_cast<float>(n->inputs.size());
    return kind(n->op) == OpKind::Map ? std::max(info(n->op).cost, 0.25f) : 0;
  }

  // Finds every root's expression. True when a value turned out to be read at so many positions that it had
  // better be stored: the roots have changed then, unless they `may_change` no more.
  bool find_expressions(bool may_change) {
    bool changed = false;
    expressions_.clear();
    for (auto* root : order_) {
      if (!roots_.contains(root)) continue;
      // What is stored may repeat what it reads as its reader did.
      std::vector<const Node*> left{root};
      while (!left.empty()) {
        const Node* n = left.back();
        left.pop_back();
        Expression e = analyze(n, roots_, may_change);
        bool stored = may_change && repeats(e) && store_repeated(e, left);
        if (e.glanced && !stored) {
          // Long, but nothing near the root repeats.
          e = analyze(n, roots_, false);
          stored = repeats(e) && store_repeated(e, left);
        }
        changed |= stored || (may_change && store_spread(e, left));
        expressions_[n] = std::move(e);
      }
    }
    return changed;
  }

  static bool repeats(const Expression& e) {
    float repeated = 0;
    for (auto& [node, times] : e.times) repeated += static_cast<float>(times - 1) * cost(node);
    return repeated > kRepeatedWork;
  }

  // Stores the values at which repetition begins: those read more often than one of their readers is
  // computed.
  bool store_repeated(const Expression& e, std::vector<const Node*>& stored) {
    const size_t before = stored.size();
    for (auto& [node, times] : e.times) {
      if (times == 1 || cost(node) == 0) continue;
      // Views that repeat as often are no place to begin: it is what they view that is stored.
      bool begins = false;
      std::vector<const Node*> stack{node};
      while (!stack.empty() && !begins) {
        const Node* top = stack.back();
        stack.pop_back();
        for (auto* user : users_[top]) {
          auto u = e.times.find(user);
          if (u == e.times.end() || u->second < times)
            begins = true;
          else if (cost(user) == 0 && u->second == times)
            stack.push_back(user);
        }
      }
      if (begins && static_cast<float>(times - 1) * work_below(node, e) > kRepeatedWork / 2 &&
          roots_.insert(node).second)
        stored.push_back(node);
    }
    return stored.size() > before;
  }

  // Stores costly values of few elements that would be computed again and again, as those of a table that is
  // repeated along an axis.
  bool store_spread(const Expression& e, std::vector<const Node*>& stored) {
    if (target_.kind != TargetKind::Cpu || e.glanced) return false;
    const size_t before = stored.size();
    for (const Node* node : e.spread) {
      // Of a chain of them, the last.
      bool last = false;
      std::vector<const Node*> stack{node};
      while (!stack.empty() && !last) {
        const Node* top = stack.back();
        stack.pop_back();
        for (const Node* user : users_[top]) {
          if (kind(user->op) == OpKind::View && e.times.contains(user))
            stack.push_back(user);
          else
            last |= !e.spread.contains(user);
        }
      }
      const float parts = kind(node->dtype()) == DTypeKind::Complex ? kComplexWork : 1;
      if (last && work_below(node, e) * parts > kSpreadWork && roots_.insert(node).second)
        stored.push_back(node);
    }
    return stored.size() > before;
  }

  float work_below(const Node* top, const Expression& e) const {
    float sum = 0;
    std::unordered_set<const Node*> seen{top};
    std::vector<const Node*> stack{top};
    while (!stack.empty()) {
      const Node* n = stack.back();
      stack.pop_back();
      sum += cost(n);
      for (auto& in : n->inputs) {
        if (!seen.insert(in.get()).second) continue;
        if (e.times.contains(in.get())) stack.push_back(in.get());
        if (auto bound = bounded_work_.find(in.get()); bound != bounded_work_.end()) sum += bound->second;
      }
    }
    return sum;
  }

  // ---- groups

  void build_groups() {
    groups_ = {};
    for (auto* n : order_)
      if (roots_.contains(n)) place(n);
    if (options_.fuse) take_in_groups(groups_, expressions_, target_, options_);
  }

  void place(const Node* n) {
    const Expression& e = expressions_[n];
    std::set<int> needs;
    for (auto& [producer, reading] : e.readings) needs.insert(groups_.group_of.at(producer));
    int joined = -1;
    const size_t decided = groups_.decisions.size();
    if (!is_library(*n) && options_.fuse) {
      for (auto g = needs.rbegin(); g != needs.rend() && joined < 0; ++g)
        if (join_producers(n, e, *g, needs)) joined = *g;
      if (joined < 0) joined = join_siblings(n, e, needs);
    }
    if (joined < 0) joined = start(n, e, needs);
    groups_.group_of[n] = joined;
    decide(n, e, joined, decided);
    for (auto* in : e.inputs) groups_.readers[in].push_back(joined);
    for (auto& [producer, reading] : e.readings) groups_.readers[producer].push_back(joined);
  }

  // A decision for each value that n reads, but for those refused while n was placed: they begin at
  // `decided`.
  void decide(const Node* n, const Expression& e, int joined, size_t decided) {
    std::unordered_set<const Node*> known;
    std::unordered_map<int, std::string> refusals;  // of whole groups
    for (size_t k = decided; k < groups_.decisions.size(); ++k) {
      known.insert(groups_.decisions[k].producer);
      if (auto g = groups_.group_of.find(groups_.decisions[k].producer); g != groups_.group_of.end())
        refusals.try_emplace(g->second, groups_.decisions[k].reason);
    }
    for (auto& [producer, reading] : e.readings) {
      const int g = groups_.group_of.at(producer);
      if (g == joined) {
        groups_.decisions.push_back({producer, n, true, "computed in one kernel"});
      } else if (!known.contains(producer)) {
        auto refused = refusals.find(g);
        groups_.decisions.push_back({producer, n, false,
                                     !options_.fuse     ? "fusion is switched off"
                                     : !reading.aligned ? reading.reason
                                     : refused != refusals.end()
                                         ? refused->second
                                         : "its reader is computed with other values that it reads"});
      }
    }
  }

  bool fits(int g, const Expression& e) const {
    const Building& b = groups_.all[g];
    std::set<const Node*> inputs = b.inputs;
    inputs.insert(e.inputs.begin(), e.inputs.end());
    for (auto& [producer, reading] : e.readings) inputs.insert(producer);
    int words = 0;
    for (auto* n : inputs) words += words_of(*n);
    for (auto& root : b.roots) words += words_of(*root.node);
    return b.compile_cost + e.compile_cost <= options_.max_kernel_cost && words <= options_.max_kernel_words;
  }

  // Copies are made so that they read before an assign replaces it.
  static const Node* copy_before(const Node& n, const Building& b) {
    if (n.op != Op::assign) return nullptr;
    for (auto& root : b.roots)
      if (is_copy(*root.node)) return root.node.get();
    return nullptr;
  }

  // The assigns of a group that write the memory that this one writes after them, the last one first.
  std::vector<const Node*> assigns_before(const Node& n, int g) const {
    std::vector<const Node*> out;
    const Node* before = ir::memory_of(n.inputs[0].get());
    for (; before->op == Op::assign; before = ir::memory_of(before->inputs[0].get())) {
      auto group = groups_.group_of.find(before);
      if (group == groups_.group_of.end() || group->second != g) break;
      out.push_back(before);
    }
    return out;
  }

  bool join_producers(const Node* n, const Expression& e, int g, const std::set<int>& needs) {
    Building& b = groups_.all[g];
    auto refused = [&](const Node* producer, const std::string& reason) {
      groups_.decisions.push_back({producer, n, false, reason});
      return false;
    };
    if (b.library) return refused(b.library.get(), "a library computes it");
    if (const Node* copy = copy_before(*n, b)) return refused(copy, "it is written in place, after the copy");
    std::vector<int> axis;
    const Node* first = nullptr;
    for (auto& root : b.roots) {
      const Reading* reading = e.reading(root.node.get());
      if (!reading) continue;
      Join join = reading->only_memory
                      ? can_assign_beside(b.space, *n, assigns_before(*n, g), target_)
                      : can_fuse(b.space, *root.node, root.axis, *n, *reading, target_, options_.numerics);
      if (!join.possible) return refused(root.node.get(), join.reason);
      if (first && join.axis != axis)
        return refused(root.node.get(), "it lines up otherwise than " + std::string(name(first->op)));
      first = root.node.get();
      axis = join.axis;
    }
    if (would_cycle(groups_, g, needs)) return refused(first, "another kernel has to run between them");
    if (!fits(g, e)) return refused(first, "the kernel would be too large");
    add(g, n, axis, e, needs);
    return true;
  }

  int join_siblings(const Node* n, const Expression& e, const std::set<int>& needs) {
    std::set<int, std::greater<>> candidates;
    auto offer = [&](const Node* in) {
      auto it = groups_.readers.find(in);
      if (it == groups_.readers.end()) return;
      size_t tried = 0;
      for (auto g = it->second.rbegin(); g != it->second.rend() && tried < kSiblingsTried; ++g, ++tried)
        candidates.insert(*g);
    };
    for (auto* in : e.inputs) offer(in);
    for (auto& [producer, reading] : e.readings) offer(producer);
    for (int g : candidates) {
      Building& b = groups_.all[g];
      if (b.library || needs.contains(g) || copy_before(*n, b) || enough_siblings(b, 1, target_)) continue;
      Join join = can_join_siblings(b.space, *n, target_);
      if (!join.possible || would_cycle(groups_, g, needs) || !fits(g, e)) continue;
      add(g, n, join.axis, e, needs);
      return g;
    }
    return -1;
  }

  int start(const Node* n, const Expression& e, const std::set<int>& needs) {
    groups_.all.emplace_back();
    int g = static_cast<int>(groups_.all.size()) - 1;
    Building& b = groups_.all[g];
    if (is_library(*n)) {
      b.library = refs_.at(n);
      run_after(groups_, g, needs);
      b.roots.push_back({refs_.at(n), {}, true});
      return g;
    }
    std::vector<int> axis;
    for (int64_t extent : space_of(*n)) {
      axis.push_back(extent == 1 ? -1 : static_cast<int>(b.space.extents.size()));
      if (extent == 1) continue;
      b.space.extents.push_back(extent);
      b.space.row.push_back(0);
    }
    add(g, n, axis, e, needs);
    return g;
  }

  void add(int g, const Node* n, const std::vector<int>& axis, const Expression& e,
           const std::set<int>& needs) {
    Building& b = groups_.all[g];
    b.roots.push_back({refs_.at(n), axis, false});
    if (is_reduce(*n)) {
      for (int64_t k : n->as<ir::AxesAttr>().axes)
        if (axis[k] >= 0) b.space.row[axis[k]] = 1;
      b.space.has_row = true;
    }
    if (ir::scans(*n)) {
      b.space.row[axis[n->as<ir::AxisAttr>().axis]] = 1;
      b.space.has_row = b.space.scans = true;
    }
    b.compile_cost += e.compile_cost;
    b.inputs.insert(e.inputs.begin(), e.inputs.end());
    run_after(groups_, g, needs);
  }

  // Costly values that several kernels would each compute.
  bool store_shared_work() {
    struct Use {
      std::unordered_set<int> groups;
      size_t beyond = 0;  // roots that would compute it too, were their expressions not bounded
      size_t count() const { return groups.size() + beyond; }
      const Expression* in = nullptr;  // one that computes it
    };
    for (auto* n : order_)
      if (bounds_.contains(n)) bounded_work_[n] = work_below(n, expressions_.at(n));
    // How many roots would compute what a bound computes, were it none.
    std::unordered_map<const Node*, size_t> beyond;
    for (auto root = order_.rbegin(); root != order_.rend() && !bounds_.empty(); ++root)
      if (auto e = expressions_.find(*root); e != expressions_.end())
        for (auto& [producer, reading] : e->second.readings)
          if (bounds_.contains(producer))
            beyond[producer] = std::min(beyond[producer] + beyond[*root] + 1, order_.size());
    std::unordered_map<const Node*, Use> used;
    for (auto* root : order_) {
      auto e = expressions_.find(root);
      if (e == expressions_.end()) continue;
      for (auto& [node, times] : e->second.times) {
        Use& u = used[node];
        u.groups.insert(groups_.group_of.at(root));
        if (auto b = beyond.find(root); b != beyond.end()) u.beyond += b->second;
        if (!u.in) u.in = &e->second;
      }
    }
    bool changed = false;
    for (auto* n : order_) {
      auto u = used.find(n);
      if (u == used.end() || u->second.count() < 2 || kind(n->op) != OpKind::Map) continue;
      const size_t groups = u->second.count();
      // Views and updates that are shared as widely only pass it on.
      bool top = false;
      std::vector<const Node*> passing{n};
      for (size_t k = 0; k < passing.size() && k < kPassingOn && !top; ++k)
        for (auto* user : users_[passing[k]]) {
          auto w = used.find(user);
          top |= w == used.end() || w->second.count() < groups;
          if (kind(user->op) != OpKind::Map) passing.push_back(user);
        }
      if (top && work_below(n, *u->second.in) * static_cast<float>(groups - 1) > kSharedWork)
        changed |= roots_.insert(n).second;
    }
    return changed;
  }

  // ---- the result

  ir::Partition finish() {
    for (auto& out : graph_.outputs) mark_stored(out.get());
    for (auto& [root, e] : expressions_)
      for (auto& [producer, reading] : e.readings)
        if (reading.only_memory || groups_.group_of.at(producer) != groups_.group_of.at(root))
          mark_stored(producer);
    ir::Partition out;
    for (int g : run_order()) {
      const Building& b = groups_.all[g];
      // What only unread parts of views ask for is not computed.
      if (b.library || std::any_of(b.roots.begin(), b.roots.end(), [](auto& r) { return r.stored; }))
        out.steps.push_back(step(b));
    }
    out.decisions = std::move(groups_.decisions);
    return out;
  }

  void mark_stored(const Node* n) {
    auto g = groups_.group_of.find(n);
    if (g == groups_.group_of.end()) return;
    for (auto& root : groups_.all[g->second].roots)
      if (root.node.get() == n) root.stored = true;
  }

  // Groups are nearly in order: an earlier one may have been joined by a root that needs a later one.
  std::vector<int> run_order() const {
    std::vector<int> out;
    std::vector<size_t> waits(groups_.all.size());
    std::set<int> ready;
    for (size_t g = 0; g < groups_.all.size(); ++g) {
      waits[g] = groups_.all[g].before.size();
      if (waits[g] == 0) ready.insert(static_cast<int>(g));
    }
    while (!ready.empty()) {
      int g = *ready.begin();
      ready.erase(ready.begin());
      out.push_back(g);
      for (int h : groups_.all[g].after)
        if (--waits[h] == 0) ready.insert(h);
    }
    if (out.size() < groups_.all.size()) throw InternalError("fuse: groups wait for each other");
    return out;
  }

  static ir::Step step(const Building& b) {
    ir::Step s;
    if (b.library) {
      s.library = b.library;
      return s;
    }
    std::vector<int> place(b.space.extents.size());
    int outer = 0;
    for (size_t k = 0; k < place.size(); ++k)
      if (!b.space.row[k]) place[k] = outer++, s.group.outer.push_back(b.space.extents[k]);
    for (size_t k = 0; k < place.size(); ++k)
      if (b.space.row[k])
        place[k] = outer + static_cast<int>(s.group.row.size()), s.group.row.push_back(b.space.extents[k]);
    for (auto root : b.roots) {
      // Nobody reads it from memory: it is recomputed where it is used, as any other value.
      if (!root.stored && !is_reduce(*root.node) && !ir::scans(*root.node)) continue;
      for (auto& a : root.axis)
        if (a >= 0) a = place[a];
      s.group.roots.push_back(std::move(root));
    }
    return s;
  }

  const ir::Graph& graph_;
  const Target& target_;
  const Options& options_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::vector<const Node*>> users_;
  std::unordered_map<const Node*, NodeRef> refs_;
  std::unordered_set<const Node*> roots_, bounds_;       // all, and those of bound_expressions()
  std::unordered_map<const Node*, float> bounded_work_;  // below each bound, other bounds included
  std::unordered_map<const Node*, Expression> expressions_;
  Groups groups_;
};

}  // namespace

ir::Partition fuse(const ir::Graph& graph, const Target& target, const Options& options) {
  return Fuser(graph, target, options).run();
}

}  // namespace weft::passes
