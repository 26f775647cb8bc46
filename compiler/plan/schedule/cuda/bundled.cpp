// Narrow rows that lie one behind the other: those of a block pass through shared memory as one run.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

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

}  // namespace

// Bytes of the widest row of those that lie one behind the other; 0 where none do.
int64_t CudaScheduler::bundled_bytes(int lane) const {
  if (outer_ != 1 || p_.row.size() != 1 || p_.scans()) return 0;
  int64_t largest = 0;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (auto* buffer = bundled_buffer(p_, s, lane))
      largest = std::max<int64_t>(largest, static_cast<int64_t>(size_of(buffer->dtype)));
  });
  return extent(lane) * largest;
}

// Whether narrow rows lie one behind the other, so many that a thread for each fills the device.
bool CudaScheduler::can_bundle(int lane) const {
  const int64_t bytes = s_.lanes > 1 ? 0 : bundled_bytes(lane);
  return bytes > 0 && extent(lane) > 2 && bytes <= kBundledBytes && p_.outer_count() * 2 > fill_;
}

// Short rows that a few threads each keep in registers, where what a warp reads or writes at once would cover
// parts of sectors only: not where a row is a thread's one vector.
bool CudaScheduler::share_bundled_rows(int lane, int64_t points) {
  const int64_t row = extent(lane), row_bytes = bundled_bytes(lane);
  if (s_.bundled || row < 3 || row == s_.lanes || row_bytes % kSector == 0 ||
      row_bytes > (row_bytes % kWidestAccess == 0 ? kWidestSharedVectors : kWidestSharedRow))
    return false;
  RowProgram kept = p_;
  repeat_cheap_values(kept, false, 4);
  const int64_t bytes = live_bytes(kept);
  if (bytes == 0) return false;
  bool fits = true;
  std::map<int, int64_t> buffers;  // and the bytes of their elements
  for_each_stmt(p_, [&](const Stmt& s) {
    const Index* at = index_of(s);
    if (!at) return;
    if (auto* buffer = bundled_buffer(p_, s, lane))
      buffers[std::holds_alternative<Load>(s) ? std::get<Load>(s).buffer : std::get<Store>(s).buffer] =
          static_cast<int64_t>(size_of(buffer->dtype));
    else
      fits &= at->values.empty() && (stride_along(*at, lane) == 0 || stride_along(*at, 0) == 0);
  });
  const int64_t body = body_statements(kept);
  int64_t element = 1, room = 0;
  for (auto& [buffer, size] : buffers) element = std::max(element, size), room += size;
  const int64_t most = std::min(kElementsOfSharedRow, kept_bytes_ * 5 / 8 / bytes),
                most_conflicts = element < 8 ? 3 : 4;
  auto can_share = [&](int64_t threads) {
    return ceil_divide(row, threads) <= most && bank_conflicts(row, element, threads) <= most_conflicts &&
           kThreadsOfRows / threads * row * room <= kStaticShared;
  };
  int64_t threads = 1;
  while (threads <= kThreadsOfSharedRow && !can_share(threads)) threads *= 2;
  while (threads < kThreadsOfSharedRow && points * threads * 2 < fill_ && can_share(2 * threads))
    threads *= 2;
  const int64_t unroll = ceil_divide(row, threads);
  if (!fits || threads > kThreadsOfSharedRow || points * threads * 4 < fill_ ||
      body * unroll > 2 * most_unrolled_)
    return false;
  p_ = std::move(kept);
  s_.lanes = 1, s_.shifted = false, s_.bundled = true;
  s_.keeper = Keeper::Registers;
  s_.threads_per_row = static_cast<int>(threads);
  s_.unroll = static_cast<int>(unroll);
  s_.resident = unroll * bytes <= kInFlight ? 1024 / kThreadsOfRows : 1;
  return true;
}

}  // namespace weft::plan
