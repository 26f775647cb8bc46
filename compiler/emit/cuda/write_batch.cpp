// A step finds its positions, loads, computes its elements, and stores; the first of a loop may be loaded
// ahead.
#include "compiler/emit/cuda/write_batch.h"

#include "compiler/emit/cuda/batch_elements.h"
#include "compiler/emit/cuda/batch_loads.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/shared_memory.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/totals.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

void settle(Entry& e, const Sweep& sweep) {
  for (auto& s : sweep.body)
    if (Value v = defines(s); v >= 0 && e.layout.facts.crossing.contains(v)) e.scope.settled.insert(v);
}

namespace {

// Threads that scan a row together take their steps together.
bool in_step(const Batch& b, const Steps& steps) { return steps.in_loop && b.scans_row; }

bool runs_ahead(const Entry& e, const Batch& b) {
  return e.layout.columns() && e.layout.columns()->is_ahead && b.together > 1;
}

void open_loop(Entry& e, const Batch& b, const Steps& s) {
  Writer& code = e.code;
  if (b.run == 1) {
    const bool is_run = in_step(b, s) && e.layout.parts.look_back;
    return code.loop("for (I c = {}; c < {}; c += {} * {}) {{", s.start, is_run ? "from + run" : s.end,
                     s.step, b.unroll);
  }
  code.line("for (I d = {}; d < {}; d += {} * {}) {{", s.start, s.end, s.step, b.unroll * b.run);
  start_runs(e, static_cast<size_t>(b.number));
  code.line("const I stop = weft_min(d + {} * {}, {});", s.step, b.unroll * b.run, s.end);
  code.loop("for (I c = d; c < stop; c += {} * {}) {{", s.step, b.unroll);
}

void declare_arrays(Entry& e, const Batch& b) {
  Writer& code = e.code;
  for (int a : e.program.row.empty() ? outer_axes(e) : row_axes(e)) code.line("I x{}[{}];", a, b.unroll);
  if (!e.layout.vectors.exact) code.line("bool ok[{}];", b.unroll);
  if (e.layout.shared.values_stay) {
    code.line("I at[{}];", b.unroll);
    for (Value v : e.layout.facts.crossing)
      if (e.layout.facts.defined_in[v] <= b.number)
        code.line("{} k{}[{}];", e.vector_type(e.dtype(v)), v, b.unroll);
  }
  batch_arrays(e, b);
}

// The number of the step of vector u, as q, and whether it is one of the row's, as ok[u].
void find_step(Entry& e, const Batch& b, const Steps& s) {
  Writer& code = e.code;
  const int sure = e.layout.vectors.sure;
  const std::string first = !s.in_loop                 ? s.start
                            : !in_step(b, s)           ? "c"
                            : e.layout.parts.look_back ? "c + lane"
                                                       : "c + t";
  code.line("I q = {} + u * {};", first, b.together > 1 ? "1" : s.step);
  if (e.layout.vectors.exact) return;
  code.line("ok[u] = {}q < {};", sure > 0 ? format("u < {} || ", sure) : "", s.end);
  // Another thread's place in shared memory is not to be read while that writes to it.
  if (e.layout.shared.values_stay && s.in_loop && !in_step(b, s))
    code.add("q = ok[u] ? q : c;");
  else
    code.line("{}q = weft_min(q, {} - 1);", sure > 0 ? format("if (u >= {}) ", sure) : "", s.end);
}

// Vector u of what earlier sweeps, or copies, have left in shared memory.
void read_shared(Entry& e, const Batch& b) {
  if (!e.layout.shared.values_stay) return;
  e.code.line("at[u] = {};", place_in_shared(e, "q"));
  for (Value v : e.layout.facts.crossing)
    if (e.layout.facts.defined_in[v] < b.number || e.layout.shared.ahead.contains(v))
      e.code.line("k{0}[u] = z{0}[at[u]];", v);
}

void write_shared(Entry& e, const Batch& b) {
  if (!e.layout.shared.values_stay) return;
  std::vector<Value> made;
  for (Value v : e.layout.facts.crossing)
    if (e.layout.facts.defined_in[v] == b.number && !e.layout.shared.ahead.contains(v)) made.push_back(v);
  if (made.empty()) return;
  const bool exact = e.layout.vectors.exact;
  e.code.unrolled("u", b.unroll);
  if (!exact) e.code.add("if (ok[u]) {");
  for (Value v : made) e.code.line("z{0}[at[u]] = k{0}[u];", v);
  if (!exact) e.code.add("}");
  e.code.add("}");
}

void write_elements(Entry& e, const Batch& b) {
  Writer& code = e.code;
  const VectorLayout& v = e.layout.vectors;
  if (v.asks_once) {
    const std::string& first = e.scope.axis[v.axis];
    code.add("bool inside = true;");
    code.unrolled("u", b.unroll);
    code.line("inside = inside && {0}{1} >= 0 && {1} + {2} <= {3};", v.exact ? "" : "ok[u] && ", first,
              b.lanes, spell(e.extent(v.axis)));
    code.add("}");
    code.add("if (inside) {");
    batch_elements(e, b, true);
    fold_packed(e, b, true);
    code.add("} else {");
  }
  batch_elements(e, b);
  fold_packed(e, b, false);
  if (v.asks_once) code.add("}");
}

void write_steps(Entry& e, const Batch& b, const Steps& s) {
  Writer& code = e.code;
  const auto number = static_cast<size_t>(b.number);
  const bool ahead = runs_ahead(e, b);
  if (ahead) {
    declare_runs(e, b);
    load_runs(e, b, format("weft_min({}, m - {})", s.start, b.together));
  }
  if (s.in_loop) open_loop(e, b, s);
  declare_arrays(e, b);
  if (s.in_loop && b.run == 1) start_runs(e, number);
  if (!ahead) {
    declare_runs(e, b);
    load_runs(e, b, "c");
  }
  code.unrolled("u", b.unroll);
  find_step(e, b, s);
  read_shared(e, b);
  split_position(e, e.program.row.empty() ? outer_axes(e) : row_axes(e), true);
  batch_loads(e, b, true);
  code.add("}");
  write_elements(e, b);
  write_shared(e, b);
  batch_stores(e, b);
  if (!s.in_loop) return;
  // As soon as the registers are free.
  if (ahead) load_runs(e, b, format("weft_min(c + {} * {}, m - {})", s.step, b.unroll, b.together));
  if (b.run > 1) code.add("}");
  flush_runs(e, number);
  code.add("}");
}

}  // namespace

void write_batch(Entry& e, const Batch& b, const Steps& s) {
  open_divisors(e, b);
  if (!b.normal.empty()) {
    e.code.line("if ({}) {{", b.normal_when);
    write_steps(e, b, s);
    e.code.add("} else {");
    write_steps(e, e.own.single.at(b.number), {s.single_start, s.step, s.end, s.in_loop});
    e.code.add("}");
  } else {
    write_steps(e, b, s);
  }
  close_divisors(e, b);
}

}  // namespace weft::emit
