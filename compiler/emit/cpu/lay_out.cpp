// lay_out(): from a program and its schedule to the numbers and choices of a kernel, one part of the layout
// after the other.
#include <algorithm>

#include "compiler/emit/cpu/check_schedule.h"
#include "compiler/emit/cpu/lay_out_parts.h"
#include "compiler/emit/spell.h"
#include "compiler/machine/tuning.h"

namespace weft::emit::cpu {

using namespace plan;
using namespace tuning;

namespace {

LaneLayout lanes_of(const RowProgram& p, const CpuSchedule& s, const TaskDivision& d) {
  LaneLayout lanes{.axis = s.lane_axis, .count = s.lanes, .extent = p.extent(s.lane_axis).value};
  lanes.outer = s.lane_axis < static_cast<int>(p.outer.size());
  lanes.masked = d.masked();
  find_varying(p, d.order == Order::Columns, lanes);
  return lanes;
}

TotalLayout total_of(const RowProgram& p, const CpuLayout& l, const Accumulator& acc) {
  TotalLayout t{.span = span_dtype(acc), .total = total_dtype(acc), .row = total_dtype(acc)};
  if (l.columns()) return t;
  const bool narrow = l.lanes.extent <= kNarrowTerms * l.lanes.count;
  t.is_number = adds_up(acc) && !is_complex(acc.dtype) && !acc.is_running();
  t.few_vectors = l.lanes.masked && acc.op == ir::Op::sum && t.span == DType::F32 && narrow;
  t.widens = t.span != t.total && !narrow;
  // One of few vectors that is a single call's is in no need of a wider dtype.
  if (t.few_vectors && t.is_number && !acc.is_over_points() && p.row.size() == 1) t.row = t.span;
  t.counts_nans = !acc.is_running() && !acc.is_over_points() && is_float(t.total) &&
                  (acc.op == ir::Op::max || acc.op == ir::Op::min);
  return t;
}

// Stored halves that were rounded from a wider number. Stores round by themselves, so they take that: LLVM
// does not see that it would be rounded twice.
std::set<Value> unrounded_of(const RowProgram& p, const CpuLayout& l) {
  std::set<Value> out;
  const auto is_rounded_here = [&](Value v) {
    for (size_t a = 0; a < p.accumulators.size(); ++a) {
      const Accumulator& acc = p.accumulators[a];
      if (acc.out == v)
        return !l.columns() && !acc.is_running() && !acc.is_over_points() && l.totals[a].row == DType::F32;
    }
    const Stmt* definition = l.lanes.definitions[v];
    const auto* let = definition ? std::get_if<Let>(definition) : nullptr;
    return let && is_rounded(*let, p);
  };
  for_each_stmt(p, [&](const Stmt& s) {
    auto* store = std::get_if<Store>(&s);
    if (store && p.values[store->value].dtype == DType::F16 && is_rounded_here(store->value))
      out.insert(store->value);
  });
  return out;
}

// What the tasks of the first launch are.
void lay_out_tasks(const RowProgram& p, CpuLayout& l) {
  const TaskDivision& d = l.division;
  const int64_t points = l.lanes.outer ? p.outer_count() / l.lanes.extent : p.outer_count();
  const int64_t chunks = l.lanes.outer ? ceil_divide(l.lanes.extent, d.chunk) : 1;
  l.launch.tasks = ceil_divide(points, d.points) * chunks * d.parts;
  l.tasks.points = add_word(l, d.points);
  l.tasks.all_points = add_word(l, points);
  if (l.lanes.outer) {
    l.main.chunk = add_word(l, d.chunk);
    l.main.chunks = add_word(l, chunks);
  }
  if (d.parts == 1) return;
  const int64_t unit = l.lanes.axis == l.outer_axes ? l.lanes.count : 1;
  const int64_t length = round_up(ceil_divide(p.row[0].value, d.parts), unit);
  l.tasks.parts = add_word(l, d.parts);
  l.tasks.part_length = add_word(l, length);
}

void lay_out_main(const RowProgram& p, CpuLayout& l) {
  EntryLayout& e = l.main;
  e.has_parts = l.division.parts > 1;
  e.totals_scans = l.scans && e.has_parts;
  EntryBuilder build(p, l, e);
  l.totalled.resize(p.sweeps.size());
  for (size_t k = 0; k < p.sweeps.size(); ++k) {
    if (e.totals_scans) l.totalled[k] = scanned_only(p.sweeps[k].body);
    e.sweeps.push_back(build.sweep(p.sweeps[k], e.totals_scans ? l.totalled[k] : p.sweeps[k].body));
  }
  if (!e.has_parts) e.end = build.block(p.epilogue);
}

// Joins the parts of rows, or scans each of them.
void lay_out_finish_of_parts(const RowProgram& p, CpuLayout& l) {
  EntryLayout& e = l.finish.emplace();
  e.is_finish = true;
  e.has_parts = l.scans;
  e.chunk = l.main.chunk, e.chunks = l.main.chunks;
  l.launch.finish_tasks = l.scans ? l.launch.tasks : l.launch.tasks / l.division.parts;
  if (l.columns() && !l.scans) {
    // Parts are few and columns many: as many tasks as have some of them.
    const int64_t chunk = std::min(l.division.chunk, round_up(kFinishedTogether, l.lanes.count));
    const int64_t chunks = ceil_divide(l.lanes.extent, chunk);
    l.launch.finish_tasks = p.outer_count() / l.lanes.extent * chunks;
    e.chunk = add_word(l, chunk), e.chunks = add_word(l, chunks);
  }
  EntryBuilder build(p, l, e);
  if (l.scans) {
    e.sweeps.push_back(build.sweep(p.sweeps[0], p.sweeps[0].body));
  } else {
    SweepLayout& only = e.sweeps.emplace_back();
    only.sweep = &p.sweeps[0];
    only.before = build.block(p.sweeps[0].before);
  }
  e.end = build.block(p.epilogue);
}

}  // namespace

CpuLayout lay_out(const RowProgram& p, const CpuSchedule& s) {
  check_schedule(p, s);
  CpuLayout l;
  l.division = division_of(s);
  l.lanes = lanes_of(p, s, l.division);
  l.outer_axes = static_cast<int>(p.outer.size());
  l.scans = p.scans();
  l.launch.grain = s.grain;
  if (const auto* tiles = std::get_if<plan::cpu::Tiles>(&s.shape))
    l.tile_axis = tiles->axis, l.scratch.side = tiles->side;
  for (auto& acc : p.accumulators) l.totals.push_back(total_of(p, l, acc));
  l.unrounded = unrounded_of(p, l);
  lay_out_scratch(p, l);
  lay_out_partials(p, l);
  lay_out_across(p, l);
  lay_out_tasks(p, l);
  lay_out_main(p, l);
  if (l.division.parts > 1) lay_out_finish_of_parts(p, l);
  if (!l.across.accumulators.empty()) {
    l.finish->is_finish = true;
    l.finish->end = EntryBuilder(p, l, *l.finish).block(p.after);
  }
  l.launch.scratch_bytes = static_cast<size_t>(l.scratch.bytes);
  return l;
}

}  // namespace weft::emit::cpu
