// Columns: lanes across them. A block of short ones keeps all that its sweeps share in the first-level cache.
#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

using namespace tuning;

// Wide blocks read memory in long runs, which prefetchers keep up with; narrow ones make work for more
// threads. A part has rows enough for its partial results to be a small share of the traffic.
Cut cut_columns(const RowProgram& p, const Facts& f) {
  const int64_t row = p.row_count(), points = p.outer_count(), down = p.row[0].value;
  const bool splits = !p.ordered && has_parts(p) && p.sweeps.size() == 1 && down >= kRowsOfPart;
  Cut cut;
  // A scan reads and writes its running values with every row: they stay in the first-level cache.
  for (int64_t most : {p.scans() ? kWideScan : kWideBlock, p.scans() ? kNarrowScan : kNarrowBlock}) {
    const int64_t chunks = ceil_divide(f.lane, shifted(most, f.bias.work));
    const int64_t blocks = points / f.lane * chunks;
    cut.chunk = round_up(ceil_divide(f.lane, chunks), f.lanes);
    cut.parts = 1;
    if (splits && blocks < kBlocksOfColumns)
      cut.parts =
          std::min({down / kRowsOfPart, kPartsOfColumns, std::max<int64_t>(1, row * f.lane / kPartElements)});
    if (blocks * cut.parts >= kBlocksOfColumns) break;
  }
  return cut;
}

Scheduled block_of_columns(const RowProgram& program, const Facts& facts, const Cut& cut, bool split) {
  const int64_t row = program.row_count();
  Scheduled chosen{keeping(program, facts, row * 2 * facts.lanes <= kKeptElements), {}};
  const bool scratch = !crossing_values(chosen.program).empty();
  int64_t chunk = cut.chunk;
  if (facts.short_rows || scratch)
    chunk = std::min(
        chunk, std::max<int64_t>(1, kKeptElements / std::max<int64_t>(row, 1) / facts.lanes) * facts.lanes);
  const int64_t bytes = facts.lane * static_cast<int64_t>(facts.work.widest);
  const bool masked = facts.masks && !facts.short_rows && facts.walk != Walk::Ordered && bytes < kWideRow &&
                      (bytes >= kNarrowRowBytes || facts.lane % facts.lanes != 0);
  const int64_t parts = split ? cut.parts : 1;
  const Shape shape =
      split ? Shape(SplitColumns{chunk, parts, masked}) : Shape(Columns{chunk, masked, scratch});
  const int64_t elements = row * std::min(facts.lane, chunk) / parts;
  chosen.schedule = schedule_of(facts, shape, facts.unit * static_cast<float>(elements));
  if (masked) chosen.schedule.reason += ", masked rows";
  return chosen;
}

Choice choose_columns(const RowProgram& program, const Facts& facts) {
  return block_of_columns(program, facts, cut_columns(program, facts), false);
}

}  // namespace weft::plan::cpu
