#include "compiler/plan/schedule/cuda/vectors.h"

#include <algorithm>
#include <set>
#include <variant>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::plan::cuda {

using namespace machine;
using namespace tuning;

namespace {

int64_t element_bytes(const RowProgram& p, const Load* load, const Store* store) {
  return static_cast<int64_t>(size_of(p.buffers[load ? load->buffer : store->buffer].dtype));
}

bool any_varies(const Index& at, const std::vector<bool>& varies) {
  return std::ranges::any_of(at.values, [&](auto& t) { return varies[t.value]; });
}

// Lanes of a vector of elements of so many bytes.
int widest(int64_t bytes, const Bias& bias) {
  return static_cast<int>(kWidestAccess / bytes) >> std::max(-bias.width, 0);
}

// Whether each access along the axis is a vector, or a load of which it is known where in a vector it begins.
bool are_vectors(const RowProgram& p, int axis, int width, int transposed, const std::vector<bool>& varies) {
  const bool ragged = p.extent(axis).value % width != 0;
  bool fits = true;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if ((!l && !st) || stride_along(*index_of(s), axis) == 0) return;
    if (l && transposed >= 0 && is_transposed(*l, transposed, axis)) return;
    const int phase = vector_phase(p, *index_of(s), axis, width, varies);
    fits &= phase == 0 || (l && phase > 0 && !ragged);
  });
  return fits;
}

}  // namespace

int64_t Vectors::count(const RowProgram& program) const {
  return vectors_of(program.extent(axis).value, lanes, shifted);
}

int64_t lines(const RowProgram& program, int64_t count, int axis) {
  return count / std::max<int64_t>(program.extent(axis).value, 1);
}

Neighbours neighbours_along(const RowProgram& p, int axis) {
  Neighbours out;
  auto varies = varies_along(p, axis);
  auto count = [&](const Stmt& s, int64_t times) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if (!l && !st) return;
    const Index& at = *index_of(s);
    if (any_varies(at, varies) || std::abs(stride_along(at, axis)) != 1) return;
    const int64_t bytes = times * element_bytes(p, l, st);
    out.bytes += bytes;
    if (st) out.stored += bytes;
  };
  const int64_t row = std::min<int64_t>(p.row_count(), 1 << 20);
  for (auto& sweep : p.sweeps) {
    for (auto& s : sweep.before) count(s, 1);
    for (auto& s : sweep.body) count(s, row);
  }
  for (auto& s : p.epilogue) count(s, 1);
  return out;
}

int axis_of_most_bytes(const RowProgram& p, int first, int last) {
  int best = last - 1;
  int64_t most = -1;
  for (int a = last; a-- > first;) {
    if (p.extent(a).value == 1) continue;
    const Neighbours x = neighbours_along(p, a);
    // Stores that jump cost more than loads that do: half-written sectors are written twice.
    const int64_t score = x.bytes + x.stored;
    if (score > most) most = score, best = a;
  }
  return best;
}

int lanes_along(const RowProgram& p, const Budget& budget, int axis, int transposed, bool flat) {
  // Each thread waits for its own turns, so more of them beat vectors.
  if (has_series(p)) return 1;
  const auto varies = varies_along(p, axis);
  const int64_t extent = p.extent(axis).value;
  int64_t largest = 1;
  bool strided = false, accessed = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if (!l && !st) return;
    const Index& at = *index_of(s);
    const bool by_value = any_varies(at, varies);
    const int64_t stride = stride_along(at, axis);
    if (stride == 0 && (!by_value || flat)) return;
    if (l && transposed >= 0 && is_transposed(*l, transposed, axis)) return;
    accessed = true;
    // Atomic stores are of single elements.
    strided |= by_value || stride != 1 || (st && st->how != Storing::Plain);
    largest = std::max(largest, element_bytes(p, l, st));
  });
  // Strided accesses of neighbouring threads still share sectors when each thread takes one element.
  if (strided) return 1;
  if (!accessed) return extent % kLanesWithoutAccess == 0 ? kLanesWithoutAccess : 1;
  for (int v = widest(largest, budget.bias); v > 1; v /= 2) {
    if (budget.statements * v > budget.most_unrolled) continue;
    // A last vector that is not full is left to per-element accesses; that pays on long axes only.
    if (extent % v != 0 && extent < kVectorsOfRaggedAxis * v) continue;
    if (are_vectors(p, axis, v, transposed, varies)) return v;
  }
  return 1;
}

// Vectors begin before the axis' elements do where these are not aligned and single ones would be as narrow as
// a byte or two, or compute a row that stays: what the first and the last vector hold too much is left out.
// Stores of such vectors are single ones, which pays on long rows.
Vectors vectors_along(const RowProgram& p, const Budget& budget, int axis, bool flat) {
  const Vectors plain{axis, lanes_along(p, budget, axis, -1, flat)};
  const Index* reference = alignment_reference(p, axis);
  if (!reference || p.row.size() > 1 || p.ordered || p.reduces_points() || p.scans()) return plain;
  const auto varies = varies_along(p, axis);
  int64_t largest = 1;
  bool stores = false, fits = true;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    auto* st = std::get_if<Store>(&s);
    if (!l && !st) return;
    const Index& at = *index_of(s);
    fits &= !any_varies(at, varies);
    if (stride_along(at, axis) == 0) return;
    fits &= !l || l->guards.empty();
    stores |= st != nullptr;
    largest = std::max(largest, element_bytes(p, l, st));
  });
  const int width = widest(largest, budget.bias);
  const int64_t narrow = plain.lanes == 1 ? kNarrowElement : kNarrowVector;
  if (!fits || plain.lanes * largest > narrow || width <= plain.lanes ||
      budget.statements * width > budget.most_unrolled ||
      p.extent(axis).value < width * (stores ? kVectorsOfShiftedStores : kVectorsOfShiftedLoads) ||
      (p.row.empty() && largest > 2))
    return plain;
  for_each_stmt(p, [&](const Stmt& s) {
    const Index* at = index_of(s);
    const bool access = std::holds_alternative<Load>(s) || std::holds_alternative<Store>(s);
    if (access && stride_along(*at, axis) != 0) fits &= aligned_alike(p, *at, *reference, axis, width);
  });
  return fits ? Vectors{axis, width, true} : plain;
}

int vectors_in_flight(const RowProgram& p, const Budget& budget, const Vectors& vectors, int64_t most,
                      int64_t bytes) {
  // What several loads read near one place of a buffer comes from memory once.
  int64_t loaded = 1;
  for (auto& sweep : p.sweeps) {
    std::set<int> buffers;
    int64_t of_sweep = 0;
    for (auto& s : sweep.body)
      if (auto* l = std::get_if<Load>(&s)) {
        int64_t size = element_bytes(p, l, nullptr);
        if (stride_along(l->at, vectors.axis) != 0) size *= vectors.lanes;
        of_sweep += buffers.insert(l->buffer).second ? size : size / 4;
      }
    loaded = std::max(loaded, of_sweep);
  }
  const int work = budget.bias.work;
  const int64_t in_flight = work < 0 ? bytes >> -work : bytes << work;
  const int64_t unrolled = std::max<int64_t>(budget.most_unrolled / (budget.statements * vectors.lanes), 1);
  const int64_t wanted = std::clamp<int64_t>(in_flight / loaded, 1, kMostVectorsInFlight);
  return static_cast<int>(std::max<int64_t>(std::min({wanted, most, unrolled}), 1));
}

}  // namespace weft::plan::cuda
