// Reductions over all pairs of points and row elements.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/rewrite/online_softmax.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"
#include "compiler/plan/schedule/cuda/strips.h"

namespace weft::plan {

// Whether all points of the axis reduce over the same loads, as sums over all pairs do.
bool CudaScheduler::is_pairwise(int axis) const {
  auto varies = varies_along(p_, axis);
  bool same = extent(axis) >= 4 * 32 && p_.row_count() >= 64, differs = false;
  for (auto& sweep : p_.sweeps)
    for (auto& s : sweep.body) {
      if (auto* l = std::get_if<Load>(&s)) same &= !varies[l->out] && l->guards.empty();
      if (auto* f = std::get_if<Fold>(&s)) differs |= varies[f->value];
      same &= !std::holds_alternative<Store>(s) && !std::holds_alternative<Scan>(s);
    }
  return same && differs;
}

// Squares of points and row elements in registers: each element that is loaded serves several points.
void CudaScheduler::pairs_along(int lane) {
  s_.order = Order::Columns;
  s_.lane_axis = lane;
  if (!crossing_values(p_).empty()) {
    repeat_cheap_values(p_, true, 1e30f);
    s_.keeper = Keeper::Reload;
  }
  s_.streaming = false;
  // Eight elements a step, though they compile longer than four, are 3 % faster on an H200; sixteen are
  // slower.
  s_.lanes = 4, s_.together = 8;
  while (s_.together > 1 &&
         (p_.row.back().value % s_.together != 0 || statements_ * s_.lanes * s_.together > most_unrolled_))
    s_.together /= 2;
  s_.threads = kThreads;
  for (auto& sweep : p_.sweeps)
    while (s_.lanes > 1 && state_bytes(sweep) * s_.lanes * s_.threads > kJoinBytes) s_.lanes /= 2;
  for (auto& sweep : p_.sweeps)
    while (s_.threads > 64 && state_bytes(sweep) * s_.lanes * s_.threads > kJoinBytes) s_.threads /= 2;
  const int64_t columns = p_.outer_count() / extent(lane) * vectors(lane);
  int64_t across = 32;
  // One block of a multiprocessor instead of two is 1 % faster on an H200. Its joins fill its shared
  // memory.
  if (s_.threads == kThreads && columns >= 8 * across && p_.sweeps.size() == 1 &&
      state_bytes(p_.sweeps[0], 8) * s_.lanes * s_.threads * 2 <= kStaticShared)
    s_.threads *= 2, across *= 2;
  s_.threads_per_row = static_cast<int>(s_.threads / across);
  s_.unroll = s_.together;
  s_.run = kRunElements / s_.unroll;
  // Registers suffice for it but with doubles; those of steps with little work are free when it is too
  // late.
  float work = 0;
  s_.ahead = s_.together > 1;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (auto* l = std::get_if<Load>(&s)) s_.ahead &= size_of(p_.buffers[l->buffer].dtype) <= 4;
    if (auto* l = std::get_if<Let>(&s)) work += ir::info(l->op).cost;
  });
  s_.ahead &= work >= kWorthLoadingAhead;
  if (s_.threads >= kThreads) s_.resident = 2 * kThreads / s_.threads;
  // Nobody waits for memory: more blocks than run at once only have more to join.
  choose_split(p_.row_count(), round_up(columns, across) * s_.threads_per_row,
               int64_t{s_.threads_per_row} * s_.unroll * s_.run, processors_ * s_.threads * s_.resident);
  if (s_.split == 1) share_strips(ceil_divide(columns, across));
  s_.reason = fmt::format("pairs, {} points of axis {} by {} of the row in a thread, {} threads down each",
                          s_.lanes, lane, s_.together, s_.threads_per_row);
  if (s_.shares > 0)
    s_.reason += fmt::format(", in {} equal shares", s_.shares);
  else if (s_.split > 1)
    s_.reason += fmt::format(", split in {}", s_.split);
}

// A wave of blocks that is not full leaves processors idle: its strips are shared out to all of them, where
// that saves more than a second launch costs.
void CudaScheduler::share_strips(int64_t strips) {
  const int64_t blocks = processors_ * s_.resident, left = strips % blocks;
  const int64_t steps = ceil_divide(p_.row_count(), int64_t{s_.threads_per_row} * s_.unroll);
  if (p_.sweeps.size() != 1 || left == 0 || steps < blocks || left * steps > INT32_MAX) return;
  if ((blocks - left) * steps / blocks * statements_ < kWorthSharing) return;
  s_.shares = blocks;
  s_.split = share_out(strips, blocks, steps).parts;
  // Blocks of few registers would otherwise begin all at once, with equal shares no longer equal work.
  if (s_.threads >= kThreads)
    s_.room = static_cast<int64_t>(target_.shared_bytes) / (s_.resident + 1) + (1 << 10);
}

}  // namespace weft::plan
