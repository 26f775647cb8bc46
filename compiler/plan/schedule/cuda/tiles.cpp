// Transposes: squares of points whose loads run along both axes.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/shapes.h"

namespace weft::plan::cuda {

using namespace tuning;

namespace {

// The axis along which most bytes are contiguous that jump along the lanes', and these bytes of a point.
struct Transposed {
  int axis = -1;
  int64_t bytes = 0;
};
Transposed transposed_loads(const RowProgram& p, const Facts& facts) {
  Transposed best;
  for (int a = 0; a < facts.outer; ++a) {
    if (a == facts.lane_axis || p.extent(a).value < kShortestTransposed ||
        p.extent(facts.lane_axis).value < kShortestTransposed)
      continue;
    int64_t bytes = 0;
    for (auto& s : p.sweeps[0].body)
      if (auto* l = std::get_if<Load>(&s); l && is_transposed(*l, a, facts.lane_axis))
        bytes += static_cast<int64_t>(size_of(p.buffers[l->buffer].dtype));
    if (bytes > best.bytes && bytes * kSmallestTile * (kSmallestTile + 1) <= kJoinBytes) best = {a, bytes};
  }
  return best;
}

// Lanes that all accesses allow, the transposed ones along their own axis.
int lanes_of_tile(const RowProgram& p, const Facts& facts, int axis) {
  const auto varies = varies_along(p, axis);
  int lanes = lanes_along(p, facts, facts.lane_axis, axis);
  for (auto& s : p.sweeps[0].body)
    if (auto* l = std::get_if<Load>(&s); l && is_transposed(*l, axis, facts.lane_axis))
      while (lanes > 1 &&
             (p.extent(axis).value % lanes != 0 || vector_phase(p, l->at, axis, lanes, varies) != 0))
        lanes /= 2;
  return p.extent(facts.lane_axis).value % lanes == 0 ? lanes : 1;
}

}  // namespace

Choice choose_tiles(const RowProgram& p, const Facts& facts) {
  if (p.outer.empty()) return {};
  const Transposed loads = transposed_loads(p, facts);
  if (loads.axis < 0) return {};
  const int64_t length = p.extent(facts.lane_axis).value, width = p.extent(loads.axis).value;
  const int lanes = lanes_of_tile(p, facts, loads.axis);
  // Rows of a line of memory or more, and no more than 16 points a thread, which compile fast; smaller squares
  // where the array, shared memory or the number of blocks asks for it.
  int64_t side = std::max<int64_t>(kSmallestTile * lanes, machine::kCudaLine / loads.bytes);
  side = std::clamp(power_of_two_up(side), kSmallestTile, kLargestTile);
  auto is_too_large = [&](int64_t n) {
    const int64_t blocks =
        ceil_divide(width, n) * ceil_divide(length, n) * (p.outer_count() / width / length);
    return loads.bytes * n * (n + 1) > kJoinBytes ||
           facts.statements * n * n / kThreads > facts.most_unrolled / 2 || n > width || n > length ||
           (n > kTileOfFewBlocks && blocks < 2 * facts.processors);
  };
  while (side > kSmallestTile && is_too_large(side)) side /= 2;
  CudaSchedule s{.shape = Tiles{loads.axis, static_cast<int>(side)}, .lane_axis = facts.lane_axis};
  s.lanes = std::min(lanes, static_cast<int>(side / kSmallestTile));
  s.threads = kThreads;
  s.reason = fmt::format("pointwise, tiles of {} by {} of axes {} and {}: loads run along both", side, side,
                         loads.axis, facts.lane_axis);
  return Scheduled{p, std::move(s)};
}

}  // namespace weft::plan::cuda
