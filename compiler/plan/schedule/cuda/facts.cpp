#include "compiler/plan/schedule/cuda/facts.h"

#include <algorithm>
#include <vector>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/rewrite/online_softmax.h"
#include "compiler/plan/schedule/cuda/bundles.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// Whether all points of the axis reduce over the same loads, as sums over all pairs do.
bool is_pairwise(const RowProgram& p, int axis) {
  auto varies = varies_along(p, axis);
  bool same = p.extent(axis).value >= kFewestPointsOfPairs && p.row_count() >= kShortestRowOfPairs,
       differs = false;
  for (auto& sweep : p.sweeps)
    for (auto& s : sweep.body) {
      if (auto* l = std::get_if<Load>(&s)) same &= !varies[l->out] && l->guards.empty();
      if (auto* f = std::get_if<Fold>(&s)) differs |= varies[f->value];
      same &= !std::holds_alternative<Store>(s) && !std::holds_alternative<Scan>(s);
    }
  return same && differs;
}

// Whether neighbouring threads go down columns, not along the row.
bool go_down_columns(const RowProgram& p, const Facts& facts, int row_axis, int outer_axis) {
  if (neighbours_along(p, outer_axis).bytes <= neighbours_along(p, row_axis).bytes ||
      p.extent(outer_axis).value < kFewestColumns)
    return false;
  // Few columns that are too long to stay would be read again by a block or two.
  if (p.row_count() > kLongestColumn && is_worth_device(p, facts, p.row_count(), p.outer_count()))
    return false;
  return !can_bundle(p, facts, {row_axis, lanes_along(p, facts, row_axis)});
}

void find_walk(const RowProgram& p, Facts& f) {
  const int axes = f.outer + static_cast<int>(p.row.size());
  const int outer_axis = f.outer > 0 ? axis_of_most_bytes(p, 0, f.outer) : -1;
  auto walk = [&](Walk how, int axis) { f.walk = how, f.lane_axis = axis; };
  if (p.row.empty()) return walk(Walk::Points, std::max(outer_axis, 0));
  if (p.ordered) return walk(Walk::OrderedColumns, outer_axis);
  const int row_axis = axis_of_most_bytes(p, f.outer, axes);
  if (p.reduces_points()) return walk(Walk::Totals, row_axis);
  if (p.section_axes > 0) return walk(Walk::Sections, axis_of_most_bytes(p, f.outer + p.section_axes, axes));
  if (outer_axis >= 0 && is_pairwise(p, outer_axis)) return walk(Walk::Pairs, outer_axis);
  if (outer_axis >= 0 && go_down_columns(p, f, row_axis, outer_axis)) return walk(Walk::Columns, outer_axis);
  walk(Walk::Rows, row_axis);
}

}  // namespace

Facts analyze(const RowProgram& p, const Target& target, const Bias& bias, bool contract) {
  Facts f{Budget(p, target, bias, contract)};
  f.crosses = !crossing_values(p).empty();
  find_walk(p, f);
  if (f.walk != Walk::Rows) return f;
  f.row = vectors_along(p, f, f.lane_axis);
  f.bundles = can_bundle(p, f, f.row);
  return f;
}

int64_t state_bytes(const RowProgram& p, const Sweep& sweep, int64_t unit) {
  int64_t bytes = 0;
  for (int a : sweep.accumulators) {
    auto& acc = p.accumulators[a];
    bytes +=
        std::max<int64_t>(2 * static_cast<int64_t>(size_of(acc.dtype)), 8) + (gives_index(acc.op) ? 8 : 0);
  }
  return round_up(bytes, unit);
}

// A register is free again after its value's last use.
int64_t live_bytes(const RowProgram& p) {
  std::vector<int> first(p.values.size(), -1), last(p.values.size(), -1);
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& s : p.sweeps[k].body) {
      if (Value v = defines(s); v >= 0) first[v] = static_cast<int>(k);
      for (Value u : uses(s)) last[u] = static_cast<int>(k);
    }
  int64_t most = 0;
  for (int k = 0; k + 1 < static_cast<int>(p.sweeps.size()); ++k) {
    int64_t bytes = 0;
    for (Value v : crossing_values(p))
      if (first[v] <= k && last[v] > k) bytes += static_cast<int64_t>(size_of(p.values[v].dtype));
    most = std::max(most, bytes);
  }
  return most;
}

int64_t body_statements(const RowProgram& p) {
  int64_t statements = 0;
  for (auto& sweep : p.sweeps) statements += static_cast<int64_t>(sweep.body.size());
  return statements;
}

int64_t largest_element(const RowProgram& p) {
  int64_t largest = 1;
  for (auto& b : p.buffers) largest = std::max<int64_t>(largest, static_cast<int64_t>(size_of(b.dtype)));
  return largest;
}

RowProgram loading_again(const RowProgram& program) {
  RowProgram again = program;
  repeat_cheap_values(again, true, kAnyWork);
  return again;
}

RowProgram keeping(const RowProgram& program, int lane_axis) {
  RowProgram kept = program;
  repeat_cheap_values(kept, false, kRepeatedInRegisters, lane_axis);
  return kept;
}

bool becomes_one_sweep(RowProgram& program, const Facts& facts) {
  return facts.contract && rescale_sums(program) && program.sweeps.size() == 1;
}

int64_t parts_of_row(const RowProgram& p, int64_t row_steps, int64_t busy, int64_t steps_of_part,
                     int64_t fill) {
  if (p.sweeps.size() != 1 || p.accumulators.empty() || busy * 2 > fill) return 1;
  // Parts of a scanned column are totalled first, then scanned from what comes before each.
  if (p.scans() && p.accumulators.size() > 1) return 1;
  const int64_t parts =
      std::min(fill / std::max<int64_t>(busy, 1), row_steps / std::max<int64_t>(steps_of_part, 1));
  return std::max<int64_t>(parts, 1);
}

bool is_worth_device(const RowProgram& p, const Facts& facts, int64_t row_vectors, int64_t points) {
  return facts.has_clusters() && !p.scans() && p.sweeps.size() > 1 && has_few(points, *facts.target) &&
         row_vectors > kShortestDeviceRow;
}

}  // namespace weft::plan::cuda
