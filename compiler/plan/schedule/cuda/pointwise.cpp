// Maps: vectors along the axis of most neighbours, blocks of rows for stencils, squares for transposes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/rewrite/flatten.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

void CudaScheduler::pointwise() {
  s_.order = Order::Pointwise;
  // One kernel's outputs are often the next one's inputs, and to pass the cache by is no faster.
  s_.streaming = false;
  s_.lane_axis = outer_ == 0 ? 0 : best_axis(0, outer_);
  if (outer_ > 0 && choose_tile()) return;
  if (outer_ > 0)
    choose_lanes(s_.lane_axis);
  else
    s_.lanes = 1;
  if (outer_ == 2 && s_.lane_axis == 1 && has_narrow_rows() && flatten_rows(p_)) {
    outer_ = 1;
    flat_ = true;
    s_.lane_axis = 0;
    s_.shifted = false;
    choose_lanes(0);
  }
  int64_t points = outer_ == 0 ? 1 : lines(p_.outer_count(), s_.lane_axis) * vectors(s_.lane_axis);
  s_.unroll = unroll_for(std::max<int64_t>(points / fill_, 1), kPointBytes);
  s_.threads = static_cast<int>(std::clamp<int64_t>(round_up(points, 32), 32, kThreads));
  s_.reason = fmt::format("pointwise, {} lanes along axis {}", s_.lanes, s_.lane_axis);
  if (s_.lanes >= 4 && is_busy()) {
    s_.at_once = true;
    // More registers for each, of which smaller blocks leave fewer unused.
    s_.threads = std::min(s_.threads, kThreads / 2);
  }
  int down = s_.lane_axis == outer_ - 1 ? outer_ - 2 : outer_ - 1;
  if (!s_.shifted && down >= 0 && vectors(s_.lane_axis) >= 32 && extent(down) >= 8 &&
      reads_neighbours(down)) {
    s_.threads = kThreads;
    s_.threads_per_row = static_cast<int>(std::min<int64_t>(power_of_two_up(vectors(s_.lane_axis)), 128));
    s_.unroll = rows_together(down, static_cast<int>(std::min<int64_t>(points / fill_, 4)));
    s_.rows_per_task = kThreads / s_.threads_per_row * s_.unroll;
    s_.reason += fmt::format(", blocks of {} rows", s_.rows_per_task);
  }
}

// Whether rows are short and no multiples of the vectors that memory has.
bool CudaScheduler::has_narrow_rows() const {
  int64_t largest = 1;
  for (auto& b : p_.buffers) largest = std::max<int64_t>(largest, static_cast<int64_t>(size_of(b.dtype)));
  return (extent(1) <= kNarrowRowElements || largest >= 4) && p_.outer_count() >= 64 * 16 &&
         (s_.shifted || s_.lanes == 1 || s_.lanes * largest <= 4);
}

// Whether an element's arithmetic takes about as long as its bytes, and has roots or quotients.
bool CudaScheduler::is_busy() const {
  float work = 0;
  int64_t bytes = 0;
  bool checked = false;
  const auto varies = varies_along(p_, s_.lane_axis);
  for (auto& s : p_.sweeps[0].body) {
    if (auto* l = std::get_if<Let>(&s)) {
      work += info(l->op).cost;
      checked |= (l->op == ir::Op::divide || l->op == ir::Op::sqrt) &&
                 p_.values[l->out].dtype == DType::F32 &&
                 std::ranges::all_of(l->args, [&](Value v) { return varies[v]; });
    }
    auto* load = std::get_if<Load>(&s);
    auto* store = std::get_if<Store>(&s);
    if (load || store)
      bytes += static_cast<int64_t>(size_of(p_.buffers[load ? load->buffer : store->buffer].dtype));
  }
  return checked && work >= kBusyWork * static_cast<float>(bytes);
}

// How many rows, one below the other, a thread computes from rows that it reads once.
int CudaScheduler::rows_together(int down, int most) const {
  int64_t each = 0;
  std::set<int> buffers;
  for (auto& s : p_.sweeps[0].body)
    if (auto* l = std::get_if<Load>(&s)) {
      const auto size = std::max<int64_t>(static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype)), 4);
      // A buffer's rows are there once with their neighbours to both sides; what guards keep apart is not
      // shared.
      const bool shared = l->guards.empty() && l->at.values.empty() && stride_along(l->at, down) != 0;
      if (!shared || buffers.insert(l->buffer).second) each += size * s_.lanes * (shared ? 3 : 1);
    }
  int rows = 1;
  while (rows * 2 <= most && each * (rows * 2 + 2) <= kept_bytes_ &&
         statements_ * s_.lanes * rows * 2 <= most_unrolled_)
    rows *= 2;
  return rows;
}

// Whether a buffer is read at several places near each other on the axis, as stencils do. What neighbouring
// rows share then is read once by a thread, or comes from a block's own cache.
bool CudaScheduler::reads_neighbours(int axis) const {
  auto& body = p_.sweeps[0].body;
  for (auto& a : body)
    for (auto& b : body) {
      auto* x = std::get_if<Load>(&a);
      auto* y = std::get_if<Load>(&b);
      if (!x || !y || x->buffer != y->buffer || !x->at.values.empty() || !y->at.values.empty()) continue;
      const int64_t stride = std::abs(stride_along(x->at, axis));
      const int64_t apart = y->at.offset.value - x->at.offset.value;
      if (stride > 1 && stride_along(y->at, axis) == stride_along(x->at, axis) && apart > stride / 2 &&
          apart < stride * 8)
        return true;
    }
  return false;
}

// Loads that are contiguous along another axis than the lanes' go through shared memory.
bool CudaScheduler::choose_tile() {
  int best = -1;
  int64_t most = 0;
  for (int a = 0; a < outer_; ++a) {
    if (a == s_.lane_axis || extent(a) < 32 || extent(s_.lane_axis) < 32) continue;
    int64_t bytes = 0;
    for (auto& s : p_.sweeps[0].body)
      if (auto* l = std::get_if<Load>(&s); l && is_transposed(*l, a, s_.lane_axis))
        bytes += static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype));
    if (bytes > most && bytes * 16 * 17 <= kJoinBytes) most = bytes, best = a;
  }
  if (best < 0) return false;
  const auto varies = varies_along(p_, best);
  s_.lanes = lanes_along(s_.lane_axis, best);
  for (auto& s : p_.sweeps[0].body)
    if (auto* l = std::get_if<Load>(&s); l && is_transposed(*l, best, s_.lane_axis))
      while (s_.lanes > 1 &&
             (extent(best) % s_.lanes != 0 || vector_phase(p_, l->at, best, s_.lanes, varies) != 0))
        s_.lanes /= 2;
  if (extent(s_.lane_axis) % s_.lanes != 0) s_.lanes = 1;
  // Rows of 128 bytes or more, and no more than 16 points a thread, which compile fast; smaller squares
  // where the array, shared memory or the number of blocks asks for it.
  s_.tile = std::max<int>(16 * s_.lanes, static_cast<int>(128 / most));
  s_.tile = static_cast<int>(std::clamp<int64_t>(power_of_two_up(s_.tile), 16, 64));
  auto too_large = [&](int64_t tile) {
    const int64_t across = ceil_divide(extent(best), tile), along = ceil_divide(extent(s_.lane_axis), tile);
    const int64_t blocks = across * along * (p_.outer_count() / extent(best) / extent(s_.lane_axis));
    return most * tile * (tile + 1) > kJoinBytes ||
           statements_ * tile * tile / kThreads > most_unrolled_ / 2 || tile > extent(best) ||
           tile > extent(s_.lane_axis) || (tile > 32 && blocks < 2 * processors_);
  };
  while (s_.tile > 16 && too_large(s_.tile)) s_.tile /= 2;
  s_.lanes = std::min(s_.lanes, s_.tile / 16);
  s_.tile_axis = best;
  s_.threads = kThreads;
  s_.unroll = s_.tile * s_.tile / (kThreads * s_.lanes);
  s_.reason = fmt::format("pointwise, tiles of {} by {} of axes {} and {}: loads run along both", s_.tile,
                          s_.tile, best, s_.lane_axis);
  return true;
}

}  // namespace weft::plan
