// Rows that are too few for the device: blocks of a cluster, or all blocks that run at once, share each in
// registers.
#include <algorithm>

#include "compiler/machine/feasible.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

struct ClusterShare {
  int64_t blocks = kSharersOfFewRows, threads = kThreads;
  int64_t vectors(int64_t row) const { return ceil_divide(row, blocks * threads); }  // of a thread
};

// Twice the blocks with half as many vectors each begin to store sooner, while all of them run at once.
ClusterShare share_few(const RowProgram& kept, const Facts& facts, int64_t row_vectors, int64_t most) {
  const int64_t points = kept.outer_count(), bytes = live_bytes(kept);
  ClusterShare share;
  auto is_better_halved = [&] {
    const int64_t each = share.vectors(row_vectors), blocks = points * share.blocks * 2;
    if (blocks <= facts.processors) return each > kVectorsWorthHalving;
    return each > kVectorsWorthMoreBlocks && share.blocks < kPortableCluster && bytes < 8 &&
           blocks <= 4 * facts.processors;
  };
  while (share.blocks < kLargestCluster && (share.vectors(row_vectors) > most || is_better_halved()))
    share.blocks *= 2;
  if (share.vectors(row_vectors) > most) share.threads *= 2;
  return share;
}

}  // namespace

// Four blocks of a cluster and more share each, so that everything is asked for at once. Waiting for each
// other costs them as much as a few vectors more do.
Choice choose_few_rows(const RowProgram& program, const Facts& facts) {
  const int64_t row_vectors = vectors_of_row(program, facts.row), points = program.outer_count();
  if (!facts.crosses || !facts.has_clusters() || program.scans() ||
      points * kSharersOfFewRows > 2 * facts.processors || row_vectors <= kVectorsOfFewRows * kThreads)
    return {};
  RowProgram kept = keeping(program);
  const int64_t element_bytes = live_bytes(kept), bytes = element_bytes * facts.row.lanes;
  if (bytes == 0) return {};
  const int64_t most = std::min(facts.kept_bytes / 2 / bytes, kVectorsOfFewRows);
  const ClusterShare share = share_few(kept, facts, row_vectors, most);
  const int64_t each = share.vectors(row_vectors), blocks = points * share.blocks;
  // A GPC has no room for half a cluster, so that an eighth of the blocks that it could run stay idle, and some
  // clusters would have to wait for others to end.
  const bool fills = share.threads > kThreads || element_bytes >= 8;
  if (fills && share.blocks > kSharersOfFewRows && blocks > running_in_clusters(2 * facts.processors))
    return {};
  // All of them at once, with 128 registers for each thread, or with 64, which hold so many elements and what
  // is computed of them.
  const int64_t room =
      (each * facts.row.lanes <= kElementsOf64Registers ? 4 : 2) * facts.processors * kThreads;
  if (each > most || blocks * share.threads > room ||
      body_statements(kept) * each * facts.row.lanes > 2 * facts.most_unrolled)
    return {};
  const RegisterRows rows{Cluster{static_cast<int>(share.blocks)}, static_cast<int>(each), facts.row.shifted};
  CudaSchedule s = schedule_of_rows(facts, rows, static_cast<int>(share.threads), "rows stay in registers");
  s.resident = static_cast<int>(ceil_divide(blocks, facts.processors));
  return Scheduled{std::move(kept), std::move(s)};
}

DeviceShare share_device(const Facts& facts, int64_t row_vectors, int64_t points, bool in_registers) {
  DeviceShare share;
  // Fewer blocks have fewer others to hear from; where rows have few of them, smaller ones wait for each
  // other less.
  share.resident = points > kRowsOfLargeBlocks && facts.bias.frugal == 0 ? 2 : 1;
  share.threads = 2 * kThreads / share.resident;
  const int64_t most =
      std::min(facts.processors * share.resident / points, ceil_divide(row_vectors, share.threads));
  share.blocks = std::min(most, share.threads);
  share.vectors = ceil_divide(row_vectors, share.threads * share.blocks);
  if (in_registers) share.blocks = ceil_divide(row_vectors, share.threads * share.vectors);
  return share;
}

// Rows that are too long, or too many, for clusters to keep them in registers, but not for the whole device.
Choice choose_device_rows(const RowProgram& program, const Facts& facts) {
  const int64_t row_vectors = vectors_of_row(program, facts.row), points = program.outer_count();
  if (!facts.crosses || !is_worth_device(program, facts, row_vectors, points)) return {};
  // One reading is enough for them.
  if (RowProgram once = loading_again(program); becomes_one_sweep(once, facts)) return {};
  RowProgram kept = keeping(program);
  const int64_t bytes = live_bytes(kept) * facts.row.lanes;
  if (bytes == 0) return {};
  const DeviceShare share = share_device(facts, row_vectors, points, true);
  const int64_t elements = share.vectors * facts.row.lanes;
  if (share.blocks <= 1 || share.vectors * bytes > facts.kept_bytes || elements > kElementsAcrossDevice ||
      body_statements(kept) * elements > 2 * facts.most_unrolled)
    return {};
  const RegisterRows rows{Device{static_cast<int>(share.blocks)}, static_cast<int>(share.vectors),
                          facts.row.shifted};
  CudaSchedule s = schedule_of_rows(facts, rows, static_cast<int>(share.threads), "rows stay in registers");
  s.resident = static_cast<int>(share.resident);
  return Scheduled{std::move(kept), std::move(s)};
}

}  // namespace weft::plan::cuda
