#include "compiler/emit/cpu/span.h"

#include <fmt/format.h>

#include "compiler/base/error.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

CpuSpan::CpuSpan(CpuEmitter& e, std::vector<const Stmt*> stmts)
    : e_(e), stmts_(std::move(stmts)), id_(e.spans_++) {}

std::string CpuSpan::run() {
  for (auto* s : stmts_)
    if (Value v = defines(*s); v >= 0) own_.insert(v);
  find_neighbours();
  for (auto* s : stmts_) std::visit([&](auto& stmt) { write(stmt); }, *s);
  for (Value v : own_)
    if (auto it = e_.arrays_.find(v); it != e_.arrays_.end()) export_array(v, it->second);
  write_function();
  return call();
}

void CpuSpan::member(const std::string& type, const std::string& name, const std::string& value) {
  members_ += format("  {} {};\n", type, name);
  locals_ += format("  const {0} {1} = s->{1};\n", type, name);
  if (!value.empty()) sets_ += format("      s.{} = {};\n", name, value);
}

std::string CpuSpan::add_stream(Stream stream) {
  stream.step = stream.name + "_by";
  // A walk stands still where there is nothing to read, each stream for itself.
  if (!stream.stride.empty() && stream.stride != "0" && stream.only_if.empty() && stream.tests.empty())
    stream.step = steps_.try_emplace({stream.stride, stream.count}, stream.step).first->second;
  streams_.push_back(std::move(stream));
  return streams_.back().step;
}

std::string CpuSpan::import(Value v) {
  if (own_.contains(v) || imported_.contains(v)) return name_of(v);
  imported_.insert(v);
  if (e_.segments(v)) {
    write(std::get<Test>(*e_.definition_[v]));
    return name_of(v);
  }
  DType t = e_.p_.values[v].dtype;
  const int acc = e_.accumulator_of(v);
  if (acc >= 0 && (e_.columns_ || e_.p_.accumulators[acc].is_over_points())) {
    const CpuEmitter::Array& array =
        ir::gives_index(e_.p_.accumulators[acc].op) ? e_.positions_[acc] : e_.totals_[acc];
    std::string q = stream_array(format("z{}", v), array, true, false);
    pre_ += format("    {} v{} = {};\n", e_.type(t), v,
                   e_.convert(array.dtype, t, format("weft_load_{}({})", suffix(array.dtype), q)));
  } else if (auto it = e_.arrays_.find(v); it != e_.arrays_.end()) {
    std::string q = stream_array(format("z{}", v), it->second, true, false);
    pre_ += format("    {} v{} = weft_load_{}({});\n", e_.type(t), v, suffix(it->second.dtype), q);
  } else if (auto* s = std::get_if<Literal>(e_.definition_[v])) {
    locals_ += format("  const {} v{} = {};\n", e_.type(t), v, e_.dialect_.splat(t, literal(s->value)));
  } else {
    member(e_.type(t), name_of(v), name_of(v));
  }
  return name_of(v);
}

std::string CpuSpan::stream_array(const std::string& name, const CpuEmitter::Array& array, bool in,
                                  bool out) {
  std::string element = e_.dialect_.element_type(array.dtype);
  std::string start = format("({}*){}", element, array.pointer);
  if (array.rows && e_.row_ != "0") start += format(" + {} * {}", e_.row_, e_.pad_);
  Stream stream{name, element, start + " - left", "", in, out, size_of(array.dtype)};
  stream.scratch = true;
  add_stream(std::move(stream));
  return name;
}

void CpuSpan::export_array(Value v, const CpuEmitter::Array& array) {
  std::string q = stream_array(format("y{}", v), array, false, true);
  post_ += format("    weft_store_{}({}, v{});\n", suffix(array.dtype), q, v);
}

std::string CpuSpan::positions() {
  uses_positions_ = true;
  return "at";
}

std::string CpuSpan::lanes_index(const Index& at, const std::string& name, bool with_offset) {
  std::string out;
  auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
  if (with_offset) {
    member("long", "o" + name, e_.offset(at));
    add(format("(i64v)(o{})", name));
  }
  auto scaled = [&](const std::string& x, const Num& by, const std::string& number) {
    if (by.param < 0 && by.value == 1) return x;
    member("long", number, spell(by));
    return format("{} * (i64v)({})", x, number);
  };
  if (const Num* by = e_.along_x(at)) add(scaled(positions(), *by, "k" + name));
  int k = 0;
  for (auto& t : at.values)
    if (e_.varies_[t.value]) add(scaled(import(t.value), t.by, format("k{}_{}", name, k++)));
  return out;
}

std::string CpuSpan::expression(const Let& let) {
  for (Value a : let.args) import(a);
  return spell(let, e_.p_, e_.dialect_, name_of);
}

void CpuSpan::define(Value v, const std::string& expr) {
  body_ += format("    {} v{} = {};\n", e_.type(e_.p_.values[v].dtype), v, expr);
}

void CpuSpan::write(const Let& s) {
  if (!e_.keeps_unrounded(s.out)) return define(s.out, expression(s));
  for (Value a : s.args) import(a);
  body_ += "    " + e_.define_rounded(s.out, spell_unrounded(s, e_.p_, e_.dialect_, name_of)) + "\n";
}

void CpuSpan::write(const Position& s) { define(s.out, lanes_index(s.at, std::to_string(s.out), true)); }

void CpuSpan::write(const Divide& s) {
  std::string d = format("d{}", s.out), v = import(s.of);
  member("long", d, spell(s.divisor));
  define(s.out, format("weft_{}_i64({}, (i64v)({}))", s.remainder ? "remainder" : "floor_divide", v, d));
}

void CpuSpan::write(const Clamp& s) {
  std::string d = format("d{}", s.out), v = import(s.index);
  member("long", d, spell(s.extent));
  std::string counted =
      format("weft_select_i64(weft_less_i64({0}, (i64v)(0)), {0} + (i64v)({1}), {0})", v, d);
  define(s.out, format("weft_maximum_i64(weft_minimum_i64({}, (i64v)({} - 1)), (i64v)(0))", counted, d));
}

void CpuSpan::write(const Test& s) {
  if (e_.segments(s.out)) {
    tests_.push_back(&s);
    member("bool", format("g{}", s.out), "");
    define(s.out, format("weft_splat_bool(g{})", s.out));
    return;
  }
  std::string d = format("d{}", s.out), n = std::to_string(s.out);
  if (has_bounds(s.out)) {
    bounded_ = e_.tests_rows_ = true;
    members_ += format("  int low{0}, high{0};\n", n);
    locals_ += format("  const i32v low{0} = (i32v)(s->low{0}), high{0} = (i32v)(s->high{0});\n", n);
    sets_ += format(
        "      {{\n        long low, high;\n        weft_bounds({0}, {1}, {2}, low, high);\n"
        "        s.low{3} = (int)weft_least(weft_most(low - left, 0), right - left);\n"
        "        s.high{3} = (int)weft_least(weft_most(high - left, 0), right - left);\n      }}\n",
        e_.offset(s.at), spell(*e_.along_x(s.at)), spell(s.extent), n);
    return define(s.out, format("weft_bitwise_and_bool(weft_greater_equal_i32(lane, low{0}), "
                                "weft_less_i32(lane, high{0}))",
                                n));
  }
  member("long", d, spell(s.extent));
  body_ += format("    i64v t{} = {};\n", n, lanes_index(s.at, n, true));
  define(s.out, format("weft_bitwise_and_bool(weft_greater_equal_i64(t{0}, (i64v)(0)), "
                       "weft_less_i64(t{0}, (i64v)({1})))",
                       n, d));
}

void CpuSpan::prefetch(const Load& s, const std::string& n) {
  if (e_.s_.prefetched == 0 || !reads_ahead(e_.p_, s, e_.x_, e_.s_.prefetched)) return;
  if (e_.prefetched_.insert(s.buffer).second)
    body_ += format("    weft_ahead_{}(r{});\n", suffix(e_.p_.buffers[s.buffer].dtype), n);
}

void CpuSpan::write(const Load& s) {
  DType t = e_.p_.buffers[s.buffer].dtype;
  std::string element = e_.dialect_.element_type(t), n = std::to_string(s.out);
  std::string start = format("b{} + {}", s.buffer, e_.offset(s.at));
  if (e_.per_lane(s)) {
    member(format("const {}*", element), "r" + n, start);
    std::string index = lanes_index(s.at, n, false), mask;
    for (Value g : s.guards) mask = mask.empty() ? import(g) : both(mask, import(g));
    if (index.empty()) index = "(i64v)(0)";
    define(s.out, mask.empty() ? format("weft_gather_{}(r{}, {})", suffix(t), n, index)
                               : format("weft_gather_masked_{}(r{}, {}, {})", suffix(t), n, index, mask));
    return;
  }
  if (is_run(s.run, s.at)) return define(s.out, run_load(s, n));
  if (near_.contains(&s.at)) return define(s.out, near_load(s, n));
  if (e_.transposed(s)) {
    add_stream({"r" + n, element, e_.tile_row(s.out), "", true, false, size_of(t)});
    return define(s.out, format("weft_load_{}(r{})", suffix(t), n));
  }
  std::vector<Value> tests;
  for (Value g : s.guards)
    if (e_.segments(g)) tests.push_back(g), import(g);
  const Num* by = e_.along_x(s.at);
  bool contiguous = by && by->param < 0 && by->value == 1;
  prefetch(s, n);
  if (masked()) return define(s.out, masked_load(s, n));
  std::string stride = contiguous ? "" : by ? spell(*by) : "0";
  std::string rows = many_rows() ? e_.along_rows(s.at) : "";
  const std::string step =
      add_stream({"r" + n, element, start, stride, true, false, size_of(t), rows, e_.guard(s.guards), tests});
  std::string from = rows.empty() ? "r" + n : format("r{0} + u * r{0}_rows", n);
  define(s.out, contiguous ? format("weft_load_{}({})", suffix(t), from)
                           : format("weft_load_strided_{}({}, {})", suffix(t), from, step));
}

void CpuSpan::write(const Store& s) {
  DType t = e_.p_.buffers[s.buffer].dtype;
  const std::string v = own_.contains(s.value) ? e_.stored_name(s.value) : import(s.value);
  if (is_run(s.run, s.at)) return run_store(s, v);
  if (near_.contains(&s.at)) return near_store(s, v);
  const std::string n = std::to_string(stores_++);
  if (e_.values_vary(s.at)) {
    scatter(s, n, v);
    return;
  }
  const Num* by = e_.along_x(s.at);
  bool contiguous = by && by->param < 0 && by->value == 1;
  std::string stride = contiguous ? "" : by ? spell(*by) : "0";
  std::string start = format("b{} + {}", s.buffer, e_.offset(s.at));
  const std::string step =
      add_stream({"w" + n, e_.dialect_.element_type(t), start, stride, false, true, size_of(t)});
  if (masked()) {
    const std::string to = contiguous ? format("w{}", n) : format("w{}, {}", n, step);
    body_ +=
        format("    weft_store_{}first_{}({}, {}, rest);\n", contiguous ? "" : "strided_", suffix(t), to, v);
    return;
  }
  if (!contiguous) {
    body_ += format("    weft_store_strided_{}(w{}, {}, {});\n", suffix(t), n, step, v);
    return;
  }
  if (e_.s_.streaming && streams_out_++ == 0) streamed_ = "w" + n;
  body_ += format("    weft_{}_{}(w{}, {});\n", e_.s_.streaming ? "stream" : "store", suffix(t), n, v);
}

void CpuSpan::write(const Fold& f) {
  const Accumulator& acc = e_.p_.accumulators[f.accumulator];
  DType total = total_dtype(acc), span = span_dtype(acc);
  std::string n = std::to_string(f.accumulator), v = import(f.value);
  std::string at = f.position >= 0 ? import(f.position) : "";
  const std::string factor = f.factor >= 0 ? import(f.factor) : "";
  // `total` with the value folded in.
  const auto folded = [&](DType t, const std::string& sum) {
    return factor.empty() ? combine(acc.op, t, sum, v)
                          : format("weft_fma_{}({}, {}, {})", suffix(t), v, factor, sum);
  };
  if (acc.is_over_points()) {
    std::string q = stream_array("z_t" + n, e_.across_[f.accumulator], true, true);
    pre_ += format("    {} T{} = weft_load_{}({});\n", e_.type(span), n, suffix(span), q);
    body_ += format("    T{} = {};\n", n, folded(span, "T" + n));
    post_ += format("    weft_store_{}({}, T{});\n", suffix(span), q, n);
    return;
  }
  if (e_.columns_) {
    std::string q = stream_array("z_t" + n, e_.totals_[f.accumulator], true, true);
    pre_ += format("    {} T{} = weft_load_{}({});\n", e_.type(total), n, suffix(total), q);
    post_ += format("    weft_store_{}({}, T{});\n", suffix(total), q, n);
    if (ir::gives_index(acc.op)) {
      std::string r = stream_array("z_j" + n, e_.positions_[f.accumulator], true, true);
      pre_ += format("    i64v J{} = weft_load_i64({});\n", n, r);
      body_ +=
          format("    weft_take_{0}_{1}(T{2}, J{2}, {3}, {4});\n", ir::name(acc.op), suffix(total), n, v, at);
      post_ += format("    weft_store_i64({}, J{});\n", r, n);
    } else if (many_rows()) {
      pre_ += format("    {} A{} = {};\n", e_.type(span), n, e_.identity(acc, span));
      body_ += format("    A{} = {};\n", n, folded(span, "A" + n));
      post_ =
          format("    T{} = {};\n", n, combine(acc.op, total, "T" + n, e_.convert(span, total, "A" + n))) +
          post_;
    } else {
      if (factor.empty()) v = e_.convert(span, total, v);
      body_ += format("    T{} = {};\n", n, folded(total, "T" + n));
    }
    return;
  }
  // The state carries the total from one call to the next.
  folds_ = true;
  const std::string start = e_.identity(acc, span);
  members_ += format("  {} T{};\n", e_.total_type(acc), n);
  sets_ += format("      s.T{0} = T{0};\n", n);
  gather_ += format("      T{0} = s.T{0};\n", n);
  if (masked() && factor.empty()) v = format("weft_select_{}(alive, {}, {})", suffix(span), v, start);
  if (e_.counts_nans(acc)) {
    before_ += format("  {0} A{1} = s->T{1};\n  unsigned long N{1} = weft_nans_{2}(A{1});\n", e_.type(span),
                      n, suffix(span));
    body_ += format("    weft_extend_{0}_{1}(A{2}, N{2}, {3});\n", ir::name(acc.op), suffix(span), n, v);
    after_ += format("  s->T{0} = weft_unless_nan_{1}(A{0}, N{0});\n", n, suffix(span));
    return;
  }
  before_ += format("  {} A{} = {};\n", e_.type(span), n, start);
  if (ir::gives_index(acc.op)) {
    members_ += format("  i64v J{};\n", n);
    sets_ += format("      s.J{0} = J{0};\n", n);
    gather_ += format("      J{0} = s.J{0};\n", n);
    before_ += format("  i64v I{} = (i64v)(0x7fffffffffffffffL);\n", n);
    body_ +=
        format("    weft_take_{0}_{1}(A{2}, I{2}, {3}, {4});\n", ir::name(acc.op), suffix(span), n, v, at);
    after_ +=
        format("  weft_take_{0}_{1}(s->T{2}, s->J{2}, A{2}, I{2});\n", ir::name(acc.op), suffix(span), n);
    return;
  }
  std::string next = folded(span, "A" + n);
  if (masked() && !factor.empty()) next = format("weft_select_{}(alive, {}, A{})", suffix(span), next, n);
  body_ += format("    A{} = {};\n", n, next);
  std::string joined = "A" + n;
  DType kept = span;
  if (e_.widens(acc)) {
    const std::string none = e_.identity(acc, total),
                      add = combine(acc.op, total, "B" + n, e_.convert(span, total, joined));
    before_ += format("  {} B{} = {};\n", e_.type(total), n, none);
    widen_ += format("    B{0} = {1};\n    A{0} = {2};\n", n, add, start);
    if (masked()) after_ += format("  B{} = {};\n", n, add);
    joined = "B" + n, kept = total;
  }
  // Lanes that repeat another change sums and products; nothing else minds them.
  if (adds_up(acc) && !masked())
    after_ += format("  weft_keep_live_{}({}, live, {});\n", suffix(kept), joined, e_.identity(acc, kept));
  if (e_.few_vectors(acc))
    after_ += format("  s->T{0} = s->T{0} + weft_join_sum_f32(A{0})[0];\n", n);
  else
    after_ += format("  s->T{} = {};\n", n,
                     e_.add_to_total(f.accumulator, "s->T" + n, e_.convert(kept, total, joined)));
}

void CpuSpan::write(const Largest&) {
  throw InternalError("emit cpu: sums are rescaled on CUDA only\n" + plan::print(e_.p_));
}

void CpuSpan::write(const Scan& s) {
  if (e_.totalling_) return write(Fold{s.accumulator, s.value});
  const Accumulator& acc = e_.p_.accumulators[s.accumulator];
  DType total = total_dtype(acc), span = span_dtype(acc), to = e_.p_.values[s.out].dtype;
  std::string n = std::to_string(s.accumulator), v = import(s.value);
  if (e_.columns_) {
    std::string q = stream_array("z_t" + n, e_.totals_[s.accumulator], true, true);
    pre_ += format("    {} T{} = weft_load_{}({});\n", e_.type(total), n, suffix(total), q);
    body_ += format("    T{} = {};\n", n, combine(acc.op, total, "T" + n, e_.convert(span, total, v)));
    post_ += format("    weft_store_{}({}, T{});\n", suffix(total), q, n);
    define(s.out, e_.convert(total, to, "T" + n));
    return;
  }
  // Lanes of padding change nothing, so that the last lane always has the running value.
  members_ += format("  {} T{};\n", e_.type(total), n);
  sets_ += format("      s.T{0} = T{0};\n", n);
  before_ += format("  {0} T{1} = s->T{1};\n", e_.type(total), n);
  after_ += format("  s->T{0} = T{0};\n", n);
  body_ += format("    {0} P{1} = weft_prefix_{2}_{3}(weft_select_{3}(alive, {4}, {5}), {5});\n",
                  e_.type(span), n, ir::name(acc.op), suffix(span), v, e_.identity(acc, span));
  body_ += format("    {} R{} = {};\n", e_.type(total), n,
                  combine(acc.op, total, "T" + n, e_.convert(span, total, "P" + n)));
  // From the prefix, not from R: one addition is all that a vector waits for of the one before.
  std::string last = e_.convert(span, total, format("weft_last_{}(P{})", suffix(span), n));
  body_ += format("    T{} = {};\n", n, combine(acc.op, total, "T" + n, last));
  define(s.out, e_.convert(total, to, "R" + n));
  scans_ = true;
}

void CpuSpan::scatter(const Store& s, const std::string& n, const std::string& v) {
  DType t = e_.p_.buffers[s.buffer].dtype;
  std::string element = e_.dialect_.element_type(t);
  members_ += format("  {}* w{};\n", element, n);
  locals_ += format("  {0}* const w{1} = s->w{1};\n", element, n);
  sets_ += format("      s.w{} = b{} + {};\n", n, s.buffer, e_.offset(s.at));
  std::string index = lanes_index(s.at, "w" + n, false);
  body_ += format(
      "    {0} w{1}_t[L];\n    long w{1}_at[L];\n    weft_store_{2}(w{1}_t, {3});\n    "
      "weft_store_i64(w{1}_at, {4});\n",
      element, n, suffix(t), v, index);
  body_ += format("    for (long j = 0; j < {1}; ++j) w{0}[w{0}_at[j]] = w{0}_t[j];\n", n,
                  masked() ? "rest" : "live");
}

}  // namespace weft::emit
