// Rows that are totalled across, too: totals are written once for as many rows as may be added up without a
// wider dtype.
#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

using namespace tuning;

// Few rows make tasks for some threads, but light bodies would read and write little but totals then.
Choice choose_totals(const RowProgram& program, const Facts& facts) {
  const int64_t points = program.outer_count(), fewest = facts.work.cost <= kLightBody ? 8 : 4;
  return whole_rows(program, facts,
                    points < 256 ? std::clamp<int64_t>(ceil_divide(points, 16), fewest, 16)
                                 : std::clamp<int64_t>(points / 64, 16, 64),
                    Totals());
}

}  // namespace weft::plan::cpu
