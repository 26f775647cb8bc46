// Rows: a span walks along the lane axis, at one position of the other row axes after another. Totals are
// variables of the entry.
#include <utility>

#include "compiler/emit/cpu/across.h"
#include "compiler/emit/cpu/block.h"
#include "compiler/emit/cpu/row_loops.h"
#include "compiler/emit/cpu/shapes.h"
#include "compiler/emit/cpu/tasks.h"
#include "compiler/emit/cpu/totals.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// Where a row is split, a scan goes on from what the parts before left.
std::string start_total(const Entry& e, int a) {
  const bool goes_on = e.accumulator(a).is_running() && e.layout.division.parts > 1 && !e.entry.totals_scans;
  return declare_total(e, a) + (goes_on ? join_partials(e, a, "part") : "");
}

std::string write_sweep(Entry& e, const SweepLayout& s) {
  std::string out, close, close_sections;
  for (int a : s.sweep->accumulators) out += start_total(e, a);
  out += "      {\n";
  for (int a = e.layout.outer_axes; a < e.axes(); ++a) {
    if (a - e.layout.outer_axes == e.program.section_axes) {
      close_sections = std::exchange(close, "");
      for (int t : s.sweep->section_totals) out += start_total(e, t);
    }
    const AxisBounds bounds = bounds_of(e, a);
    out += bounds.text;
    if (a == e.layout.lanes.axis) {
      out += format("      const long left = {}, right = {};\n", bounds.from, bounds.to);
      continue;
    }
    out += open_row_loop(e, a, bounds.from, bounds.to);
    close += "      }\n";
  }
  out += write_block(e, s.body) + close;
  e.row = "0";
  for (int a : s.sweep->section_totals) out += finish_total(e, a);
  out += write_block(e, s.after_section);
  out += close_sections + "      }\n";
  for (int a : s.sweep->accumulators)
    if (!e.accumulator(a).is_running()) out += finish_total(e, a);
  return out;
}

}  // namespace

std::string write_rows(Entry& e) {
  const bool across = !e.layout.across.accumulators.empty();
  if (across && e.entry.is_finish) return join_across(e);
  const bool joins = e.entry.is_finish && !e.layout.scans;
  std::string point;
  for (auto& s : e.entry.sweeps) {
    point += write_block(e, s.before);
    point += joins ? load_partials(e) : write_sweep(e, s);
  }
  const bool leaves_part = e.layout.division.parts > 1 && !e.entry.is_finish;
  point += leaves_part ? store_partials(e) : write_block(e, e.entry.end);
  return task_loops(e, point, across ? clear_across(e) : "");
}

}  // namespace weft::emit::cpu
