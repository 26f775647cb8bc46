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

// What is done at a point, up to the end of its row.
std::string write_sweeps(Entry& e) {
  std::string out;
  for (auto& s : e.entry.sweeps) {
    out += write_block(e, s.before);
    out += write_sweep(e, s);
  }
  return out;
}

}  // namespace

std::string write_rows(Entry& e) {
  std::string point = write_sweeps(e);
  point += write_block(e, e.entry.end);
  return task_loops(e, point);
}

std::string write_split_rows(Entry& e) {
  if (!e.entry.is_finish) return task_loops(e, write_sweeps(e) + store_partials(e));
  if (e.layout.scans) return write_rows(e);
  std::string point = write_block(e, e.entry.sweeps[0].before);
  point += load_partials(e);
  point += write_block(e, e.entry.end);
  return task_loops(e, point);
}

std::string write_totals(Entry& e) {
  if (e.entry.is_finish) return join_across(e);
  std::string point = write_sweeps(e);
  point += write_block(e, e.entry.end);
  return task_loops(e, point, clear_across(e));
}

}  // namespace weft::emit::cpu
