// Narrow rows that lie one behind the other: those of a block pass through shared memory as one run.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/bundles.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

// How many rows of the warp's, each of `threads` neighbours, are at other words of the same bank.
int64_t bank_conflicts(int64_t row, int64_t element, int64_t threads) {
  // Elements of two words are read by half a warp at a time.
  const int64_t together = element > kBankWord ? kBanks * kBankWord / element : kBanks;
  std::array<std::set<int64_t>, kBanks> words;
  size_t most = 0;
  for (int64_t t = 0; t < together; ++t) {
    const int64_t word = (t / threads * row + t % threads) * element / kBankWord;
    auto& bank = words[static_cast<size_t>(word % kBanks)];
    bank.insert(word);
    most = std::max(most, bank.size());
  }
  return static_cast<int64_t>(most);
}

// The bytes of an element of each buffer whose rows are bundled, and whether all other accesses go through
// memory as they are.
struct Bundles {
  std::map<int, int64_t> bytes;
  bool fits = true;
};
Bundles bundles_of(const RowProgram& p, int lane) {
  Bundles out;
  for_each_stmt(p, [&](const Stmt& s) {
    const Index* at = index_of(s);
    if (!at) return;
    if (auto* buffer = bundled_buffer(p, s, lane))
      out.bytes[std::holds_alternative<Load>(s) ? std::get<Load>(s).buffer : std::get<Store>(s).buffer] =
          static_cast<int64_t>(size_of(buffer->dtype));
    else
      out.fits &= at->values.empty() && (stride_along(*at, lane) == 0 || stride_along(*at, 0) == 0);
  });
  return out;
}

Scheduled bundle(RowProgram p, const Facts& facts, const BundledRows& rows, int threads, int resident,
                 const std::string& where) {
  CudaSchedule s = schedule_of_rows(facts, rows, threads, where);
  s.lanes = 1;
  s.resident = resident;
  return {std::move(p), std::move(s)};
}

// A row is a thread's.
Choice choose_row_of_thread(const RowProgram& p, const Facts& facts) {
  const int64_t row = p.extent(facts.lane_axis).value;
  if (!facts.crosses) {
    const int unroll = vectors_in_flight(p, facts, facts.row, row);
    return bundle(p, facts, {1, unroll, false}, kThreads, 1, "nothing crosses sweeps");
  }
  RowProgram kept = keeping(p);
  const int64_t bytes = live_bytes(kept);
  if (bytes > 0 && row <= std::max<int64_t>(facts.kept_bytes / 2 / bytes, 1) &&
      body_statements(kept) * row <= 2 * facts.most_unrolled) {
    // A thread that keeps little waits most of its time for its block's rows.
    const int resident = bytes * row <= kLittleKept ? 8 : 6;
    return bundle(std::move(kept), facts, {1, static_cast<int>(row), true}, kThreads, resident,
                  "rows stay in registers");
  }
  RowProgram once = loading_again(p);
  if (!becomes_one_sweep(once, facts)) return {};
  const int unroll = vectors_in_flight(once, facts, facts.row, row);
  return bundle(std::move(once), facts, {1, unroll, false}, kThreads, 1,
                "sums are rescaled as the largest grows");
}

}  // namespace

// Short rows that a few threads each keep in registers, where what a warp reads or writes at once would cover
// parts of sectors only: not where a row is a thread's one vector.
Choice choose_bundled_rows(const RowProgram& p, const Facts& facts) {
  if (facts.bundles) return choose_row_of_thread(p, facts);
  const int lane = facts.lane_axis;
  const int64_t row = p.extent(lane).value, row_bytes = bundled_bytes(p, lane), points = p.outer_count();
  if (!facts.crosses || row < 3 || row == facts.row.lanes || row_bytes % kSector == 0 ||
      row_bytes > (row_bytes % kWidestAccess == 0 ? kWidestSharedVectors : kWidestSharedRow))
    return {};
  RowProgram kept = keeping(p);
  const int64_t bytes = live_bytes(kept);
  if (bytes == 0) return {};
  const Bundles bundles = bundles_of(p, lane);
  int64_t element = 1, room = 0;
  for (auto& [buffer, size] : bundles.bytes) element = std::max(element, size), room += size;
  const int64_t most = std::min(kElementsOfSharedRow, facts.kept_bytes * 5 / 8 / bytes),
                most_conflicts = element < 8 ? 3 : 4;
  auto can_share = [&](int64_t threads) {
    return ceil_divide(row, threads) <= most && bank_conflicts(row, element, threads) <= most_conflicts &&
           kThreadsOfRows / threads * row * room <= kStaticShared;
  };
  int64_t threads = 1;
  while (threads <= kThreadsOfSharedRow && !can_share(threads)) threads *= 2;
  while (threads < kThreadsOfSharedRow && points * threads * 2 < facts.fill && can_share(2 * threads))
    threads *= 2;
  const int64_t elements = ceil_divide(row, threads);
  if (!bundles.fits || threads > kThreadsOfSharedRow || points * threads * 4 < facts.fill ||
      body_statements(kept) * elements > 2 * facts.most_unrolled)
    return {};
  const int resident = elements * bytes <= kKeptOfManyThreads ? 1024 / kThreadsOfRows : 1;
  return bundle(std::move(kept), facts, {static_cast<int>(threads), static_cast<int>(elements), true},
                kThreadsOfRows, resident, "rows stay in registers");
}

}  // namespace weft::plan::cuda
