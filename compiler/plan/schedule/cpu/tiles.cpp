// Maps that read another axis's neighbours: squares of them are transposed, along as many lanes as their rows
// leave room for in the first-level cache.
#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cpu_access.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

using namespace tuning;

namespace {

struct Square {
  int axis = -1, side = 0;
};

// The axis that most bytes of transposed loads run along, and a side of as many elements as fill a vector.
Square square_of(const RowProgram& p, const Facts& f) {
  Square square;
  int64_t most = 0;
  size_t widest = 1;
  for (int a = 0; a < static_cast<int>(p.outer.size()); ++a) {
    int64_t bytes = 0;
    size_t largest = 1;
    for_each_stmt(p, [&](const Stmt& stmt) {
      auto* l = std::get_if<Load>(&stmt);
      if (!l || !is_transposed(*l, a, f.lane_axis)) return;
      const size_t size = size_of(p.buffers[l->buffer].dtype);
      bytes += static_cast<int64_t>(size), largest = std::max(largest, size);
    });
    if (bytes > most) most = bytes, widest = largest, square.axis = a;
  }
  square.side = std::clamp(f.target.vector_bytes / static_cast<int>(widest), 4, 16);
  return square;
}

}  // namespace

Choice choose_tiles(const RowProgram& program, const Facts& facts) {
  if (!reads_across(program, facts.lane_axis)) return {};
  const Square square = square_of(program, facts);
  if (square.axis < 0 || std::min(program.extent(square.axis).value, facts.lane) < square.side) return {};
  const Tiles tiles{.axis = square.axis,
                    .side = square.side,
                    .chunk = std::min(kWidthOfTiles, round_up(facts.lane, facts.lanes)),
                    .points = kPointsAcross,
                    .streaming = streams(program, facts)};
  CpuSchedule schedule = schedule_of(
      facts, tiles, facts.unit * static_cast<float>(std::min(facts.lane, tiles.chunk) * tiles.points));
  schedule.reason = "pointwise, in tiles: some arrays are read across";
  return Scheduled{program, std::move(schedule)};
}

}  // namespace weft::plan::cpu
