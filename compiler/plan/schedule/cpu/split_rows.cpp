// Few long rows: a part each of fixed size, so that results do not depend on the number of threads.
#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

using namespace tuning;

namespace {

int64_t parts_of_row(const RowProgram& p, const Facts& f) {
  const int64_t row = p.row_count(), points = p.outer_count(), first = p.row[0].value;
  if (f.tiny && points < kPointsThatSplit)
    return std::clamp<int64_t>(row * f.work.bytes / kPartBytes, 1, std::min(first, kMostParts));
  if (p.sweeps.size() > 1 || !has_parts(p) || row < 2 * kPartElements ||
      points >= (p.scans() ? kPointsThatSplitScans : kPointsThatSplit))
    return 1;
  return std::min({first, ceil_divide(row, kPartElements), kMostParts});
}

}  // namespace

Choice choose_split_rows(const RowProgram& program, const Facts& facts) {
  const int64_t parts = parts_of_row(program, facts);
  if (parts == 1) return {};
  const SplitRows shape{parts, streams(program, facts), prefetched_by(program, facts)};
  const int64_t elements = program.row_count() / parts;
  Scheduled chosen{keeping(program, facts, stays_in_cache(program, facts)), {}};
  chosen.schedule = schedule_of(facts, shape, facts.unit * static_cast<float>(elements));
  return chosen;
}

}  // namespace weft::plan::cpu
