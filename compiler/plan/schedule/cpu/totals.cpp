// Rows that are totalled across, too: totals are written once for as many rows as may be added up without a
// wider dtype.
#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

using namespace tuning;

// Few rows make tasks for some threads, but light bodies would read and write little but totals then.
Choice choose_totals(const RowProgram& program, const Facts& facts) {
  const int64_t points = program.outer_count();
  const int64_t fewest = facts.work.cost <= kLightBody ? kFewestLightRows : kFewestTotalledRows;
  return whole_rows(program, facts,
                    points < kManyTotalledRows
                        ? std::clamp(ceil_divide(points, kFewTotalledRows), fewest, kFewTotalledRows)
                        : std::clamp(points / kMostTotalledRows, kFewTotalledRows, kMostTotalledRows),
                    Totals());
}

}  // namespace weft::plan::cpu
