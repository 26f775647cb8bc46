#include "compiler/fusion/expression.h"
#include "compiler/ir/function.h"
#include "compiler/ir/node_tables.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <limits>
#include <optional>
#include <set>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/machine/tuning.h"

namespace weft::fusion {

using namespace tuning;

namespace {

using ir::Access;
using ir::is_reduce;
using ir::Node;
using ir::Op;
using ir::OpKind;
using ir::space_of;

// Nodes at accesses: in an expression from which on a glance at it does, and of a glance.
constexpr size_t kManyReadings = 200, kGlance = 100;
constexpr int kComplexCompileCost = 4, kUpdateCompileCost = 100;

Reading reading_of(const Node& root, const Access& at, const Shape& reader, const ir::Variables& vars) {
  Reading r;
  const Shape& shape = root.shape();
  std::set<int> seen;
  if (root.op == Op::assign) {
    r.reason = "it is written in place";
    return r;
  }
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) {
      r.axis.push_back(-1);
      continue;
    }
    auto v = at[k].single();
    if (!v || vars[*v].kind != ir::VariableKind::Axis || reader[*v] != shape[k] || !seen.insert(*v).second) {
      r.reason = "it is read at other positions than its own (shifted, strided, repeated or gathered)";
      return r;
    }
    r.axis.push_back(*v);
  }
  r.aligned = true;
  return r;
}

// Whether the elements of an array, read at `at`, are neighbours along another axis than the last, and not
// along that one.
bool is_turned(const Node& input, const Access& at, const Shape& space, const ir::Variables& vars) {
  const Dims& strides = input.as<ir::InputAttr>().strides;
  const ir::Linear place =
      ir::address(at, strides.empty() ? contiguous_strides(input.shape()) : strides, 0, vars);
  int last = static_cast<int>(space.size()) - 1;
  while (last >= 0 && space[static_cast<size_t>(last)] == 1) --last;
  if (last < 0 || std::abs(place.coefficient(last)) <= 1) return false;
  for (int k = 0; k < last; ++k)
    if (std::abs(place.coefficient(k)) == 1) return true;
  return false;
}

size_t mix(size_t hash, uint64_t with) {
  hash = (hash ^ with) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

struct HashOfAccess {
  size_t operator()(const Access& at) const {
    size_t hash = at.size();
    for (const ir::Linear& l : at) {
      hash = mix(hash, static_cast<uint64_t>(l.offset));
      for (const auto& [variable, coefficient] : l.terms)
        hash = mix(mix(hash, static_cast<uint64_t>(variable)), static_cast<uint64_t>(coefficient));
      hash = mix(hash, l.terms.size());
    }
    return hash;
  }
};

struct HashOfVisit {
  size_t operator()(const std::pair<const Node*, int>& visit) const {
    return mix(reinterpret_cast<uintptr_t>(visit.first), static_cast<uint64_t>(visit.second));
  }
};

// One walk over the nodes of an expression, each at every access at which it is read.
class Collector {
 public:
  Collector(const Node& root, const ir::NodeSet& roots, bool glance)
      : root_(root), roots_(roots), glance_(glance), shape_(space_of(root)), points_(element_count(shape_)) {
    for (int64_t extent : shape_) top_.push_back(vars_.of(vars_.add_axis(extent)));
  }

  // The expression; nothing where it has more than `most` readings.
  std::optional<Expression> run(size_t most) {
    start();
    while (!left_.empty() && !(glance_ && seen_.size() > kGlance)) {
      const auto [n, access] = glance_ ? left_.front() : left_.back();
      glance_ ? left_.pop_front() : left_.pop_back();
      expand(*n, access);
      if (seen_.size() > most) return std::nullopt;
    }
    e_.glanced = !left_.empty();
    return std::move(e_);
  }

 private:
  void start() {
    const int top = number(top_);
    if (is_reduce(root_)) return visit(root_.inputs[0].get(), top);
    if (runs_alone(root_)) return read_operands();
    e_.compile_cost = compile_cost(root_);
    if (root_.op == Op::assign) return start_assign(top);
    expand(root_, top);
  }

  void start_assign(int top) {
    visit(root_.inputs[1].get(), top);
    const Node* memory = ir::memory_of(root_.inputs[0].get());
    if (roots_.contains(memory) && !e_.reading(memory))
      add_reading(memory, {false, {}, "it is written in place", memory->op == Op::assign});
  }

  void read_operands() {
    for (auto& in : root_.inputs) {
      const Node* base = in.get();
      while (!roots_.contains(base) && kind(base->op) == OpKind::View) base = base->inputs[0].get();
      if (roots_.contains(base) && !e_.reading(base)) add_reading(base, {false, {}, because_it_reads(root_)});
      if (base->op == Op::input) e_.inputs.push_back(base);
    }
  }

  void expand(const Node& n, int access) {
    for (size_t k = 0; k < n.inputs.size(); ++k) {
      if (ir::reads_at_its_own(n, k)) {
        visit(n.inputs[k].get(), access);
        continue;
      }
      if (n.op == Op::pad && k == 1) {
        visit(n.inputs[1].get(), number({}));
        continue;
      }
      ir::InputAccess in = input_access(n, k, *accesses_[static_cast<size_t>(access)], vars_);
      if (!in.never) visit(n.inputs[k].get(), number(std::move(in.at)));
    }
  }

  void visit(const Node* n, int access) {
    if (!seen_.emplace(n, access).second) return;
    const Access& at = *accesses_[static_cast<size_t>(access)];
    if (n->op == Op::input) add_input(n, at);
    if (n->op == Op::scalar && inputs_.insert(n).second) e_.scalars.push_back(n);
    if (kind(n->op) == OpKind::Source) return;
    if (roots_.contains(n)) return read_root(n, at);
    ++e_.times[n];
    if (kind(n->op) == OpKind::Map && is_spread(*n, at)) e_.spread.insert(n);
    e_.compile_cost += compile_cost(*n);
    left_.push_back({n, access});
  }

  void add_input(const Node* n, const Access& at) {
    if (!inputs_.insert(n).second) return;
    e_.inputs.push_back(n);
    e_.turned |= element_count(n->shape()) * 2 > points_ && is_turned(*n, at, shape_, vars_);
  }

  void read_root(const Node* n, const Access& at) {
    Reading r = reading_of(*n, at, shape_, vars_);
    const auto known = e_.place.find(n);
    if (known == e_.place.end()) return add_reading(n, std::move(r));
    Reading& first = e_.readings[known->second].second;
    if (first.aligned && (!r.aligned || r.axis != first.axis))
      first = {false, {}, "it is read at several positions"};
    else if (first.only_memory)
      first = std::move(r);
  }

  void add_reading(const Node* producer, Reading r) {
    e_.place.emplace(producer, e_.readings.size());
    e_.readings.emplace_back(producer, std::move(r));
  }

  int number(Access a) {
    const auto [it, fresh] = numbers_.try_emplace(std::move(a), static_cast<int>(accesses_.size()));
    if (fresh) accesses_.push_back(&it->first);
    return it->second;
  }

  // What does not depend on the last axis is computed once for all of it.
  bool is_spread(const Node& n, const Access& at) const {
    if (element_count(n.shape()) > points_ / kSpread) return false;
    return std::any_of(at.begin(), at.end(), [&](const ir::Linear& k) {
      return vars_.depends_on(k, static_cast<int>(shape_.size()) - 1);
    });
  }

  const Node& root_;
  const ir::NodeSet& roots_;
  const bool glance_;
  const Shape& shape_;
  const int64_t points_;
  ir::Variables vars_;
  Access top_;  // the root's own
  Expression e_;
  std::unordered_map<Access, int, HashOfAccess> numbers_;
  std::vector<const Access*> accesses_;
  tsl::robin_set<std::pair<const Node*, int>, HashOfVisit> seen_;
  ir::NodeSet inputs_;
  std::deque<std::pair<const Node*, int>> left_;
};

}  // namespace

Expression analyze(const Node* root, const ir::NodeSet& roots, bool may_glance) {
  const size_t most = may_glance ? kManyReadings : std::numeric_limits<size_t>::max();
  if (auto whole = Collector(*root, roots, false).run(most)) return *std::move(whole);
  return *Collector(*root, roots, true).run(std::numeric_limits<size_t>::max());
}

ir::NodeSet lasting_roots(const std::vector<const Node*>& order) {
  ir::NodeSet out;
  for (const Node* n : order)
    if (is_reduce(*n) || kind(n->op) == OpKind::Scan || runs_alone(*n) || n->op == Op::assign) out.insert(n);
  return out;
}

int compile_cost(const Node& n) {
  if (kind(n.op) == OpKind::Source) return 0;
  if (n.op == Op::update) return kUpdateCompileCost;
  const int cost = std::max(1, static_cast<int>(ir::cost_of(n)));
  return kind(n.dtype()) == DTypeKind::Complex ? kComplexCompileCost * cost : cost;
}

bool runs_alone(const Node& n) {
  return kind(n.op) == OpKind::Dot || kind(n.op) == OpKind::Scatter || kind(n.op) == OpKind::Loop ||
         kind(n.op) == OpKind::Kernel;
}

std::string because_it_reads(const Node& alone) {
  if (alone.op == Op::branch) return "a branch reads it";
  if (kind(alone.op) == OpKind::Loop) return "a loop reads it";
  return ir::has_users_text(alone) ? "a kernel of your own reads it" : "a library reads it";
}

std::string because_it_computes(const Node& alone) {
  if (alone.op == Op::branch) return "a branch computes it";
  if (kind(alone.op) == OpKind::Loop) return "a loop computes it";
  return ir::has_users_text(alone) ? "a kernel of your own computes it" : "a library computes it";
}

}  // namespace weft::fusion
