// Rows that stay in registers: of a part of a warp, a warp or a block.
#include <algorithm>

#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// Threads of a row of which a thread keeps at most `most` vectors, each of `bytes` that stay.
int64_t threads_that_keep(const RowProgram& p, const Facts& facts, int64_t row_vectors, int64_t bytes,
                          int64_t most) {
  const int lanes = facts.row.lanes;
  // 64 bytes a thread, or a warp for each row while that is enough: fewer are too few in flight, and joining
  // more threads takes longer. Two blocks of 512 threads, each at its own place in a row, keep a
  // multiprocessor busier than one of 1024.
  const int64_t each = std::min(most, std::clamp<int64_t>(kInFlight / bytes, 4, 16));
  int64_t threads = power_of_two_up(ceil_divide(row_vectors, each));
  if (threads > kWarp && ceil_divide(row_vectors, kWarp) <= std::min<int64_t>(most, 8)) threads = kWarp;
  // Neighbours that fill a sector together: half-written ones cost twice. Rows of half a sector or less lie
  // so close that threads of a row each do it, too, without joining.
  const int64_t vector_bytes = largest_element(p) * lanes;
  if (row_vectors * vector_bytes > kSector / 2)
    threads = std::max(
        threads, std::min(power_of_two_up(row_vectors), power_of_two_up(ceil_divide(kSector, vector_bytes))));
  // Half as much of four or fewer lanes is in flight for longer, where it fits, and compiles faster.
  if (lanes <= 4 && threads > kWarp && threads <= 256 && row_vectors == threads * 4) threads *= 2;
  return threads >= 1024 ? 512 : threads;
}

}  // namespace

Choice choose_register_rows(const RowProgram& program, const Facts& facts) {
  if (!facts.crosses || facts.bundles) return {};
  const int lanes = facts.row.lanes;
  const int64_t row_vectors = vectors_of_row(program, facts.row), points = program.outer_count();
  RowProgram kept = keeping(program);
  const int64_t element_bytes = live_bytes(kept), bytes = element_bytes * lanes;
  if (bytes == 0) return {};
  const int64_t most = std::max<int64_t>(facts.kept_bytes / 2 / bytes, 1);
  int64_t threads = threads_that_keep(program, facts, row_vectors, bytes, most);
  int64_t each = ceil_divide(row_vectors, threads);
  // Rows of a little more than three quarters of what their threads have room for leave the last vectors to
  // few of them, which takes as long as the others. Half the threads leave less room, where they are enough
  // and still read whole lines of memory; single halves take so long that they need not.
  const int64_t fewer = std::max<int64_t>(threads / 2, 1), longer = ceil_divide(row_vectors, fewer);
  const bool halves = threads == kThreadsOfHalves && element_bytes == 2;
  if ((threads >= kManyThreads || halves) && longer <= most && points * fewer * 4 >= facts.fill &&
      longer * fewer * 8 <= threads * each * 7)
    threads = fewer, each = longer;
  // 64 registers take so many elements and what is computed of them.
  if (each > most || (threads == 512 && each * lanes > kElementsOf64Registers)) return {};
  if (body_statements(kept) * each * lanes > 2 * facts.most_unrolled) return {};
  int64_t resident = 1;
  // 64 registers are enough for a thread that keeps little, and leave room for 1024 such threads.
  if (each * bytes <= kKeptOfManyThreads || threads == 512)
    resident = kThreadsOf64Registers / std::max<int64_t>(threads, kThreadsOfRows);
  if (threads == 512 && each * bytes <= kKeptOfManyThreads / 2) resident = 4;
  const int block = block_of_rows(static_cast<int>(threads));
  if (threads == 1) resident = (resident + 1) / 2;
  const RegisterRows rows{Threads{static_cast<int>(threads)}, static_cast<int>(each), facts.row.shifted};
  CudaSchedule s = schedule_of_rows(facts, rows, block, "rows stay in registers");
  s.resident = static_cast<int>(resident);
  return Scheduled{std::move(kept), std::move(s)};
}

}  // namespace weft::plan::cuda
