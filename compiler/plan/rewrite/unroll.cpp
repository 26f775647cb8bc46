#include "compiler/plan/rewrite/unroll.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::plan {

namespace {

using ir::Op;

class Unroller {
 public:
  Unroller(RowProgram& p, int axis)
      : p_(p), axis_(axis), count_(static_cast<int>(p.extent(axis).value)), copies_(p.values.size()) {}

  void run() {
    const bool row = !p_.row.empty();
    if (row && axis_ < static_cast<int>(p_.outer.size())) return unroll_columns();
    for (auto& sweep : p_.sweeps) {
      for (auto& s : sweep.before) add(s);
      for (auto& s : sweep.body) add(s);
    }
    for (auto& s : p_.epilogue) add(s);
    p_.epilogue.clear();
    p_.sweeps = {{{}, std::move(out_), {}}};
    if (p_.reduces_points()) {
      for (auto& s : p_.after) add(s);
      p_.epilogue = std::move(out_);
      p_.after.clear();
    }
    p_.accumulators = std::move(totals_);
    for (auto& v : p_.values) v.row = false;
    forget_axis();
    auto& axes = row ? p_.row : p_.outer;
    axes.erase(axes.begin() + (row ? 0 : axis_));
    if (!p_.accumulators.empty()) reduce_points();
  }

 private:
  // The row stays, with a reduction for each column.
  void unroll_columns() {
    columns_ = true;
    Sweep& sweep = p_.sweeps[0];
    for (auto* block : {&sweep.before, &sweep.body, &p_.epilogue}) {
      for (auto& s : *block) add(s);
      *block = std::exchange(out_, {});
    }
    p_.accumulators = std::move(totals_);
    sweep.accumulators.resize(p_.accumulators.size());
    std::iota(sweep.accumulators.begin(), sweep.accumulators.end(), 0);
    forget_axis();
    p_.outer.erase(p_.outer.begin() + axis_);
  }

  void forget_axis() {
    for_each_stmt(p_, [&](Stmt& s) {
      if (Index* at = index_of(s))
        for (auto& t : at->axes)
          if (t.axis > axis_) --t.axis;
    });
  }

  // What is left are totals over all points, which so become the row. What is the same for each of them is
  // computed before.
  void reduce_points() {
    p_.row = std::move(p_.outer);
    p_.outer.clear();
    Sweep& sweep = p_.sweeps[0];
    sweep.accumulators.resize(p_.accumulators.size());
    std::iota(sweep.accumulators.begin(), sweep.accumulators.end(), 0);
    for (auto& s : std::exchange(sweep.body, {})) {
      const Index* at = index_of(s);
      const auto used = uses(s);
      const bool row = std::holds_alternative<Fold>(s) || std::holds_alternative<Store>(s) ||
                       (at && std::ranges::any_of(at->axes, [](auto& t) { return t.by.value != 0; })) ||
                       std::ranges::any_of(used, [&](Value v) { return row_of(v); });
      if (const Value v = defines(s); v >= 0) p_.values[static_cast<size_t>(v)].row = row;
      (row ? sweep.body : sweep.before).push_back(std::move(s));
    }
  }
  bool row_of(Value v) const { return p_.values[static_cast<size_t>(v)].row; }

  Value new_value(DType dtype) {
    p_.values.push_back({dtype});
    return static_cast<Value>(p_.values.size()) - 1;
  }

  Value new_value_like(Value v) {
    p_.values.push_back(ValueInfo(p_.values[static_cast<size_t>(v)]));
    return static_cast<Value>(p_.values.size()) - 1;
  }

  // What the value is for the k-th element.
  Value nth(Value v, int k) const {
    const auto known = static_cast<size_t>(v) < copies_.size() ? &copies_[static_cast<size_t>(v)] : nullptr;
    return known && !known->empty() ? (*known)[static_cast<size_t>(k)] : v;
  }

  bool varies(const Stmt& s) const {
    if (const Index* at = index_of(s); at && stride_along(*at, axis_) != 0) return true;
    auto used = uses(s);
    return std::any_of(used.begin(), used.end(), [&](Value v) { return nth(v, 0) != nth(v, 1); });
  }

  bool is_run(const Index& at, DType dtype) const {
    if (stride_along(at, axis_) != 1 || is_complex(dtype) || !at.values.empty()) return false;
    return std::ranges::any_of(at.axes, [&](auto& t) { return t.axis != axis_ && t.by.value == count_; });
  }

  void add(const Stmt& s) {
    if (auto* f = std::get_if<Fold>(&s)) return fold(*f);
    if (!varies(s)) return out_.push_back(s);
    const Value v = defines(s);
    std::vector<Value> copies;
    for (int k = 0; k < count_; ++k) {
      Stmt copy = s;
      if (auto* l = std::get_if<Load>(&copy); l && l->guards.empty())
        if (is_run(l->at, p_.buffers[static_cast<size_t>(l->buffer)].dtype)) l->run = {k, count_};
      if (auto* st = std::get_if<Store>(&copy))
        if (is_run(st->at, p_.buffers[static_cast<size_t>(st->buffer)].dtype)) st->run = {k, count_};
      rename_uses(copy, [&](Value used) { return nth(used, k); });
      if (Index* at = index_of(copy)) {
        at->offset.value += k * stride_along(*at, axis_);
        std::erase_if(at->axes, [&](auto& t) { return t.axis == axis_; });
      }
      if (v >= 0) {
        copies.push_back(k == 0 ? v : new_value_like(v));
        set_definition(copy, copies.back());
      }
      out_.push_back(std::move(copy));
    }
    if (v >= 0) copies_[static_cast<size_t>(v)] = std::move(copies);
  }

  Value let(Value out, Op op, std::vector<Value> args) {
    out_.push_back(Let{out, op, std::move(args)});
    return out;
  }

  // Pairs, pairs of those, ...: of so few elements, as exact as a total of more digits, and no chain.
  void fold(const Fold& f) {
    const Accumulator& acc = p_.accumulators[static_cast<size_t>(f.accumulator)];
    if (acc.is_over_points() || columns_) return total(acc, f.value);
    const DType dtype = span_dtype(acc);
    const bool casts = dtype != acc.dtype;
    std::vector<Value> parts;
    for (int k = 0; k < count_; ++k) {
      const Value v = nth(f.value, k);
      parts.push_back(casts ? let(new_value(dtype), Op::cast, {v}) : v);
    }
    while (parts.size() > 1) {
      const bool last = parts.size() == 2 && !casts;
      std::vector<Value> joined;
      for (size_t k = 0; k + 1 < parts.size(); k += 2)
        joined.push_back(
            let(last ? acc.out : new_value(dtype), *info(acc.op).joined_by, {parts[k], parts[k + 1]}));
      if (parts.size() % 2 == 1) joined.push_back(parts.back());
      parts = std::move(joined);
    }
    if (casts) let(acc.out, Op::cast, {parts[0]});
  }

  // One for each element.
  void total(const Accumulator& acc, Value value) {
    std::vector<Value> copies;
    for (int k = 0; k < count_; ++k) {
      Accumulator of_one = acc;
      of_one.reach = OverRow{};
      of_one.out = k == 0 ? acc.out : new_value_like(acc.out);
      copies.push_back(of_one.out);
      out_.push_back(Fold{static_cast<int>(totals_.size()), nth(value, k)});
      totals_.push_back(of_one);
    }
    copies_[static_cast<size_t>(acc.out)] = std::move(copies);
  }

  RowProgram& p_;
  int axis_, count_;
  bool columns_ = false;
  std::vector<Accumulator> totals_;
  std::vector<std::vector<Value>> copies_;  // of the values that vary along the axis, one for each element
  std::vector<Stmt> out_;
};

}  // namespace

bool can_unroll(const RowProgram& p, int axis) {
  if (p.ordered || p.scans() || p.section_axes > 0) return false;
  if (p.row.empty()) return p.outer.size() > 1;
  const bool column = axis < static_cast<int>(p.outer.size());
  if (column && (p.sweeps.size() > 1 || p.reduces_points())) return false;
  return (column || (p.row.size() == 1 && axis == static_cast<int>(p.outer.size()) && !p.outer.empty())) &&
         std::none_of(p.accumulators.begin(), p.accumulators.end(),
                      [](auto& acc) { return gives_index(acc.op); });
}

void unroll_axis(RowProgram& p, int axis) { Unroller(p, axis).run(); }

}  // namespace weft::plan
