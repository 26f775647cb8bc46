// Maps: vectors along the axis of most neighbours, and blocks of rows for stencils.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/rewrite/flatten.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace tuning;

namespace {

// Whether rows are short and no multiples of the vectors that memory has.
bool has_narrow_rows(const RowProgram& p, const Vectors& v) {
  const int64_t largest = largest_element(p);
  return (p.extent(1).value <= kNarrowRowElements || largest >= 4) &&
         p.outer_count() >= kFewestPointsOfNarrowRows &&
         (v.shifted || v.lanes == 1 || v.lanes * largest <= kNarrowVector);
}

// Whether an element's arithmetic takes about as long as its bytes, and has roots or quotients.
bool is_busy(const RowProgram& p, const Vectors& v) {
  float work = 0;
  int64_t bytes = 0;
  bool divides = false;
  const auto varies = varies_along(p, v.axis);
  for (auto& s : p.sweeps[0].body) {
    if (auto* l = std::get_if<Let>(&s)) {
      work += cost_of(*l);
      divides |= (l->op == ir::Op::divide || l->op == ir::Op::sqrt) && p.values[l->out].dtype == DType::F32 &&
                 std::ranges::all_of(l->args, [&](Value a) { return varies[a]; });
    }
    auto* load = std::get_if<Load>(&s);
    auto* store = std::get_if<Store>(&s);
    if (load || store)
      bytes += static_cast<int64_t>(size_of(p.buffers[load ? load->buffer : store->buffer].dtype));
  }
  return divides && work >= kBusyWork * static_cast<float>(bytes);
}

// How many rows, one below the other, a thread computes from rows that it reads once.
int rows_of_stencil(const RowProgram& p, const Facts& facts, const Vectors& v, int down, int64_t most) {
  int64_t each = 0;
  std::set<int> buffers;
  for (auto& s : p.sweeps[0].body)
    if (auto* l = std::get_if<Load>(&s)) {
      const auto size = std::max<int64_t>(static_cast<int64_t>(size_of(p.buffers[l->buffer].dtype)), 4);
      // A buffer's rows are there once with their neighbours to both sides; what guards keep apart is not
      // shared.
      const bool shared = l->guards.empty() && l->at.values.empty() && stride_along(l->at, down) != 0;
      if (!shared || buffers.insert(l->buffer).second) each += size * v.lanes * (shared ? 3 : 1);
    }
  int rows = 1;
  while (rows * 2 <= most && each * (rows * 2 + 2) <= facts.kept_bytes &&
         facts.statements * v.lanes * rows * 2 <= facts.most_unrolled)
    rows *= 2;
  return rows;
}

// Whether a buffer is read at several places near each other on the axis, as stencils do. What neighbouring
// rows share then is read once by a thread, or comes from a block's own cache.
bool reads_neighbours(const RowProgram& p, int axis) {
  auto& body = p.sweeps[0].body;
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

// Vectors of a map, and the program, whose narrow rows become one where that pays.
Vectors vectors_of_map(RowProgram& p, const Facts& facts) {
  if (p.outer.empty()) return {0, 1};
  const Vectors v = vectors_along(p, facts, facts.lane_axis);
  if (facts.outer != 2 || v.axis != 1 || !has_narrow_rows(p, v) || !flatten_rows(p)) return v;
  return vectors_along(p, facts, 0, true);
}

}  // namespace

Choice choose_maps(const RowProgram& program, const Facts& facts) {
  RowProgram p = program;
  const Vectors v = vectors_of_map(p, facts);
  const int outer = static_cast<int>(p.outer.size());
  const int64_t points = outer == 0 ? 1 : lines(p, p.outer_count(), v.axis) * v.count(p);
  const int64_t each = points / facts.fill;
  Maps maps{.shifted = v.shifted};
  maps.vectors = vectors_in_flight(p, facts, v, std::max<int64_t>(each, 1), kPointBytes);
  CudaSchedule s{.lane_axis = v.axis, .lanes = v.lanes};
  s.threads =
      static_cast<int>(std::clamp<int64_t>(round_up(points, machine::kWarp), machine::kWarp, kThreads));
  s.reason = fmt::format("pointwise, {} lanes along axis {}", s.lanes, s.lane_axis);
  if (v.lanes >= kLanesOfDivision && is_busy(p, v)) {
    maps.divides_at_once = true;
    // More registers for each, of which smaller blocks leave fewer unused.
    s.threads = std::min(s.threads, kThreads / 2);
  }
  s.shape = maps;
  const int down = v.axis == outer - 1 ? outer - 2 : outer - 1;
  if (!v.shifted && down >= 0 && v.count(p) >= kWidthOfStencil && p.extent(down).value >= kHeightOfStencil &&
      reads_neighbours(p, down)) {
    Stencils stencils{.divides_at_once = maps.divides_at_once};
    stencils.across = static_cast<int>(std::min(power_of_two_up(v.count(p)), kAcrossStencil));
    stencils.rows = rows_of_stencil(p, facts, v, down, std::min(each, kRowsOfStencil));
    s.threads = kThreads;
    s.shape = stencils;
    s.reason += fmt::format(", blocks of {} rows", kThreads / stencils.across * stencils.rows);
  }
  return Scheduled{std::move(p), std::move(s)};
}

}  // namespace weft::plan::cuda
