// What accesses look like along an axis, and so which one lanes run along, and how many.
#include <algorithm>
#include <set>
#include <variant>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_scheduler.h"

namespace weft::plan {

CudaScheduler::Along CudaScheduler::along(int axis) const {
  Along out;
  auto varies = varies_along(p_, axis);
  auto count = [&](const Stmt& s, int64_t times) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if (!l && !st) return;
    const Index& at = *index_of(s);
    for (auto& t : at.values)
      if (varies[t.value]) return;
    if (std::abs(stride_along(at, axis)) != 1) return;
    int64_t bytes = times * static_cast<int64_t>(size_of(p_.buffers[l ? l->buffer : st->buffer].dtype));
    out.near += bytes;
    if (st) out.near_stores += bytes;
  };
  const int64_t row = std::min<int64_t>(p_.row_count(), 1 << 20);
  for (auto& sweep : p_.sweeps) {
    for (auto& s : sweep.before) count(s, 1);
    for (auto& s : sweep.body) count(s, row);
  }
  for (auto& s : p_.epilogue) count(s, 1);
  return out;
}

// The axis of [first, last) along which most bytes are neighbours; the last one where nothing tells.
int CudaScheduler::best_axis(int first, int last) const {
  int best = last - 1;
  int64_t most = -1;
  for (int a = last; a-- > first;) {
    if (extent(a) == 1) continue;
    Along x = along(a);
    // Stores that jump cost more than loads that do: half-written sectors are written twice.
    int64_t score = x.near + x.near_stores;
    if (score > most) most = score, best = a;
  }
  return best;
}

// The widest vectors along the lane axis that all accesses allow: 16 bytes of the largest dtype. Loads that
// are contiguous along `tile_axis` instead are left out.
int CudaScheduler::lanes_along(int axis, int tile_axis) const {
  auto varies = varies_along(p_, axis);
  int64_t largest = 1;
  bool strided = false, touches = false;
  for_each_stmt(p_, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if (!l && !st) return;
    const Index& at = *index_of(s);
    bool by_value = std::any_of(at.values.begin(), at.values.end(), [&](auto& t) { return varies[t.value]; });
    int64_t stride = stride_along(at, axis);
    if (stride == 0 && (!by_value || flat_)) return;
    if (l && tile_axis >= 0 && is_transposed(*l, tile_axis, s_.lane_axis)) return;
    touches = true;
    // Atomic stores are of single elements.
    strided |= by_value || stride != 1 || (st && st->how != Storing::Plain);
    largest = std::max(largest, static_cast<int64_t>(size_of(p_.buffers[l ? l->buffer : st->buffer].dtype)));
  });
  // Strided accesses of neighbouring threads still share sectors when each thread takes one element.
  if (strided) return 1;
  if (!touches) return extent(axis) % 4 == 0 ? 4 : 1;
  for (int v = static_cast<int>(16 / largest) >> std::max(-bias_.width, 0); v > 1; v /= 2) {
    if (statements_ * v > most_unrolled_) continue;
    // A last vector that is not full is left to per-element accesses; that pays on long axes only.
    bool ragged = extent(axis) % v != 0;
    if (ragged && extent(axis) < 64 * v) continue;
    bool fits = true;
    for_each_stmt(p_, [&](const Stmt& s) {
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if ((!l && !st) || stride_along(*index_of(s), axis) == 0) return;
      if (l && tile_axis >= 0 && is_transposed(*l, tile_axis, s_.lane_axis)) return;
      int phase = vector_phase(p_, *index_of(s), axis, v, varies);
      fits &= phase == 0 || (l && phase > 0 && !ragged);
    });
    if (fits) return v;
  }
  return 1;
}

// Lanes along an axis, whose vectors begin before its elements do where these are not aligned and single
// ones would be as narrow as a byte or two, or compute a row that stays: what the first and the last vector
// hold too much is left out. Stores of such vectors are single ones, which pays on long rows.
void CudaScheduler::choose_lanes(int axis) {
  s_.lanes = lanes_along(axis);
  const Index* reference = alignment_reference(p_, axis);
  if (!reference || p_.row.size() > 1 || p_.ordered || p_.reduces_points() || p_.scans()) return;
  const auto varies = varies_along(p_, axis);
  int64_t largest = 1;
  bool stores = false, fits = true;
  for_each_stmt(p_, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if (!l && !st) return;
    const Index& at = *index_of(s);
    fits &= std::ranges::none_of(at.values, [&](auto& t) { return varies[t.value]; });
    if (stride_along(at, axis) == 0) return;
    fits &= !l || l->guards.empty();
    stores |= st != nullptr;
    largest = std::max(largest, static_cast<int64_t>(size_of(p_.buffers[l ? l->buffer : st->buffer].dtype)));
  });
  const int width = static_cast<int>(16 / largest) >> std::max(-bias_.width, 0);
  const int64_t narrow = s_.lanes == 1 ? 8 : 4;
  if (!fits || s_.lanes * largest > narrow || width <= s_.lanes || statements_ * width > most_unrolled_ ||
      extent(axis) < width * (stores ? 16 : 3) || (p_.row.empty() && largest > 2))
    return;
  for_each_stmt(p_, [&](const Stmt& s) {
    const Index* at = index_of(s);
    const bool access = std::holds_alternative<Load>(s) || std::holds_alternative<Store>(s);
    if (access && stride_along(*at, axis) != 0) fits &= aligned_alike(p_, *at, *reference, axis, width);
  });
  if (fits) s_.lanes = width, s_.shifted = true;
}

// Vectors in flight in one thread: enough bytes, but neither more code nor more registers than pay.
int CudaScheduler::unroll_for(int64_t most, int64_t in_flight) const {
  // What several loads read near one place of a buffer comes from memory once.
  int64_t loaded = 1;
  for (auto& sweep : p_.sweeps) {
    std::set<int> buffers;
    int64_t bytes = 0;
    for (auto& s : sweep.body)
      if (auto* l = std::get_if<Load>(&s)) {
        auto size = static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype));
        if (stride_along(l->at, s_.lane_axis) != 0) size *= s_.lanes;
        bytes += buffers.insert(l->buffer).second ? size : size / 4;
      }
    loaded = std::max(loaded, bytes);
  }
  in_flight = bias_.work < 0 ? in_flight >> -bias_.work : in_flight << bias_.work;
  int64_t unroll = std::clamp<int64_t>(in_flight / loaded, 1, 8);
  unroll = std::min({unroll, most, std::max<int64_t>(most_unrolled_ / (statements_ * s_.lanes), 1)});
  return static_cast<int>(std::max<int64_t>(unroll, 1));
}

int64_t CudaScheduler::vectors(int axis) const {
  return s_.shifted ? (extent(axis) + 2 * s_.lanes - 2) / s_.lanes : ceil_divide(extent(axis), s_.lanes);
}

}  // namespace weft::plan
