#include "compiler/plan/rewrite/online_softmax.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace weft::plan {

namespace {

bool same(const Num& a, const Num& b) { return a.value == b.value; }

class Joiner {
 public:
  Joiner(RowProgram& p, size_t first) : p_(p), first_(p.sweeps[first]), second_(p.sweeps[first + 1]) {
    for (auto* sweep : {&first_, &second_})
      for (auto& s : sweep->body)
        if (Value v = defines(s); v >= 0) definition_[v] = &s;
    for (int a : first_.accumulators) found_[p_.accumulators[a].out] = a;
  }

  // The sweep that does the work of both, where there is one.
  std::optional<Sweep> run() {
    for (auto& s : second_.before)
      for (Value v : uses(s))
        if (found_.contains(v)) return {};
    for (auto& s : second_.body)
      for (Value v : uses(s))
        if (found_.contains(v) && !is_relative(s)) return {};
    for (auto& s : second_.body) {
      if (is_exponential(s) && !is_only_summed(defines(s))) return {};
      for (Value v : uses(s))
        if (relative_.contains(v) && !is_exponential(s)) return {};
    }
    // Where nothing sums what is relative to a largest value, it is dead, and keeps no base.
    for (auto& [largest, name] : largest_)
      if (std::ranges::none_of(sums_, [&](auto& sum) { return sum.second == largest; })) return {};
    if (largest_.empty()) return {};
    return joined();
  }

 private:
  // %x - %m, where the first sweep's largest %x is %m.
  bool is_relative(const Stmt& s) {
    auto* l = std::get_if<Let>(&s);
    if (!l || l->op != ir::Op::subtract || !found_.contains(l->args[1])) return false;
    const int a = found_.at(l->args[1]);
    const Accumulator& acc = p_.accumulators[a];
    if (acc.op != ir::Op::max || acc.is_over_points() || acc.is_over_section() || !is_float(acc.dtype))
      return false;
    for (auto& of : first_.body)
      if (auto* f = std::get_if<Fold>(&of); f && f->accumulator == a && equal(f->value, l->args[0])) {
        relative_[l->out] = a;
        largest_.insert({a, -1});
        return true;
      }
    return false;
  }

  bool is_exponential(const Stmt& s) const {
    auto* l = std::get_if<Let>(&s);
    return l && l->op == ir::Op::exp && relative_.contains(l->args[0]);
  }

  bool is_only_summed(Value v) {
    for (auto& s : second_.body) {
      const std::vector<Value> used = uses(s);
      if (std::ranges::count(used, v) == 0) continue;
      auto* f = std::get_if<Fold>(&s);
      if (!f || p_.accumulators[f->accumulator].op != ir::Op::sum ||
          p_.accumulators[f->accumulator].is_over_points() ||
          p_.accumulators[f->accumulator].is_over_section())
        return false;
      sums_[f->accumulator] = relative_.at(std::get<Let>(*definition_.at(v)).args[0]);
    }
    return true;
  }

  // Whether values of the first and the second sweep are computed alike.
  bool equal(Value a, Value b) {
    if (a == b) return true;
    auto x = definition_.find(a), y = definition_.find(b);
    if (x == definition_.end() || y == definition_.end()) return false;
    const Stmt &s = *x->second, &t = *y->second;
    if (s.index() != t.index() || p_.values[a].dtype != p_.values[b].dtype) return false;
    const std::vector<Value> of_a = uses(s), of_b = uses(t);
    if (of_a.size() != of_b.size()) return false;
    for (size_t k = 0; k < of_a.size(); ++k)
      if (!equal(of_a[k], of_b[k])) return false;
    if (const Index *i = index_of(s), *j = index_of(t); i && !equal(*i, *j)) return false;
    if (auto* l = std::get_if<Let>(&s)) return l->op == std::get<Let>(t).op;
    if (auto* l = std::get_if<Load>(&s)) return l->buffer == std::get<Load>(t).buffer;
    if (auto* c = std::get_if<Literal>(&s)) return c->value.same(std::get<Literal>(t).value);
    if (auto* c = std::get_if<Argument>(&s)) return c->scalar == std::get<Argument>(t).scalar;
    if (auto* c = std::get_if<Clamp>(&s)) return same(c->extent, std::get<Clamp>(t).extent);
    if (auto* c = std::get_if<Test>(&s)) return same(c->extent, std::get<Test>(t).extent);
    if (auto* d = std::get_if<Divide>(&s))
      return same(d->divisor, std::get<Divide>(t).divisor) && d->remainder == std::get<Divide>(t).remainder;
    return std::holds_alternative<Position>(s);
  }

  static bool equal(const Index& i, const Index& j) {
    return same(i.offset, j.offset) && i.axes.size() == j.axes.size() && i.values.size() == j.values.size() &&
           std::ranges::equal(i.axes, j.axes,
                              [](auto& a, auto& b) { return a.axis == b.axis && same(a.by, b.by); }) &&
           std::ranges::equal(i.values, j.values, [](auto& a, auto& b) { return same(a.by, b.by); });
  }

  Sweep joined() {
    Sweep out = first_;
    out.before.insert(out.before.end(), second_.before.begin(), second_.before.end());
    out.accumulators.insert(out.accumulators.end(), second_.accumulators.begin(), second_.accumulators.end());
    std::map<Value, Value> instead;
    for (auto& [a, largest] : largest_) {
      const Value found = p_.accumulators[a].out;
      p_.values.push_back({p_.values[found].dtype, true});
      largest = static_cast<Value>(p_.values.size() - 1);
      out.body.push_back(Largest{largest, a});
      instead[found] = largest;
    }
    for (Stmt s : second_.body) {
      if (Value v = defines(s); v >= 0) {
        auto known = std::ranges::find_if(first_.body, [&](const Stmt& of) {
          return !std::holds_alternative<Scan>(of) && defines(of) >= 0 && equal(defines(of), v);
        });
        if (known != first_.body.end()) {
          instead[v] = defines(*known);
          continue;
        }
      }
      rename_uses(s, [&](Value v) {
        auto other = instead.find(v);
        return other == instead.end() ? v : other->second;
      });
      out.body.push_back(std::move(s));
    }
    for (auto& [sum, largest] : sums_) p_.accumulators[sum].reach = OverRow{largest};
    return out;
  }

  RowProgram& p_;
  const Sweep first_, second_;
  std::map<Value, const Stmt*> definition_;
  std::map<Value, int> found_;     // what the first sweep finishes
  std::map<Value, int> relative_;  // x - m, of m's accumulator
  std::map<int, Value> largest_;   // of which accumulators, and the names of the largest so far
  std::map<int, int> sums_;        // accumulators of sums, and of the largest that they are relative to
};

}  // namespace

bool rescale_sums(RowProgram& p) {
  bool any = false;
  for (size_t k = 0; k + 1 < p.sweeps.size();) {
    std::optional<Sweep> sweep = Joiner(p, k).run();
    if (!sweep) {
      ++k;
      continue;
    }
    p.sweeps[k] = std::move(*sweep);
    p.sweeps.erase(p.sweeps.begin() + static_cast<int64_t>(k) + 1);
    any = true;
  }
  return any;
}

}  // namespace weft::plan
