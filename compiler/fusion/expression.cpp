#include "compiler/fusion/expression.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"
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
constexpr size_t kManyReadings = 5000, kGlance = 1000;
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

enum class Depth { Whole, WholeOrGlance, Glance };
Expression analyze_to(const Node* root, const std::unordered_set<const Node*>& roots, Depth depth) {
  const bool glance = depth == Depth::Glance;
  Expression e;
  ir::Variables vars;
  const Shape& shape = space_of(*root);
  Access top;
  for (int64_t extent : shape) top.push_back(vars.of(vars.add_axis(extent)));
  std::map<Access, int> numbers;
  std::vector<const Access*> accesses;
  auto number = [&](const Access& a) {
    auto [it, fresh] = numbers.try_emplace(a, static_cast<int>(accesses.size()));
    if (fresh) accesses.push_back(&it->first);
    return it->second;
  };
  // What does not depend on the last axis is computed once for all of it.
  const int64_t points = element_count(shape);
  const auto is_spread = [&](const Node& n, const Access& at) {
    if (element_count(n.shape()) > points / kSpread) return false;
    return std::any_of(at.begin(), at.end(), [&](const ir::Linear& k) {
      return vars.depends_on(k, static_cast<int>(shape.size()) - 1);
    });
  };
  std::set<std::pair<const Node*, int>> seen;
  std::unordered_set<const Node*> inputs;
  std::deque<std::pair<const Node*, int>> stack;
  auto add_reading = [&](const Node* producer, Reading r) {
    e.place.emplace(producer, e.readings.size());
    e.readings.emplace_back(producer, std::move(r));
  };
  auto visit = [&](const Node* n, const Access& at) {
    int a = number(at);
    if (!seen.emplace(n, a).second) return;
    if (n->op == Op::input && inputs.insert(n).second) {
      e.inputs.push_back(n);
      e.turned |= element_count(n->shape()) * 2 > points && is_turned(*n, at, shape, vars);
    }
    if (kind(n->op) == OpKind::Source) return;
    if (roots.contains(n)) {
      Reading r = reading_of(*n, at, shape, vars);
      auto known = e.place.find(n);
      if (known == e.place.end()) {
        add_reading(n, std::move(r));
      } else if (Reading& first = e.readings[known->second].second;
                 first.aligned && (!r.aligned || r.axis != first.axis)) {
        first = {false, {}, "it is read at several positions"};
      } else if (first.only_memory) {
        first = std::move(r);
      }
      return;
    }
    ++e.times[n];
    if (kind(n->op) == OpKind::Map && is_spread(*n, at)) e.spread.insert(n);
    e.compile_cost += compile_cost(*n);
    stack.push_back({n, a});
  };
  auto expand = [&](const Node* n, const Access& at) {
    for (size_t k = 0; k < n->inputs.size(); ++k) {
      if (n->op == Op::pad && k == 1) {
        visit(n->inputs[1].get(), {});
        continue;
      }
      ir::InputAccess in = input_access(*n, k, at, vars);
      if (!in.never) visit(n->inputs[k].get(), in.at);
    }
  };
  if (is_reduce(*root)) {
    visit(root->inputs[0].get(), top);
  } else if (is_library(*root)) {
    for (auto& in : root->inputs) {
      Access own(in->shape().size());
      for (size_t k = 0; k < own.size(); ++k) own[k] = vars.of(vars.add_axis(in->shape()[k]));
      const Node* base = in.get();
      while (!roots.contains(base) && kind(base->op) == OpKind::View) base = base->inputs[0].get();
      if (roots.contains(base) && !e.reading(base)) add_reading(base, {false, {}, "a library reads it"});
      if (base->op == Op::input) e.inputs.push_back(base);
    }
  } else if (root->op == Op::assign) {
    e.compile_cost = compile_cost(*root);
    visit(root->inputs[1].get(), top);
    const Node* memory = ir::memory_of(root->inputs[0].get());
    if (roots.contains(memory) && !e.reading(memory))
      add_reading(memory, {false, {}, "it is written in place", memory->op == Op::assign});
  } else {
    e.compile_cost = compile_cost(*root);
    expand(root, top);
  }
  while (!stack.empty() && !(glance && seen.size() > kGlance)) {
    auto [n, a] = glance ? stack.front() : stack.back();
    glance ? stack.pop_front() : stack.pop_back();
    Access at = *accesses[a];
    expand(n, at);
    if (depth == Depth::WholeOrGlance && seen.size() > kManyReadings)
      return analyze_to(root, roots, Depth::Glance);
  }
  e.glanced = !stack.empty();
  return e;
}

}  // namespace

Expression analyze(const Node* root, const std::unordered_set<const Node*>& roots, bool may_glance) {
  return analyze_to(root, roots, may_glance ? Depth::WholeOrGlance : Depth::Whole);
}

std::unordered_set<const Node*> lasting_roots(const std::vector<const Node*>& order) {
  std::unordered_set<const Node*> out;
  for (const Node* n : order)
    if (is_reduce(*n) || kind(n->op) == OpKind::Scan || is_library(*n) || n->op == Op::assign) out.insert(n);
  return out;
}

int compile_cost(const Node& n) {
  if (kind(n.op) == OpKind::Source) return 0;
  if (n.op == Op::update) return kUpdateCompileCost;
  const int cost = std::max(1, static_cast<int>(info(n.op).cost));
  return kind(n.dtype()) == DTypeKind::Complex ? kComplexCompileCost * cost : cost;
}

bool is_library(const Node& n) { return kind(n.op) == OpKind::Dot || kind(n.op) == OpKind::Scatter; }

}  // namespace weft::fusion
