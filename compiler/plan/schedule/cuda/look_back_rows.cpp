// Look-back scans: blocks take parts of rows in order.
#include "compiler/plan/rewrite/look_back.h"

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace tuning;

// Parts of rows that are too few for the device: a block scans each, from what lies before it. It keeps what it
// reads, or takes it from the cache again.
Choice choose_look_back_rows(const RowProgram& program, const Facts& facts) {
  if (facts.crosses || !program.scans() || program.sweeps.size() != 1 || program.accumulators.size() != 1)
    return {};
  const int64_t row_vectors = vectors_of_row(program, facts.row), points = program.outer_count();
  const RowThreads t = threads_of_row(program, facts);
  int64_t unroll = std::clamp<int64_t>(ceil_divide(row_vectors, t.threads), 1, t.vectors);
  if (points * kLookBackThreads * 2 > facts.fill || row_vectors < 4 * kLookBackThreads * unroll) return {};
  RowProgram p = program;
  total_parts_first(p);
  RowProgram kept = keeping(p);
  const int64_t bytes = shared_places(kept).element_bytes() * facts.row.lanes;
  const int64_t room = (static_cast<int64_t>(facts.target->shared_bytes) / kKeepingBlocks - kStaticJoins) /
                       std::max<int64_t>(bytes, 4);
  if (room < kLookBackThreads * unroll) unroll = 1;
  const int64_t step = kLookBackThreads * unroll;
  int64_t part = ceil_divide(row_vectors * points, facts.processors);
  part = std::clamp<int64_t>(part / step * step, step, std::max<int64_t>(room / step, 1) * step);
  LookBackRows rows{ceil_divide(row_vectors, part), static_cast<int>(unroll), false, facts.row.shifted};
  if (rows.parts == 1) return {};
  if (bytes == 0)
    return Scheduled{std::move(p), schedule_of_rows(facts, rows, kLookBackThreads, "parts of it in turn")};
  if (room < step) {
    CudaSchedule s = schedule_of_rows(facts, rows, kLookBackThreads,
                                      "parts of it in turn, each read again from the cache");
    s.caching = Caching::Plain;
    return Scheduled{loading_again(p), std::move(s)};
  }
  rows.in_shared = true;
  CudaSchedule s =
      schedule_of_rows(facts, rows, kLookBackThreads, "parts of it in turn, each in shared memory");
  s.resident = kKeepingBlocks;
  return Scheduled{std::move(kept), std::move(s)};
}

}  // namespace weft::plan::cuda
