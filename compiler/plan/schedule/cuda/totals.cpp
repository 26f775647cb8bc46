// Reductions along the lanes whose rows are totalled across too, as the gradients of a norm are.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

// Rows that are totalled across too: in registers, with a total for each element beside what is kept. The
// threads of a row take as many rows one after another as may be added up without a wider dtype, or as make
// all blocks run at once.
void CudaScheduler::rows_and_totals(int lane) {
  s_.order = Order::Rows;
  s_.lane_axis = lane;
  s_.lanes = lanes_along(lane);
  const int64_t row_vectors = lines(p_.row_count(), lane) * vectors(lane), points = p_.outer_count();
  int64_t totals = 0;
  for (auto& acc : p_.accumulators)
    if (acc.is_over_points()) totals += std::max<int64_t>(static_cast<int64_t>(size_of(acc.dtype)), 4);
  // What all rows share, gains, is in the first-level cache, and registers are for what is a row's.
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4, outer_ == 1 ? 0 : -1);
  int64_t bytes = (live_bytes(kept) + totals) * s_.lanes, cluster = 1, most = kThreads;
  auto held = [&] { return ceil_divide(row_vectors, most * cluster) * bytes; };
  // Half as many threads with twice as much each leave more registers for what is computed; of more, each has
  // to keep less. Blocks of a cluster share rows of which one would fill its multiprocessor's registers.
  auto share = [&] {
    for (cluster = 1;; cluster *= 2) {
      most = kThreads;
      if (held() <= std::max(kept_bytes_, bytes)) break;
      most = kTotalsThreads;
      if (held() <= kept_bytes_ / 4 * 3 || !has_clusters() || cluster == kLargestCluster) return;
    }
    if (held() > kept_bytes_) most = kTotalsThreads;
  };
  share();
  std::string where = "rows stay in registers";
  if (held() > kept_bytes_) {
    kept = p_;
    repeat_cheap_values(kept, true, 1e30f);
    s_.streaming = false;
    bytes = totals * s_.lanes;
    share();
    where = "rows are read again";
  }
  s_.bundled = can_bundle(lane) && row_vectors * bytes <= kept_bytes_;
  p_ = std::move(kept);
  s_.keeper = Keeper::Registers;
  s_.cluster = static_cast<int>(cluster);
  const int64_t each = std::clamp<int64_t>(kept_bytes_ / bytes, 1, 4), widest = power_of_two_up(row_vectors);
  // Of rows that few could keep, too: neighbours that fill sectors of memory together.
  const int64_t fewest = cluster > 1 ? most : std::min<int64_t>(widest, s_.lanes > 1 ? 2 : 8);
  int64_t threads =
      std::clamp<int64_t>(power_of_two_up(ceil_divide(row_vectors, each * cluster)), fewest, most);
  while (threads < std::min(widest, most) && points * threads * cluster * 4 <= fill_) threads *= 2;
  s_.threads_per_row = static_cast<int>(threads);
  if (s_.bundled) s_.threads_per_row = 1;
  s_.unroll = static_cast<int>(std::max<int64_t>(ceil_divide(row_vectors, s_.threads_per_row * cluster), 1));
  // Blocks of many short rows have fewer totals to leave.
  s_.threads = std::max(s_.threads_per_row, s_.threads_per_row < 32 ? kThreads : kThreadsOfRows);
  s_.rows_per_task = s_.threads / s_.threads_per_row;
  // As many blocks as there are registers for, of all threads' totals and rows and what else they need.
  const int64_t thread_bytes = s_.unroll * bytes + (s_.bundled ? kOtherBytesAlone : kOtherBytes);
  s_.resident = static_cast<int>(
      std::max<int64_t>(std::min(kRegisterFile / thread_bytes, kThreadsOf64Registers) / s_.threads, 1));
  const int64_t running = processors_ * s_.threads * s_.resident / (s_.threads_per_row * cluster);
  const int64_t at_once = std::max<int64_t>(cluster > 1 ? running_in_clusters(running) : running, 1);
  const int64_t waves = ceil_divide(points, at_once * kRunElements);
  s_.walk = std::clamp<int64_t>(ceil_divide(points, at_once * waves), 1, kRunElements);
  // What blocks leave to be joined shall be a fraction of what they read, as long as each multiprocessor has
  // one.
  const int64_t blocks = ceil_divide(points, s_.rows_per_task) * cluster;
  s_.walk = std::max<int64_t>(s_.walk, std::min(ceil_divide(blocks, processors_), kFewInTurn));
  // The next row is on its way while one is computed, where it takes its threads long enough, and is not
  // copied by single words.
  const int64_t copied = live_bytes(p_) * s_.lanes * s_.unroll * s_.threads;
  const bool is_long =
      s_.lanes > 1 ? p_.row_count() >= 64 || row_vectors >= 16 : p_.row_count() >= 64 && live_bytes(p_) < 8;
  const bool fits =
      is_long && copied > 0 && copied * s_.resident <= static_cast<int64_t>(target_.shared_bytes) / 4 * 3;
  s_.ahead = s_.walk > 1 && (s_.bundled ? last_to_read_bundles(p_, lane) >= 0 : fits);
  s_.reason = fmt::format("rows of {} threads along axis {}, {} in turn, totalled across too, {}",
                          s_.threads_per_row, lane, s_.walk, where);
  if (cluster > 1) s_.reason += fmt::format(", {} blocks a row", cluster);
}

}  // namespace weft::plan
