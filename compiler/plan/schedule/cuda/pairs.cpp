// Reductions over all pairs of points and row elements.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/schedule/cuda/shapes.h"
#include "compiler/plan/schedule/cuda/strips.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// A wave of blocks that is not full leaves processors idle: its strips are shared out to all of them, where
// that saves more than a second launch costs.
std::optional<Pairs::Shares> share_strips(const RowProgram& p, const Facts& facts, const CudaSchedule& s,
                                          const Pairs& shape, int64_t strips) {
  const int64_t blocks = facts.processors * s.resident, left = strips % blocks;
  const int64_t steps = ceil_divide(p.row_count(), int64_t{shape.down} * shape.neighbours);
  if (p.sweeps.size() != 1 || left == 0 || steps < blocks || left * steps > INT32_MAX) return {};
  if ((blocks - left) * steps / blocks * facts.statements < kWorthSharing) return {};
  Pairs::Shares shares{blocks};
  // Blocks of few registers would otherwise begin all at once, with equal shares no longer equal work.
  if (s.threads >= kThreads)
    shares.shared_bytes = static_cast<int64_t>(facts.target->shared_bytes) / (s.resident + 1) + kColumnJoins;
  return shares;
}

// Whether loads of the next neighbours hide behind what is computed of these. Registers suffice for it but with
// doubles; those of steps with little work are free when it is too late.
bool is_worth_loading_ahead(const RowProgram& p, int neighbours) {
  float work = 0;
  bool narrow = neighbours > 1;
  for_each_stmt(p, [&](const Stmt& s) {
    if (auto* l = std::get_if<Load>(&s)) narrow &= size_of(p.buffers[l->buffer].dtype) <= 4;
    if (auto* l = std::get_if<Let>(&s)) work += cost_of(*l);
  });
  return narrow && work >= kWorthLoadingAhead;
}

}  // namespace

// Squares of points and row elements in registers: each element that is loaded serves several points.
Choice choose_pairs(const RowProgram& program, const Facts& facts) {
  RowProgram p = facts.crosses ? loading_again(program) : program;
  const int lane = facts.lane_axis;
  Vectors v{lane, kPointsOfPairs};
  Pairs shape;
  // Eight elements a step, though they compile longer than four, are 3 % faster on an H200; sixteen are
  // slower.
  shape.neighbours = kElementsOfPairs;
  while (shape.neighbours > 1 && (p.row.back().value % shape.neighbours != 0 ||
                                  facts.statements * v.lanes * shape.neighbours > facts.most_unrolled))
    shape.neighbours /= 2;
  int threads = kThreads;
  for (auto& sweep : p.sweeps)
    while (v.lanes > 1 && state_bytes(p, sweep) * v.lanes * threads > kJoinBytes) v.lanes /= 2;
  for (auto& sweep : p.sweeps)
    while (threads > 64 && state_bytes(p, sweep) * v.lanes * threads > kJoinBytes) threads /= 2;
  const int64_t columns = lines(p, p.outer_count(), lane) * v.count(p);
  int64_t across = kWarp;
  // One block of a multiprocessor instead of two is 1 % faster on an H200. Its joins fill its shared
  // memory.
  if (threads == kThreads && columns >= 8 * across && p.sweeps.size() == 1 &&
      state_bytes(p, p.sweeps[0], 8) * v.lanes * threads * 2 <= kStaticShared)
    threads *= 2, across *= 2;
  shape.down = static_cast<int>(threads / across);
  shape.run = kRunElements / shape.neighbours;
  shape.loaded_ahead = is_worth_loading_ahead(p, shape.neighbours);
  CudaSchedule s{.lane_axis = lane, .lanes = v.lanes, .threads = threads};
  if (threads >= kThreads) s.resident = 2 * kThreads / threads;
  // Nobody waits for memory: more blocks than run at once only have more to join.
  const int64_t parts = parts_of_row(p, p.row_count(), round_up(columns, across) * shape.down,
                                     int64_t{shape.down} * shape.neighbours * shape.run,
                                     facts.processors * threads * s.resident);
  s.reason = fmt::format("pairs, {} points of axis {} by {} of the row in a thread, {} threads down each",
                         v.lanes, lane, shape.neighbours, shape.down);
  if (parts > 1) {
    shape.strip = Parts{parts};
    s.reason += fmt::format(", split in {}", parts);
  } else if (auto shares = share_strips(p, facts, s, shape, ceil_divide(columns, across))) {
    shape.strip = *shares;
    s.reason += fmt::format(", in {} equal shares", shares->blocks);
  }
  s.shape = shape;
  return Scheduled{std::move(p), std::move(s)};
}

}  // namespace weft::plan::cuda
