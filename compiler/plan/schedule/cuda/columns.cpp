// Reductions across the lanes: threads walk down columns, strips of which stay between sweeps.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

void CudaScheduler::columns_along(int lane) {
  s_.order = Order::Columns;
  s_.streaming = false;
  s_.lane_axis = lane;
  s_.lanes = lanes_along(lane);
  if (p_.ordered) {
    // One thread walks a column down, one element after another.
    s_.lanes = 1;
    s_.threads = kThreads;
    s_.reason = fmt::format("columns in order, lanes along axis {}", lane);
    return;
  }
  for (auto& sweep : p_.sweeps)
    while (s_.lanes > 1 && state_bytes(sweep) * s_.lanes * kThreads > kJoinBytes) s_.lanes /= 2;
  int64_t columns = lines(p_.outer_count(), lane) * vectors(lane), row = p_.row_count();
  if (!crossing_values(p_).empty() && !finish_in_one_sweep()) {
    if (!p_.scans() && keep_columns(columns, row)) return;
    read_again();
  }
  int64_t across = std::clamp<int64_t>(power_of_two_up(columns), 8, 32);
  // What is read again is not split.
  if (s_.keeper == Keeper::Reload && columns < 32 * processors_) across = 8;
  // With points enough for every thread there is nothing to join.
  if (columns >= fill_ || p_.scans()) across = kThreads;
  s_.threads = kThreads;
  for (auto& sweep : p_.sweeps)
    while (s_.threads > 64 && state_bytes(sweep) * s_.lanes * s_.threads > kJoinBytes) s_.threads /= 2;
  across = std::min<int64_t>(across, s_.threads);
  s_.threads_per_row = static_cast<int>(s_.threads / across);
  if (p_.scans()) s_.threads_per_row = 1, s_.threads = static_cast<int>(across);
  while (s_.threads_per_row > 1 && s_.threads_per_row > row) s_.threads_per_row /= 2, s_.threads /= 2;
  s_.unroll = unroll_for(std::max<int64_t>(row / s_.threads_per_row, 1));
  // All blocks at once: a second wave that is not full costs more than a few threads less.
  choose_split(row, round_up(columns, across) * s_.threads_per_row,
               int64_t{s_.threads_per_row} * s_.unroll * 2, processors_ * kBusyColumnThreads);
  s_.reason = fmt::format("columns, {} lanes along axis {}, {} threads down each", s_.lanes, lane,
                          s_.threads_per_row);
  if (s_.split > 1) s_.reason += fmt::format(", split in {}", s_.split);
}

// Of 4 bytes in a vector. As single elements they are copied as fast as memory writes parts of sectors.
constexpr int kWords = 4;

// Strips of columns stay with a block: short ones in the registers of a thread for each, others in shared
// memory, 256 bytes wide where they may be; several blocks share long ones.
bool CudaScheduler::keep_columns(int64_t columns, int64_t row) {
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4);
  if (live_bytes(kept) == 0 || row == 0) return false;
  const int64_t body = body_statements(kept);
  if (row <= 8 && columns >= 32 * processors_ && body * row * s_.lanes <= most_unrolled_) {
    p_ = std::move(kept);
    s_.keeper = Keeper::Registers;
    s_.threads = kThreads;
    s_.threads_per_row = 1;
    s_.unroll = static_cast<int>(row);
    s_.reason = fmt::format("columns, {} lanes along axis {}, which stay in a thread's registers", s_.lanes,
                            s_.lane_axis);
    return true;
  }
  if (take_turns(kept, columns, row)) {
    p_ = std::move(kept);
    return true;
  }
  const int64_t bytes = shared_places(kept).element_bytes() * s_.lanes;
  const int vectors = s_.lanes == 1 && has_clusters() ? wide_copy_elements(kept, s_.lane_axis) : 0;
  if (vectors != kWords) copied_ = vectors;
  if (!choose_strips(bytes, columns, row)) return false;
  if (vectors == kWords) {
    const CudaSchedule single = s_;
    copied_ = vectors;
    const bool fits = choose_strips(bytes, columns, row);
    if (!fits || s_.threads / s_.threads_per_row < single.threads / single.threads_per_row ||
        overlap_for(columns) == 0)
      s_ = single, copied_ = 0;
  }
  s_.overlap = overlap_for(columns);
  p_ = std::move(kept);
  s_.keeper = Keeper::Shared;
  s_.ahead = has_clusters();
  s_.wide_copies = copied_ > 0;
  s_.unroll = body * s_.lanes <= most_unrolled_ / 16 ? 2 : 1;
  if (s_.unroll == 1) s_.resident = 1;
  s_.reason =
      fmt::format("columns, {} lanes along axis {}, {} threads down each, which stay in shared memory",
                  s_.lanes, s_.lane_axis, s_.threads_per_row);
  if (s_.cluster > 1) s_.reason += fmt::format(", {} blocks a strip", s_.cluster);
  if (s_.overlap > 0) s_.reason += fmt::format(", strips overlap by {} columns", s_.overlap);
  return true;
}

// Long strips, of which there are many, leave a block no room for a second one beside it, so that memory
// would rest while it computes: it computes in registers, and shared memory takes the next strip. Memory is
// slower at narrow strips, so they are as wide as registers let them be.
bool CudaScheduler::take_turns(const RowProgram& kept, int64_t columns, int64_t row) {
  if (!has_clusters() || row < (s_.lanes == 1 ? kLongSingleColumn + 1 : kLongColumn)) return false;
  const int64_t body = body_statements(kept);
  int64_t unit = 1, joined = 0, told = 0;
  for (auto& b : p_.buffers)
    unit = std::max<int64_t>(unit, static_cast<int64_t>(size_of(b.dtype)) * s_.lanes);
  for (auto& sweep : kept.sweeps) {
    joined = std::max(joined, state_bytes(sweep, 1));
    told += state_bytes(sweep, 1);
  }
  const int64_t each = kept_bytes_ / (std::max<int64_t>(live_bytes(kept), 4) * s_.lanes);
  if (unit < 4 || unit > 16 || each == 0) return false;
  for (int64_t width : {256, 128}) {
    const int64_t across = width / unit, down = kTurnThreads / across;
    const int64_t cluster = power_of_two_up(ceil_divide(row, down * each));
    const int64_t unroll = ceil_divide(row, down * cluster), strips = ceil_divide(columns, across);
    // A chip's parts have some processors that fill no cluster.
    const int64_t at_once = processors_ * 10 / 11 / cluster;
    const int64_t warps = std::min(down, kTurnThreads / 32);
    const int64_t joins = (joined * warps + told * (2 * cluster + 1)) * s_.lanes * across;
    if (cluster > 16 || joins > kJoinBytes || strips < 4 * at_once ||
        body * unroll * s_.lanes > most_unrolled_)
      continue;
    s_.keeper = Keeper::Registers;
    s_.strips_at_once = at_once;
    s_.threads = static_cast<int>(kTurnThreads);
    s_.threads_per_row = static_cast<int>(down);
    s_.cluster = static_cast<int>(cluster);
    s_.unroll = static_cast<int>(unroll);
    s_.streaming = large_;
    s_.reason = fmt::format(
        "columns, {} lanes along axis {}, {} threads down each, strips in turn in registers, {} blocks a "
        "strip",
        s_.lanes, s_.lane_axis, down, cluster);
    return true;
  }
  return false;
}

// A sector that two strips write parts of costs more than to read and compute its columns in both; where
// sixteen blocks share a strip, they wait for each other longer than for memory. Strips of 2-byte and 8-byte
// elements lost by it on an H200.
int CudaScheduler::overlap_for(int64_t columns) const {
  const int64_t across = s_.threads / s_.threads_per_row, sector = widest_sector(p_, s_.lane_axis);
  const bool pays = copied_ == kWords && s_.cluster <= 8 && columns > across && sector * 4 <= across;
  return pays ? static_cast<int>(sector) : 0;
}

// The width of strips of columns, a vector and row element of which take `bytes`: as wide as 256 bytes,
// since memory is slower at less, and as few blocks for each as leave room for three in a multiprocessor,
// or for one.
bool CudaScheduler::choose_strips(int64_t bytes, int64_t columns, int64_t row) {
  const int64_t most = static_cast<int64_t>(target_.shared_bytes) - (1 << 10);
  int64_t unit = 1;
  for (auto& b : p_.buffers)
    unit = std::max<int64_t>(unit, static_cast<int64_t>(size_of(b.dtype)) * s_.lanes);
  auto use = [&](int64_t across, int64_t cluster, int64_t blocks) {
    int64_t threads = blocks > 1 ? kThreads : 512;
    while (threads > 32 && threads / across > power_of_two_up(row)) threads /= 2;
    if (threads < across || (cluster > 1 && row < cluster * threads / across)) return false;
    // Joins take static shared memory: for the warps that share columns, and for the blocks. Runs that need
    // no wider totals keep that small.
    const int64_t warps = std::max<int64_t>(std::min(threads / across, threads / 32), 1);
    if (ceil_divide(row, threads / across * cluster) > kRunElements) return false;
    int64_t joined = 0, told = 0;
    for (auto& sweep : p_.sweeps) {
      int64_t state = 0;
      for (int a : sweep.accumulators) {
        auto& acc = p_.accumulators[a];
        state +=
            std::max<int64_t>(static_cast<int64_t>(size_of(acc.dtype)), 4) + (gives_index(acc.op) ? 8 : 0);
      }
      joined = std::max(joined, state);
      told += state * (cluster > 1 ? cluster + 1 : 1);
    }
    const int64_t joins = (joined * warps + told) * s_.lanes * across;
    if (joins > kJoinBytes || across < copied_ ||
        ceil_divide(row, cluster) * bytes * (across + copied_) + joins > most / blocks)
      return false;
    s_.threads = static_cast<int>(threads);
    s_.threads_per_row = static_cast<int>(threads / across);
    s_.cluster = static_cast<int>(cluster);
    s_.resident = static_cast<int>(blocks);
    return true;
  };
  const int64_t widest = std::min(std::clamp<int64_t>(256 / unit, 4, 64), power_of_two_up(columns));
  const int64_t largest = has_clusters() ? 16 : 1;
  int64_t across = widest, cluster = 1;
  auto fits = [&](int64_t narrowest, int64_t blocks, int64_t largest_cluster) {
    for (across = widest; across == widest || across * unit >= narrowest; across /= 2) {
      for (cluster = 1; ceil_divide(row, cluster) * bytes * (across + copied_) > most / blocks;) cluster *= 2;
      if (cluster <= largest_cluster && use(across, cluster, blocks)) return true;
    }
    return false;
  };
  // Narrower strips, or a multiprocessor to one block, are slower than to read columns again; where there
  // are no clusters, that is done for strips of 32 bytes.
  int64_t blocks = kKeepingBlocks;
  if (!fits(64, blocks, largest)) {
    blocks = 1;
    if (largest > 1 || !fits(32, blocks, 1)) return false;
  }
  // With few strips, more blocks for each, and narrower ones.
  auto few = [&] { return ceil_divide(columns, across) * cluster < processors_; };
  while (few() && cluster * 2 <= std::min<int64_t>(largest, 8) && use(across, cluster * 2, blocks))
    cluster *= 2;
  while (few() && across * unit > 128 && use(across / 2, cluster, blocks)) across /= 2;
  return true;
}

}  // namespace weft::plan
