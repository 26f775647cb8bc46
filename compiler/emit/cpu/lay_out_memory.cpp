// Scratch memory, temporaries, and the arguments that tell a kernel where things lie in them.
#include <algorithm>

#include "compiler/emit/cpu/lay_out_parts.h"
#include "compiler/emit/cpu/window.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::emit::cpu {

using namespace plan;
using namespace tuning;

namespace {

int64_t whole_lines(int64_t bytes) { return round_up(bytes, machine::kCpuLine); }

int64_t size(DType dtype) { return static_cast<int64_t>(size_of(dtype)); }

// Room in scratch memory.
Word take(CpuLayout& l, int64_t bytes) {
  const Word at = add_word(l, l.scratch.bytes);
  l.scratch.bytes += whole_lines(bytes);
  return at;
}

// Elements of an array, of one line or of one for each position of the other row axes.
int64_t elements_of_array(const RowProgram& p, const CpuLayout& l, bool rows) {
  int64_t n = l.line();
  if (rows)
    for (int a = l.outer_axes; a < l.outer_axes + static_cast<int>(p.row.size()); ++a)
      if (a != l.lanes.axis) n *= p.extent(a).value;
  return n;
}

Array add_array(const RowProgram& p, CpuLayout& l, DType dtype, bool rows = false) {
  return {dtype, rows, take(l, (elements_of_array(p, l, rows) + l.lanes.count) * size(dtype))};
}

// Values that one span computes and another reads.
std::set<Value> shared_by_spans(const RowProgram& p, const LaneLayout& lanes) {
  std::vector<int> place(p.values.size(), -1);
  int here = 0;
  std::set<Value> shared;
  auto visit = [&](const std::vector<Stmt>& block) {
    for (auto& s : block) {
      for (Value v : uses(s))
        if (lanes.varies[v] && place[v] >= 0 && place[v] != here && varies(lanes, s) && !is_stretch(lanes, v))
          shared.insert(v);
      if (Value v = defines(s); v >= 0) place[v] = here;
    }
    ++here;
  };
  for (auto& sweep : p.sweeps) {
    visit(sweep.before);
    visit(sweep.body);
  }
  visit(p.epilogue);
  visit(p.after);
  return shared;
}

void lay_out_arrays(const RowProgram& p, CpuLayout& l) {
  ScratchLayout& s = l.scratch;
  for (Value v : shared_by_spans(p, l.lanes)) {
    const DType t = p.values[v].dtype;
    s.arrays[v] = add_array(p, l, is_half(t) ? DType::F32 : t, p.values[v].row);
  }
  if (l.columns())
    for (auto& acc : p.accumulators) {
      s.totals.push_back(add_array(p, l, total_dtype(acc)));
      s.positions.push_back(ir::gives_index(acc.op) ? add_array(p, l, DType::I64) : Array());
    }
  if (!s.arrays.empty()) s.line = add_word(l, l.line());
}

void lay_out_tiles(const RowProgram& p, CpuLayout& l) {
  const int64_t side = l.scratch.side, width = l.division.chunk + side;
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt);
    if (!load || !is_tiled(l, *load)) return;
    const int64_t bytes = size(p.buffers[load->buffer].dtype);
    // Before the first row, room for what a square that was moved back lays there.
    l.scratch.tiles[load->out] = add_word(l, l.scratch.bytes + side * bytes);
    l.scratch.bytes += whole_lines((side * width + side) * bytes);
  });
}

void lay_out_windows(const RowProgram& p, CpuLayout& l) {
  const int64_t most = l.division.chunk > 0 ? std::min(l.division.chunk, l.lanes.extent) : l.lanes.extent;
  int64_t zeros = 0;
  for_each_stmt(p, [&](const Stmt& stmt) {
    const auto* load = std::get_if<Load>(&stmt);
    const Num* by = load ? along_lanes(l.lanes, load->at) : nullptr;
    if (!by || by->param >= 0 || values_vary(l.lanes, load->at)) return;
    const bool apart = by->param == kLiteral;
    if (!apart && (by->value != 1 || load->guards.empty())) return;
    const int64_t element = size(p.buffers[load->buffer].dtype);
    const int64_t bytes = (most + slack_of_window(l.lanes.count, element)) * by->value * element;
    if (bytes > kMostWindow) return;
    l.scratch.windows[load->out] = take(l, bytes);
    if (std::ranges::any_of(load->guards, [&](Value g) { return !l.lanes.varies[g]; }))
      zeros = std::max(zeros, bytes);
  });
  if (zeros == 0) return;
  const Word at = take(l, zeros);
  l.scratch.zeros = {at, add_word(l, zeros)};
}

}  // namespace

Word add_word(CpuLayout& l, int64_t value) {
  l.words.push_back(value);
  return static_cast<Word>(l.words.size()) - 1;
}

bool is_tiled(const CpuLayout& l, const Load& load) {
  return l.tile_axis >= 0 && is_transposed(load, l.tile_axis, l.lanes.axis);
}

void lay_out_scratch(const RowProgram& p, CpuLayout& l) {
  lay_out_arrays(p, l);
  if (l.tile_axis >= 0) lay_out_tiles(p, l);
  if (l.lanes.masked) lay_out_windows(p, l);
}

void lay_out_partials(const RowProgram& p, CpuLayout& l) {
  if (l.division.parts == 1) return;
  // Columns are joined in whole vectors, the last of which may reach beyond them.
  const int64_t values = p.outer_count() * l.division.parts + (l.columns() ? l.lanes.count : 0);
  auto place = [&](DType dtype) {
    const Word at = add_word(l, l.partials.bytes);
    l.partials.bytes += whole_lines(values * size(dtype));
    return at;
  };
  for (auto& acc : p.accumulators) {
    PartialLayout::Place& of = l.partials.places.emplace_back();
    of.values = place(total_dtype(acc));
    if (ir::gives_index(acc.op)) of.positions = place(DType::I64);
  }
  l.partials.points = add_word(l, p.outer_count());
}

void lay_out_across(const RowProgram& p, CpuLayout& l) {
  for (size_t a = 0; a < p.accumulators.size(); ++a)
    if (p.accumulators[a].is_over_points()) l.across.accumulators.push_back(static_cast<int>(a));
  if (l.across.accumulators.empty()) return;
  const int64_t parts = ceil_divide(p.outer_count(), l.division.points);
  const int64_t chunk = round_up(kFinishedTogether, l.lanes.count);
  const int64_t chunks = ceil_divide(l.lanes.extent, chunk);
  const int64_t elements = elements_of_array(p, l, true);
  l.across.elements = add_word(l, elements);
  l.across.parts = add_word(l, parts);
  EntryLayout& finish = l.finish.emplace();
  finish.chunk = add_word(l, chunk);
  finish.chunks = add_word(l, chunks);
  l.launch.finish_tasks = chunks * (elements / l.line());
  if (l.scratch.arrays.empty()) l.scratch.line = add_word(l, l.line());
  l.scratch.totals.resize(p.accumulators.size());
  l.scratch.positions.resize(p.accumulators.size());
  l.partials.places.resize(p.accumulators.size());
  for (int a : l.across.accumulators) {
    const Accumulator& acc = p.accumulators[static_cast<size_t>(a)];
    l.partials.places[static_cast<size_t>(a)].values = add_word(l, l.partials.bytes);
    l.scratch.totals[static_cast<size_t>(a)] = add_array(p, l, total_dtype(acc));
    l.partials.bytes += whole_lines(parts * elements * size(span_dtype(acc)));
  }
}

}  // namespace weft::emit::cpu
