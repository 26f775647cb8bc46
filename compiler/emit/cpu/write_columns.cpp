// Columns: a span takes the lanes of a task's columns, at one position of the row after another. Totals are
// arrays in the task's scratch memory.
#include "compiler/emit/cpu/block.h"
#include "compiler/emit/cpu/row_loops.h"
#include "compiler/emit/cpu/shapes.h"
#include "compiler/emit/cpu/tasks.h"
#include "compiler/emit/cpu/totals.h"
#include "compiler/machine/tuning.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// Where columns are split, a scan goes on from what the parts before left.
std::string start_totals(const Entry& e, const Sweep& sweep) {
  std::string out;
  for (int a : sweep.accumulators) {
    out += clear_total(e, a);
    if (e.accumulator(a).is_running() && e.layout.division.parts > 1 && !e.entry.totals_scans)
      out += join_partials(e, a, "part");
  }
  return out;
}

std::string write_sweep_of_columns(Entry& e, const SweepLayout& s) {
  std::string out = start_totals(e, *s.sweep) + "      {\n", close;
  for (int a = e.layout.outer_axes; a < e.axes(); ++a) {
    const AxisBounds bounds = bounds_of(e, a);
    out += bounds.text;
    if (a == s.rows_axis)
      out += format(
          "      for (long a{0} = {1}; a{0} < {2}; a{0} += {3}) {{\n      const long rows = weft_least({2} "
          "- a{0}, {3});\n",
          a, bounds.from, bounds.to, tuning::kRowsOfSpan);
    else
      out += open_row_loop(e, a, bounds.from, bounds.to);
    close += "      }\n";
  }
  out += write_block(e, s.body) + close;
  e.row = "0";
  return out + "      }\n";
}

std::string write_sweeps_of_columns(Entry& e) {
  std::string out;
  for (auto& s : e.entry.sweeps) {
    out += write_block(e, s.before);
    out += write_sweep_of_columns(e, s);
  }
  return out;
}

}  // namespace

std::string write_columns(Entry& e) {
  std::string point = write_sweeps_of_columns(e);
  point += write_block(e, e.entry.end);
  return task_loops(e, point);
}

std::string write_split_columns(Entry& e) {
  if (!e.entry.is_finish) return task_loops(e, write_sweeps_of_columns(e) + store_partials(e));
  if (e.layout.scans) return write_columns(e);
  std::string point = write_block(e, e.entry.sweeps[0].before);
  point += load_partials(e);
  point += write_block(e, e.entry.end);
  return task_loops(e, point);
}

}  // namespace weft::emit::cpu
