// Rows that stay in the shared memory of a block, or of each block of a cluster.
#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

// Several blocks share a row that is too long for one, or would leave a multiprocessor to one block, which
// reads, computes and writes in turn. Two blocks wait for each other little; where it takes more of them,
// smaller parts and more of them at once make up for the waiting.
Choice choose_shared_rows(const RowProgram& program, const Facts& facts) {
  if (!facts.crosses) return {};
  const int64_t row_vectors = vectors_of_row(program, facts.row);
  RowProgram kept = keeping(program);
  const int64_t bytes = shared_places(kept).element_bytes() * facts.row.lanes * row_vectors;
  const auto most = static_cast<int64_t>(facts.target->shared_bytes) - kStaticJoins;
  if (bytes == 0) return {};
  SharedRows rows{.shifted = facts.row.shifted};
  int64_t block = 0, resident = 1;
  auto use = [&](int64_t cluster, int64_t blocks, int64_t threads) {
    if (bytes > most / blocks * cluster) return false;
    rows.cluster = static_cast<int>(cluster);
    rows.copied_ahead = true;
    block = std::clamp<int64_t>(power_of_two_up(row_vectors), kWarp, threads);
    rows.vectors = facts.statements * facts.row.lanes <= facts.most_unrolled / kSmallBody ? 2 : 1;
    // Few registers, so that all the blocks that shared memory has room for do run.
    if (rows.vectors == 2) resident = blocks;
    return true;
  };
  // A row is scanned by one block. Values of 8 bytes take twice the registers.
  const bool several = facts.has_clusters() && !program.scans(), wide = live_bytes(kept) >= 8;
  const int64_t points = program.outer_count(), threads = wide ? 256 : 512, few = wide ? 128 : 256;
  const bool shared =
      several && (use(1, kKeepingBlocks, threads) || use(2, kKeepingBlocks, threads) ||
                  use(4, 2 * kKeepingBlocks, few) || use(8, 2 * kKeepingBlocks, few) ||
                  use(8, kKeepingBlocks, 256) || use(16, kKeepingBlocks, threads) ||
                  (points * 2 <= facts.processors && !is_worth_device(program, facts, row_vectors, points) &&
                   use(16, 1, threads)));
  if (!shared) {
    if (several || bytes > most) return {};
    const RowThreads t = threads_of_row(program, facts);
    block = std::max<int64_t>(t.threads, kWarp);
    rows.vectors = t.vectors;
  }
  rows.vectors = static_cast<int>(std::clamp<int64_t>(ceil_divide(row_vectors, block), 1, rows.vectors));
  CudaSchedule s = schedule_of_rows(facts, rows, static_cast<int>(block), "rows stay in shared memory");
  s.resident = static_cast<int>(resident);
  return Scheduled{std::move(kept), std::move(s)};
}

}  // namespace weft::plan::cuda
