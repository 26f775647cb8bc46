// Reductions along rows that are totalled across too, as the gradients of a norm are.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/bundles.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// Bytes of the totals of a row's element.
int64_t total_bytes(const RowProgram& p) {
  int64_t bytes = 0;
  for (auto& acc : p.accumulators)
    if (acc.is_over_points()) bytes += std::max<int64_t>(static_cast<int64_t>(size_of(acc.dtype)), 4);
  return bytes;
}

// Blocks that share a row, and the most threads of each.
struct TotalsShare {
  int64_t cluster = 1, most = kThreads;
  // Bytes that a thread keeps, of `bytes` for each vector.
  int64_t held(int64_t row_vectors, int64_t bytes) const {
    return ceil_divide(row_vectors, most * cluster) * bytes;
  }
};

// Half as many threads with twice as much each leave more registers for what is computed; of more, each has
// to keep less. Blocks of a cluster share rows of which one would fill its multiprocessor's registers.
TotalsShare share_totals(const Facts& facts, int64_t row_vectors, int64_t bytes) {
  TotalsShare share;
  for (;; share.cluster *= 2) {
    share.most = kThreads;
    if (share.held(row_vectors, bytes) <= std::max(facts.kept_bytes, bytes)) break;
    share.most = kThreadsAcrossTotals;
    if (share.held(row_vectors, bytes) <= facts.kept_bytes / 4 * 3 || !facts.has_clusters() ||
        share.cluster == kLargestCluster)
      return share;
  }
  if (share.held(row_vectors, bytes) > facts.kept_bytes) share.most = kThreadsAcrossTotals;
  return share;
}

// Rows that the same threads take one after another: as many as may be added up without a wider dtype, or as
// make all blocks run at once. What blocks leave to be joined shall be a fraction of what they read, as long as
// each multiprocessor has one.
int64_t rows_in_turn(const RowProgram& p, const Facts& facts, const CudaSchedule& s, int threads,
                     int64_t cluster) {
  const int64_t points = p.outer_count();
  const int64_t running = facts.processors * s.threads * s.resident / (threads * cluster);
  const int64_t at_once = std::max<int64_t>(cluster > 1 ? running_in_clusters(running) : running, 1);
  const int64_t waves = ceil_divide(points, at_once * kRunElements);
  const int64_t turns = std::clamp<int64_t>(ceil_divide(points, at_once * waves), 1, kRunElements);
  const int64_t blocks = ceil_divide(points, s.threads / threads) * cluster;
  return std::max(turns, std::min(ceil_divide(blocks, facts.processors), kFewInTurn));
}

// Whether the next row is on its way while one is computed: where it takes its threads long enough, and is not
// copied by single words.
bool is_worth_copying(const RowProgram& p, const Facts& facts, const CudaSchedule& s, int64_t vectors,
                      int64_t row_vectors) {
  const int64_t copied = live_bytes(p) * s.lanes * vectors * s.threads;
  const bool is_long = s.lanes > 1 ? p.row_count() >= kLongCopiedRow || row_vectors >= kLongCopiedVectors
                                   : p.row_count() >= kLongCopiedRow && live_bytes(p) < 8;
  return is_long && copied > 0 &&
         copied * s.resident <= static_cast<int64_t>(facts.target->shared_bytes) / 4 * 3;
}

}  // namespace

Choice choose_totals(const RowProgram& program, const Facts& facts) {
  const int lane = facts.lane_axis;
  const Vectors v{lane, lanes_along(program, facts, lane)};
  const int64_t row_vectors = vectors_of_row(program, v), points = program.outer_count();
  const int64_t totals = total_bytes(program);
  // What all rows share, gains, is in the first-level cache, and registers are for what is a row's.
  RowProgram p = keeping(program, facts.outer == 1 ? 0 : -1);
  CudaSchedule s{.lane_axis = lane, .lanes = v.lanes, .caching = caching_by_size(facts)};
  int64_t bytes = (live_bytes(p) + totals) * v.lanes;
  TotalsShare share = share_totals(facts, row_vectors, bytes);
  std::string where = "rows stay in registers";
  if (share.held(row_vectors, bytes) > facts.kept_bytes) {
    p = loading_again(program);
    s.caching = Caching::Plain;
    bytes = totals * v.lanes;
    share = share_totals(facts, row_vectors, bytes);
    where = "rows are read again";
  }
  const bool bundled = can_bundle(program, facts, v) && row_vectors * bytes <= facts.kept_bytes;
  const int64_t each = std::clamp<int64_t>(facts.kept_bytes / bytes, 1, 4),
                widest = power_of_two_up(row_vectors);
  // Of rows that few could keep, too: neighbours that fill sectors of memory together.
  const int64_t fewest = share.cluster > 1 ? share.most : std::min<int64_t>(widest, v.lanes > 1 ? 2 : 8);
  int64_t threads = std::clamp<int64_t>(power_of_two_up(ceil_divide(row_vectors, each * share.cluster)),
                                        fewest, share.most);
  while (threads < std::min(widest, share.most) && points * threads * share.cluster * 4 <= facts.fill)
    threads *= 2;
  if (bundled) threads = 1;
  Totals shape;
  shape.vectors = static_cast<int>(std::max<int64_t>(ceil_divide(row_vectors, threads * share.cluster), 1));
  // Blocks of many short rows have fewer totals to leave.
  const auto own = static_cast<int>(threads);
  s.threads = std::max(own, own < kWarp ? kThreads : kThreadsOfRows);
  // As many blocks as there are registers for, of all threads' totals and rows and what else they need.
  const int64_t thread_bytes = shape.vectors * bytes + (bundled ? kOtherBytesAlone : kOtherBytes);
  s.resident = static_cast<int>(
      std::max<int64_t>(std::min(kRegisterFile / thread_bytes, kThreadsOf64Registers) / s.threads, 1));
  shape.rows_in_turn = rows_in_turn(p, facts, s, own, share.cluster);
  shape.copied_ahead =
      shape.rows_in_turn > 1 && (bundled ? last_to_read_bundles(p, lane) >= 0
                                         : is_worth_copying(p, facts, s, shape.vectors, row_vectors));
  shape.owner = Threads{own};
  if (bundled) shape.owner = Totals::Bundled{};
  if (share.cluster > 1) shape.owner = Cluster{static_cast<int>(share.cluster)};
  s.reason = fmt::format("rows of {} threads along axis {}, {} in turn, totalled across too, {}", own, lane,
                         shape.rows_in_turn, where);
  if (share.cluster > 1) s.reason += fmt::format(", {} blocks a row", share.cluster);
  s.shape = shape;
  return Scheduled{std::move(p), std::move(s)};
}

}  // namespace weft::plan::cuda
