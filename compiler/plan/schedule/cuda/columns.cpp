// Reductions down columns that stay nowhere: in order, of one sweep, or loaded again in each.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/rewrite/online_softmax.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// Whether a sweep's states of so many threads find no room where they are joined.
bool is_too_large_to_join(const RowProgram& p, int64_t lanes, int64_t threads) {
  return std::ranges::any_of(
      p.sweeps, [&](auto& sweep) { return state_bytes(p, sweep) * lanes * threads > kJoinBytes; });
}

CudaSchedule walk_down(const RowProgram& p, const Facts& facts, const Vectors& v, bool again) {
  const int64_t columns = lines(p, p.outer_count(), v.axis) * v.count(p), row = p.row_count();
  CudaSchedule s{.lane_axis = v.axis, .lanes = v.lanes, .threads = kThreads};
  int64_t across = std::clamp<int64_t>(power_of_two_up(columns), 8, kWarp);
  // What is read again is not split.
  if (again && columns < kWarp * facts.processors) across = 8;
  // With points enough for every thread there is nothing to join.
  if (columns >= facts.fill || p.scans()) across = kThreads;
  while (s.threads > 64 && is_too_large_to_join(p, v.lanes, s.threads)) s.threads /= 2;
  across = std::min<int64_t>(across, s.threads);
  // Few strips have more threads each, so that more loads are under way.
  const int64_t filled =
      facts.processors * kAgainThreads / std::max<int64_t>(round_up(columns, across) / across, 1);
  while (again && !p.scans() && 2 * s.threads <= std::min<int64_t>(filled, kThreadsOfBlock) &&
         !is_too_large_to_join(p, v.lanes, 2 * s.threads * across / kWarp))
    s.threads *= 2;
  Columns shape{static_cast<int>(s.threads / across)};
  if (p.scans()) shape.down = 1, s.threads = static_cast<int>(across);
  while (shape.down > 1 && shape.down > row) shape.down /= 2, s.threads /= 2;
  shape.elements = vectors_in_flight(p, facts, v, std::max<int64_t>(row / shape.down, 1));
  // All blocks at once: a second wave that is not full costs more than a few threads less.
  shape.parts = parts_of_row(p, row, round_up(columns, across) * shape.down,
                             int64_t{shape.down} * shape.elements * 2, facts.processors * kBusyColumnThreads);
  s.shape = shape;
  s.reason =
      fmt::format("columns, {} lanes along axis {}, {} threads down each", s.lanes, v.axis, shape.down);
  if (shape.parts > 1) s.reason += fmt::format(", split in {}", shape.parts);
  return s;
}

}  // namespace

Vectors vectors_of_columns(const RowProgram& p, const Facts& facts) {
  Vectors v{facts.lane_axis, lanes_along(p, facts, facts.lane_axis)};
  while (v.lanes > 1 && is_too_large_to_join(p, v.lanes, kThreads)) v.lanes /= 2;
  return v;
}

// One thread walks a column down, one element after another.
Choice choose_ordered_columns(const RowProgram& p, const Facts& facts) {
  CudaSchedule s{.shape = Columns{}, .lane_axis = facts.lane_axis, .threads = kThreads};
  s.reason = fmt::format("columns in order, lanes along axis {}", facts.lane_axis);
  return Scheduled{p, std::move(s)};
}

// Nothing crosses sweeps, or nothing does any more.
Choice choose_one_sweep_columns(const RowProgram& program, const Facts& facts) {
  RowProgram p = program;
  if (facts.crosses) {
    p = loading_again(program);
    if (program.scans() || !becomes_one_sweep(p, facts)) return {};
  }
  CudaSchedule s = walk_down(p, facts, vectors_of_columns(program, facts), false);
  return Scheduled{std::move(p), std::move(s)};
}

Choice choose_columns_loaded_again(const RowProgram& program, const Facts& facts) {
  RowProgram p = loading_again(program);
  if (facts.contract) rescale_sums(p);
  CudaSchedule s = walk_down(p, facts, vectors_of_columns(program, facts), true);
  return Scheduled{std::move(p), std::move(s)};
}

}  // namespace weft::plan::cuda
