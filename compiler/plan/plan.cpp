#include "compiler/plan/plan.h"
#include "compiler/ir/function.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "compiler/base/error.h"
#include "compiler/machine/tuning.h"

namespace weft::plan {

namespace {

template <class... F>
struct Match : F... {
  using F::operator()...;
};
template <class... F>
Match(F...) -> Match<F...>;

void add_uses(const Index& at, std::vector<Value>& out) {
  for (auto& t : at.values) out.push_back(t.value);
}

}  // namespace

bool is_transposed(const Load& load, int axis, int lane_axis) {
  return axis != lane_axis && load.guards.empty() && load.at.values.empty() &&
         stride_along(load.at, axis) == 1 && std::abs(stride_along(load.at, lane_axis)) > 1;
}

const Index* index_of(const Stmt& stmt) { return index_of(const_cast<Stmt&>(stmt)); }

Index* index_of(Stmt& stmt) {
  return std::visit(
      Match{[](Position& s) { return &s.at; }, [](Test& s) { return &s.at; }, [](Load& s) { return &s.at; },
            [](Store& s) { return &s.at; }, [](auto&) -> Index* { return nullptr; }},
      stmt);
}

float cost_of(const Let& let) { return let.function ? let.function->cost : info(let.op).cost; }

namespace {

bool any_function(const RowProgram& program, bool that_loops) {
  bool found = false;
  for_each_stmt(program, [&](const Stmt& s) {
    const auto* let = std::get_if<Let>(&s);
    found |= let && let->function && (let->function->loops || !that_loops);
  });
  return found;
}

}  // namespace

bool has_function(const RowProgram& program) { return any_function(program, false); }
bool has_loop(const RowProgram& program) { return any_function(program, true); }

void for_each_series(const RowProgram& program, const std::function<void(const Series&, const Index&)>& f) {
  std::unordered_map<Value, const Index*> positions;
  std::vector<const Let*> seen;
  for_each_stmt(program, [&](const Stmt& s) {
    if (const auto* position = std::get_if<Position>(&s)) positions[position->out] = &position->at;
    const auto* let = std::get_if<Let>(&s);
    if (!let || let->series.empty()) return;
    // All results of a call are one walk.
    if (std::ranges::any_of(seen, [&](const Let* l) { return l->args == let->args; })) return;
    seen.push_back(let);
    const size_t first = let->args.size() - let->series.size();
    for (size_t k = 0; k < let->series.size(); ++k) f(let->series[k], *positions.at(let->args[first + k]));
  });
}

bool has_series(const RowProgram& program) {
  bool any = false;
  for_each_series(program, [&](const Series&, const Index&) { any = true; });
  return any;
}

std::vector<Value> uses(const Stmt& stmt) {
  std::vector<Value> out;
  std::visit(Match{[&](const Let& s) { out = s.args; }, [&](const Divide& s) { out = {s.of}; },
                   [&](const Clamp& s) { out = {s.index}; }, [&](const Load& s) { out = s.guards; },
                   [&](const Store& s) { out = {s.value}; }, [&](const Scan& s) { out = {s.value}; },
                   [&](const Fold& s) {
                     out = {s.value};
                     if (s.position >= 0) out.push_back(s.position);
                     if (s.factor >= 0) out.push_back(s.factor);
                   },
                   [](auto&) {}},
             stmt);
  if (const Index* at = index_of(stmt)) add_uses(*at, out);
  return out;
}

Value defines(const Stmt& stmt) {
  return std::visit(Match{[](const Fold&) { return -1; }, [](const Store&) { return -1; },
                          [](const auto& s) { return s.out; }},
                    stmt);
}

void rename_uses(Stmt& stmt, const std::function<Value(Value)>& f) {
  std::visit(Match{[&](Let& s) {
                     for (auto& a : s.args) a = f(a);
                   },
                   [&](Divide& s) { s.of = f(s.of); }, [&](Clamp& s) { s.index = f(s.index); },
                   [&](Load& s) {
                     for (auto& g : s.guards) g = f(g);
                   },
                   [&](Store& s) { s.value = f(s.value); }, [&](Scan& s) { s.value = f(s.value); },
                   [&](Fold& s) {
                     s.value = f(s.value);
                     if (s.position >= 0) s.position = f(s.position);
                     if (s.factor >= 0) s.factor = f(s.factor);
                   },
                   [](auto&) {}},
             stmt);
  if (Index* at = index_of(stmt))
    for (auto& t : at->values) t.value = f(t.value);
}

void set_definition(Stmt& stmt, Value v) {
  std::visit(Match{[](Fold&) {}, [](Store&) {}, [&](auto& s) { s.out = v; }}, stmt);
}

DType total_dtype(const Accumulator& acc) {
  DType t = span_dtype(acc);
  if (!adds_up(acc)) return t;
  return t == DType::F32 ? DType::F64 : t == DType::C64 ? DType::C128 : t;
}

bool RowProgram::scans() const {
  return std::any_of(accumulators.begin(), accumulators.end(), [](auto& acc) { return acc.is_running(); });
}

bool RowProgram::reduces_points() const {
  return std::any_of(accumulators.begin(), accumulators.end(),
                     [](auto& acc) { return acc.is_over_points(); });
}

std::vector<Stmt> scanned_only(const std::vector<Stmt>& body) {
  std::set<Value> needed;
  std::vector<Stmt> out;
  for (auto s = body.rbegin(); s != body.rend(); ++s) {
    if (!std::holds_alternative<Scan>(*s) && !needed.contains(defines(*s))) continue;
    for (Value v : uses(*s)) needed.insert(v);
    out.push_back(*s);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// ---- axes

int64_t stride_along(const Index& at, int axis) {
  for (auto& t : at.axes)
    if (t.axis == axis) return t.by.value;
  return 0;
}

namespace {

// Removes `axis`; `into` (or -1) takes over its coefficient.
void drop_axis(RowProgram& p, int axis, int into) {
  for_each_stmt(p, [&](Stmt& s) {
    Index* at = index_of(s);
    if (!at) return;
    int64_t c = stride_along(*at, axis);
    std::erase_if(at->axes, [&](auto& t) { return t.axis == axis || t.axis == into; });
    if (into >= 0 && c != 0) at->axes.push_back({into, {c}});
    for (auto& t : at->axes)
      if (t.axis > axis) --t.axis;
    std::sort(at->axes.begin(), at->axes.end(), [](auto& a, auto& b) { return a.axis < b.axis; });
  });
}

}  // namespace

void collapse_axes(RowProgram& p) {
  // Parts of the row stay apart: the first `sections` axes are joined among themselves.
  auto collapse = [&](std::vector<Num>& axes, int first, bool keep_one, int& sections) {
    for (size_t k = axes.size(); k-- > 0;) {
      if (axes[k].value != 1 || (keep_one && axes.size() == 1)) continue;
      drop_axis(p, first + static_cast<int>(k), -1);
      axes.erase(axes.begin() + static_cast<int64_t>(k));
      if (static_cast<int>(k) < sections) --sections;
    }
    for (size_t k = axes.size(); k-- > 1;) {
      int outer = first + static_cast<int>(k) - 1, inner = outer + 1;
      bool joins = static_cast<int>(k) != sections;
      for_each_stmt(p, [&](Stmt& s) {
        if (const Index* at = index_of(s))
          joins &= stride_along(*at, outer) == stride_along(*at, inner) * axes[k].value;
      });
      if (!joins) continue;
      drop_axis(p, inner, outer);
      // The joined axis steps as the inner one did: drop_axis handed its coefficient to `outer`.
      axes[k - 1].value *= axes[k].value;
      axes.erase(axes.begin() + static_cast<int64_t>(k));
      if (static_cast<int>(k) < sections) --sections;
    }
  };
  bool lanes_need_outer = p.row.empty() || p.ordered;
  int none = 0;
  collapse(p.row, static_cast<int>(p.outer.size()), true, p.section_axes);
  collapse(p.outer, 0, lanes_need_outer, none);
}

void collapse_ranges_of_rows(RowProgram& p) {
  if (!p.row.empty() || p.ordered) return;
  for (int inner = static_cast<int>(p.outer.size()); --inner > 0;) {
    const int outer = inner - 1;
    const int64_t n = p.extent(inner).value;
    auto ranges_over_rows = [&](const Stmt& s) {
      const auto* test = std::get_if<Test>(&s);
      return test && stride_along(test->at, inner) == 0 && std::abs(stride_along(test->at, outer)) == 1;
    };
    bool joins = true;
    for_each_stmt(p, [&](Stmt& s) {
      if (const Index* at = index_of(s))
        joins &= ranges_over_rows(s) || stride_along(*at, outer) == stride_along(*at, inner) * n;
    });
    if (!joins) continue;
    for_each_stmt(p, [&](Stmt& s) {
      if (!ranges_over_rows(s)) return;
      auto& test = std::get<Test>(s);
      const int64_t by = stride_along(test.at, outer);
      for (auto& t : test.at.axes) t.by.value *= n;
      for (auto& t : test.at.values) t.by.value *= n;
      test.at.offset.value = test.at.offset.value * n + (by < 0 ? n - 1 : 0);
      test.at.axes.push_back({inner, {by}});
      test.extent.value *= n;
    });
    drop_axis(p, inner, outer);
    p.outer[static_cast<size_t>(outer)].value *= n;
    p.outer.erase(p.outer.begin() + inner);
  }
}

// ---- values that cross sweeps

namespace {

struct Definition {
  Stmt stmt;
  int sweep;
};

// Where each row value is first computed.
std::unordered_map<Value, Definition> row_definitions(const RowProgram& p) {
  std::unordered_map<Value, Definition> out;
  for (size_t s = 0; s < p.sweeps.size(); ++s)
    for (auto& stmt : p.sweeps[s].body)
      if (Value v = defines(stmt); v >= 0) out.insert({v, {stmt, static_cast<int>(s)}});
  return out;
}

}  // namespace

std::vector<Value> crossing_values(const RowProgram& p) {
  auto definitions = row_definitions(p);
  std::set<Value> out;
  for (size_t s = 0; s < p.sweeps.size(); ++s)
    for (auto& stmt : p.sweeps[s].body)
      for (Value v : uses(stmt))
        if (auto d = definitions.find(v); d != definitions.end() && d->second.sweep < static_cast<int>(s))
          out.insert(v);
  return {out.begin(), out.end()};
}

namespace {

// Which values are not the same all along the axis (-1: all of them).
std::vector<char> varying_along(const RowProgram& p, int axis) {
  std::vector<char> varies(p.values.size(), axis < 0);
  if (axis < 0) return varies;
  for_each_stmt(p, [&](const Stmt& s) {
    const Value v = defines(s);
    if (v < 0) return;
    const Index* at = index_of(s);
    const std::vector<Value> used = uses(s);
    varies[v] = (at && stride_along(*at, axis) != 0) ||
                std::any_of(used.begin(), used.end(), [&](Value u) { return varies[u]; });
  });
  return varies;
}

// What is cheap is computed again in each sweep that uses it. Expressions are deep, so no walk recurs.
class CheapRepeats {
 public:
  CheapRepeats(RowProgram& p, bool loads, float cost, int lane_axis)
      : p_(p),
        loads_(loads),
        most_(cost),
        definitions_(row_definitions(p)),
        varies_(varying_along(p, lane_axis)) {}

  void run() {
    for (size_t s = 1; s < p_.sweeps.size(); ++s) repeat_in(static_cast<int>(s));
  }

 private:
  void repeat_in(int sweep) {
    sweep_ = sweep;
    again_.clear();
    body_.clear();
    auto name = [&](Value v) { return name_of(v); };
    for (Stmt stmt : p_.sweeps[sweep].body) {
      for (Value v : uses(stmt)) repeat(v);
      rename_uses(stmt, name);
      body_.push_back(std::move(stmt));
    }
    p_.sweeps[sweep].body = std::move(body_);
  }

  Value name_of(Value v) const {
    auto known = again_.find(v);
    return known == again_.end() ? v : known->second;
  }

  // Where a value of an earlier sweep is defined, unless this sweep has it already; else null.
  const Definition* earlier(Value v) const {
    auto d = definitions_.find(v);
    return d == definitions_.end() || d->second.sweep >= sweep_ || again_.contains(v) ? nullptr : &d->second;
  }

  void repeat(Value top) {
    std::vector<Value> stack{top};
    while (!stack.empty()) {
      const Value v = stack.back();
      const Definition* d = earlier(v);
      if (!d) {
        stack.pop_back();
      } else if (is_kept(v, d->stmt)) {
        again_[v] = v;
      } else if (const std::vector<Value> first = to_repeat_first(d->stmt); !first.empty()) {
        stack.insert(stack.end(), first.begin(), first.end());
      } else {
        copy(v, d->stmt);
      }
    }
  }

  bool is_kept(Value v, const Stmt& stmt) {
    const bool load = std::holds_alternative<Load>(stmt);
    return varies_[v] && ((load && !loads_) || cost_of(v) > most_);
  }

  // The last one first.
  std::vector<Value> to_repeat_first(const Stmt& stmt) const {
    std::vector<Value> out, used = uses(stmt);
    std::copy_if(used.rbegin(), used.rend(), std::back_inserter(out), [&](Value u) { return earlier(u); });
    return out;
  }

  Value new_value_like(Value v) {
    p_.values.push_back(p_.values[v]);
    return static_cast<Value>(p_.values.size() - 1);
  }

  void copy(Value v, Stmt stmt) {
    rename_uses(stmt, [&](Value u) { return name_of(u); });
    again_[v] = new_value_like(v);
    set_definition(stmt, again_[v]);
    if (auto* scan = std::get_if<Scan>(&stmt)) {
      Accumulator acc = p_.accumulators[scan->accumulator];
      acc.out = new_value_like(acc.out);
      scan->accumulator = static_cast<int>(p_.accumulators.size());
      p_.sweeps[sweep_].accumulators.push_back(scan->accumulator);
      p_.accumulators.push_back(acc);
    }
    body_.push_back(std::move(stmt));
  }

  // The cost of computing a value again, with loads free when they are repeated and left alone when they are
  // kept.
  float cost_of(Value top) {
    std::vector<Value> stack{top};
    while (!stack.empty()) {
      const Value v = stack.back();
      auto d = definitions_.find(v);
      if (costs_.contains(v) || d == definitions_.end()) {
        costs_.try_emplace(v, 0.0f);
        stack.pop_back();
        continue;
      }
      const std::vector<Value> used = uses(d->second.stmt);
      const size_t before = stack.size();
      std::copy_if(used.begin(), used.end(), std::back_inserter(stack),
                   [&](Value u) { return !costs_.contains(u); });
      if (stack.size() == before) costs_[v] = cost_of(d->second.stmt, used);
    }
    return costs_[top];
  }

  float cost_of(const Stmt& stmt, const std::vector<Value>& used) const {
    float sum = 0;
    for (Value u : used) sum += costs_.at(u);
    if (auto* l = std::get_if<Let>(&stmt)) sum += plan::cost_of(*l);
    if (std::holds_alternative<Scan>(stmt)) sum += tuning::kCostOfScan;
    return sum;
  }

  RowProgram& p_;
  const bool loads_;
  const float most_;
  const std::unordered_map<Value, Definition> definitions_;
  const std::vector<char> varies_;
  std::unordered_map<Value, float> costs_;
  // Of the sweep at hand: its number, the names of earlier values in it, its statements.
  int sweep_ = 0;
  std::unordered_map<Value, Value> again_;
  std::vector<Stmt> body_;
};

}  // namespace

void repeat_cheap_values(RowProgram& p, bool repeat_loads, float repeat_cost, int lane_axis) {
  CheapRepeats(p, repeat_loads, repeat_cost, lane_axis).run();
}

// ---- arguments

void parameterize(RowProgram& p) {
  auto parameter = [&](Num& n) {
    n.param = static_cast<int>(p.params.size());
    p.params.push_back(n.value);
  };
  auto number = [&](Num& n) {
    if (n.value < -1 || n.value > 1) parameter(n);
  };
  for (auto& n : p.outer) parameter(n);
  for (auto& n : p.row) parameter(n);
  // A buffer's stride along an axis is one argument for all accesses.
  std::map<std::tuple<int, int, int64_t>, int> strides;
  for_each_stmt(p, [&](Stmt& s) {
    if (Index* at = index_of(s)) {
      int buffer = -1;
      if (auto* l = std::get_if<Load>(&s)) buffer = l->buffer;
      if (auto* st = std::get_if<Store>(&s)) buffer = st->buffer;
      for (auto& t : at->axes) {
        if ((t.by.value >= -1 && t.by.value <= 1) || t.by.param == kLiteral) continue;
        if (buffer < 0) {
          parameter(t.by);
          continue;
        }
        auto [it, fresh] =
            strides.try_emplace({buffer, t.axis, t.by.value}, static_cast<int>(p.params.size()));
        if (fresh)
          parameter(t.by);
        else
          t.by.param = it->second;
      }
      for (auto& t : at->values) number(t.by);
      number(at->offset);
    }
    // The results of a call say the same of its series, in the same numbers.
    if (auto* let = std::get_if<Let>(&s))
      for (Series& one : let->series) {
        if (one.step.value >= -1 && one.step.value <= 1) continue;
        auto [it, fresh] =
            strides.try_emplace({one.buffer, -1, one.step.value}, static_cast<int>(p.params.size()));
        if (fresh)
          parameter(one.step);
        else
          one.step.param = it->second;
      }
    if (auto* d = std::get_if<Divide>(&s)) number(d->divisor);
    if (auto* c = std::get_if<Clamp>(&s)) number(c->extent);
    if (auto* t = std::get_if<Test>(&s)) number(t->extent);
  });
}

// ---- verify

void verify(const RowProgram& p) {
  auto fail = [&](const std::string& rule) { throw InternalError("plan: " + rule + "\n" + print(p)); };
  std::vector<char> known(p.values.size(), 0);
  int axes = static_cast<int>(p.outer.size() + p.row.size());
  // Which axes and values there are: of the point, of a section of its row, or of one element.
  enum Place { Point, Part, Element };
  const int outer = static_cast<int>(p.outer.size());
  auto check = [&](const Stmt& s, Place place) {
    for (Value v : uses(s)) {
      if (v < 0 || v >= static_cast<int>(known.size()) || !known[v])
        fail("%" + std::to_string(v) + " is used before it is computed");
      if (place != Element && p.values[v].row)
        fail("%" + std::to_string(v) + " is a row value outside of the row");
    }
    if (const Index* at = index_of(s))
      for (auto& t : at->axes)
        if (t.axis < 0 || t.axis >= (place == Element ? axes
                                     : place == Part  ? outer + p.section_axes
                                                      : outer))
          fail("axis " + std::to_string(t.axis) + " does not exist here");
    if (Value v = defines(s); v >= 0) {
      if (known[v]) fail("%" + std::to_string(v) + " is computed twice");
      known[v] = 1;
    }
  };
  for (auto& sweep : p.sweeps) {
    for (auto& s : sweep.before) check(s, Point);
    for (auto& s : sweep.body) check(s, Element);
    for (int a : sweep.section_totals) known[p.accumulators[a].out] = 1;
    for (auto& s : sweep.after_section) check(s, Part);
    for (int a : sweep.section_totals) known[p.accumulators[a].out] = 0;
    for (int a : sweep.accumulators) known[p.accumulators[a].out] = 1;
  }
  for (auto& s : p.epilogue) check(s, Point);
  std::fill(known.begin(), known.end(), 0);
  for (auto& acc : p.accumulators) known[acc.out] = acc.is_over_points();
  for (auto& s : p.after) {
    check(s, Element);
    if (const Index* at = index_of(s))
      for (auto& t : at->axes)
        if (t.axis < outer) fail("outer axes do not exist after the points");
  }
  if (p.scans() && p.reduces_points()) fail("what is scanned is not reduced across too");
  for (auto& acc : p.accumulators)
    if (const auto largest = acc.relative_to();
        largest && (acc.op != ir::Op::sum || p.accumulators[*largest].op != ir::Op::max))
      fail("only sums are relative, and to a largest value");
  if (p.scans() && p.row.size() != 1) fail("what is scanned has one row axis");
  for (auto& acc : p.accumulators)
    if (acc.is_over_section() && p.section_axes == 0)
      fail("a section of a row is totalled where the row has sections");
  if (p.section_axes > 0 &&
      (p.section_axes >= static_cast<int>(p.row.size()) || p.scans() || p.reduces_points()))
    fail("rows of sections are walked for totals of rows and sections alone");
}

}  // namespace weft::plan
