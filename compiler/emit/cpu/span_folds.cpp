// Folds and scans of a span: into arrays where lanes go across columns or rows are totalled across, else into
// a total that goes from one call to the next.
#include "compiler/emit/cpu/across.h"
#include "compiler/emit/cpu/span.h"
#include "compiler/emit/cpu/totals.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// A fold, its accumulator and what its text is made of.
struct Folding {
  const Accumulator& acc;
  const TotalLayout& total;
  int a;
  std::string n, value, at, factor;

  // `sum` with the value folded in; with a factor their product is added, rounded once.
  std::string into(DType t, const std::string& sum) const {
    return factor.empty() ? combine(acc.op, t, sum, value)
                          : format("weft_fma_{}({}, {}, {})", suffix(t), value, factor, sum);
  }
};

void fold_across(Span& s, const Folding& f) {
  const DType span = f.total.span;
  const std::string q = add_array(s, "z_t" + f.n, across_array(s.entry, f.a), span, true, true, true);
  s.text.load += format("    {} T{} = weft_load_{}({});\n", s.entry.type(span), f.n, suffix(span), q);
  s.text.body += format("    T{} = {};\n", f.n, f.into(span, "T" + f.n));
  s.text.store += format("    weft_store_{}({}, T{});\n", suffix(span), q, f.n);
}

// The running total of a column, which a step loads and stores.
void load_total(Span& s, const Folding& f) {
  const Array& array = s.entry.layout.scratch.totals[static_cast<size_t>(f.a)];
  const std::string q = add_array(s, "z_t" + f.n, array, true, true), t = suffix(f.total.total);
  s.text.load += format("    {} T{} = weft_load_{}({});\n", s.entry.type(f.total.total), f.n, t, q);
  s.text.store += format("    weft_store_{}({}, T{});\n", t, q, f.n);
}

void fold_column(Span& s, const Folding& f) {
  const DType total = f.total.total, span = f.total.span;
  load_total(s, f);
  if (ir::gives_index(f.acc.op)) {
    const Array& array = s.entry.layout.scratch.positions[static_cast<size_t>(f.a)];
    const std::string r = add_array(s, "z_j" + f.n, array, true, true);
    s.text.load += format("    i64v J{} = weft_load_i64({});\n", f.n, r);
    s.text.body += format("    weft_take_{0}_{1}(T{2}, J{2}, {3}, {4});\n", ir::name(f.acc.op), suffix(total),
                          f.n, f.value, f.at);
    s.text.store += format("    weft_store_i64({}, J{});\n", r, f.n);
  } else if (s.many_rows()) {
    s.text.load += format("    {} A{} = {};\n", s.entry.type(span), f.n, identity(s.entry, f.acc, span));
    s.text.body += format("    A{} = {};\n", f.n, f.into(span, "A" + f.n));
    s.text.store =
        format("    T{} = {};\n", f.n, combine(f.acc.op, total, "T" + f.n, convert(span, total, "A" + f.n))) +
        s.text.store;
  } else {
    Folding wide = f;
    if (f.factor.empty()) wide.value = convert(span, total, f.value);
    s.text.body += format("    T{} = {};\n", f.n, wide.into(total, "T" + f.n));
  }
}

// Largest and smallest numbers, with bits for whether some were NaN.
void fold_extremum(Span& s, const Folding& f) {
  const std::string t = suffix(f.total.span);
  s.text.before += format("  {0} A{1} = s->T{1};\n  unsigned long N{1} = weft_nans_{2}(A{1});\n",
                          s.entry.type(f.total.span), f.n, t);
  s.text.body += format("    weft_extend_{0}_{1}(A{2}, N{2}, {3});\n", ir::name(f.acc.op), t, f.n, f.value);
  s.text.after += format("  s->T{0} = weft_unless_nan_{1}(A{0}, N{0});\n", f.n, t);
}

void fold_position(Span& s, const Folding& f) {
  const std::string t = suffix(f.total.span), op(ir::name(f.acc.op));
  s.text.state.push_back({format("  i64v J{};\n", f.n), "", format("      s.J{0} = J{0};\n", f.n)});
  s.text.gather += format("      J{0} = s.J{0};\n", f.n);
  s.text.before += format("  i64v I{} = (i64v)(0x7fffffffffffffffL);\n", f.n);
  // A call walks a row from its first vector to its last, of which the first is taken whatever it holds.
  if (!s.masked() && !s.many_rows())
    s.text.body += format("    if (k == 0) I{0} = {4};\n    weft_take_later_{1}_{2}(A{0}, I{0}, {3}, {4});\n",
                          f.n, op, t, f.value, f.at);
  else
    s.text.body += format("    weft_take_{0}_{1}(A{2}, I{2}, {3}, {4});\n", op, t, f.n, f.value, f.at);
  s.text.after += format("  weft_take_{0}_{1}(s->T{2}, s->J{2}, A{2}, I{2});\n", op, t, f.n);
}

void fold_sum(Span& s, const Folding& f) {
  const Entry& e = s.entry;
  const DType total = f.total.total, span = f.total.span;
  const std::string none = identity(e, f.acc, span);
  std::string next = f.into(span, "A" + f.n);
  if (s.masked() && !f.factor.empty())
    next = format("weft_select_{}(alive, {}, A{})", suffix(span), next, f.n);
  s.text.body += format("    A{} = {};\n", f.n, next);
  std::string joined = "A" + f.n;
  DType kept = span;
  if (f.total.widens) {
    const std::string add = combine(f.acc.op, total, "B" + f.n, convert(span, total, joined));
    s.text.before += format("  {} B{} = {};\n", e.type(total), f.n, identity(e, f.acc, total));
    s.text.widen += format("    B{0} = {1};\n    A{0} = {2};\n", f.n, add, none);
    if (s.masked()) s.text.after += format("  B{} = {};\n", f.n, add);
    joined = "B" + f.n, kept = total;
  }
  // Lanes that repeat another change sums and products; nothing else minds them.
  if (adds_up(f.acc) && !s.masked())
    s.text.after +=
        format("  weft_keep_live_{}({}, live, {});\n", suffix(kept), joined, identity(e, f.acc, kept));
  s.text.after +=
      f.total.few_vectors
          ? format("  s->T{0} = s->T{0} + weft_join_sum_f32(A{0})[0];\n", f.n)
          : format("  s->T{} = {};\n", f.n, add_to_total(e, f.a, "s->T" + f.n, convert(kept, total, joined)));
}

// The struct carries the total from one call to the next.
void fold_row(Span& s, Folding f) {
  const Entry& e = s.entry;
  const DType span = f.total.span;
  const std::string none = identity(e, f.acc, span);
  s.text.state.push_back(
      {format("  {} T{};\n", total_type(e, f.a), f.n), "", format("      s.T{0} = T{0};\n", f.n)});
  s.text.gather += format("      T{0} = s.T{0};\n", f.n);
  if (s.masked() && f.factor.empty())
    f.value = format("weft_select_{}(alive, {}, {})", suffix(span), f.value, none);
  if (f.total.counts_nans) return fold_extremum(s, f);
  s.text.before += format("  {} A{} = {};\n", e.type(span), f.n, none);
  if (ir::gives_index(f.acc.op)) return fold_position(s, f);
  fold_sum(s, f);
}

void scan_row(Span& s, const Folding& f, Value out) {
  const Entry& e = s.entry;
  const DType total = f.total.total, span = f.total.span;
  const std::string none = identity(e, f.acc, span), t = suffix(span);
  s.text.state.push_back(
      {format("  {} T{};\n", e.type(total), f.n), "", format("      s.T{0} = T{0};\n", f.n)});
  s.text.before += format("  {0} T{1} = s->T{1};\n", e.type(total), f.n);
  s.text.after += format("  s->T{0} = T{0};\n", f.n);
  // Lanes of padding change nothing, so that the last lane always has the running value.
  s.text.body += format("    {0} P{1} = weft_prefix_{2}_{3}(weft_select_{3}(alive, {4}, {5}), {5});\n",
                        e.type(span), f.n, ir::name(f.acc.op), t, f.value, none);
  s.text.body += format("    {} R{} = {};\n", e.type(total), f.n,
                        combine(f.acc.op, total, "T" + f.n, convert(span, total, "P" + f.n)));
  // From the prefix, not from R: one addition is all that a vector waits for of the one before.
  const std::string last = convert(span, total, format("weft_last_{}(P{})", t, f.n));
  s.text.body += format("    T{} = {};\n", f.n, combine(f.acc.op, total, "T" + f.n, last));
  define(s, out, convert(total, e.program.values[out].dtype, "R" + f.n));
}

Folding folding(Span& s, int a, Value value, Value position) {
  Folding f{s.entry.accumulator(a), s.entry.total(a), a, std::to_string(a), import(s, value), "", ""};
  if (position >= 0) f.at = import(s, position);
  return f;
}

}  // namespace

void write_fold(Span& s, const Fold& fold) {
  Folding f = folding(s, fold.accumulator, fold.value, fold.position);
  if (fold.factor >= 0) f.factor = import(s, fold.factor);
  if (f.acc.is_over_points()) return fold_across(s, f);
  if (s.entry.layout.columns()) return fold_column(s, f);
  fold_row(s, f);
}

void write_scan(Span& s, const Scan& scan) {
  if (s.entry.entry.totals_scans) return write_fold(s, Fold{scan.accumulator, scan.value});
  const Folding f = folding(s, scan.accumulator, scan.value, -1);
  if (!s.entry.layout.columns()) return scan_row(s, f, scan.out);
  const DType total = f.total.total;
  load_total(s, f);
  s.text.body += format("    T{} = {};\n", f.n,
                        combine(f.acc.op, total, "T" + f.n, convert(f.total.span, total, f.value)));
  define(s, scan.out, convert(total, s.entry.program.values[scan.out].dtype, "T" + f.n));
}

}  // namespace weft::emit::cpu
