// Maps: about 64 KiB of traffic a task, whole rows where rows are short.
#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cpu_access.h"
#include "compiler/plan/schedule/cpu/shapes.h"

namespace weft::plan::cpu {

using namespace tuning;

// Where lanes read another axis's neighbours, and no square of them is long enough to be transposed, tasks are
// small blocks, so that each line of memory that they touch is used up while it is there.
Choice choose_maps(const RowProgram& program, const Facts& facts) {
  Scheduled chosen{program, {}};
  const int64_t whole = round_up(facts.lane, facts.lanes);
  const int64_t elements = has_series(program) ? std::clamp<int64_t>(program.outer_count() / kTasksOfLanes,
                                                                     facts.lanes, kMostOfTask)
                                               : elements_of_task(facts);
  Maps maps{.chunk = std::min(round_up(elements, facts.lanes), whole),
            .points = std::max<int64_t>(1, elements / std::max<int64_t>(facts.lane, 1))};
  const bool across = reads_across(program, facts.lane_axis);
  if (across)
    maps.chunk = std::min(std::max<int64_t>(facts.lanes, kWidthAcross), whole), maps.points = kPointsAcross;
  chosen.schedule = schedule_of(
      facts, maps, facts.unit * static_cast<float>(std::min(facts.lane, maps.chunk) * maps.points));
  if (across) chosen.schedule.reason = "pointwise, in small blocks: some arrays are read across";
  choose_ends(chosen, std::get<Maps>(chosen.schedule.shape).ends, facts);
  return chosen;
}

}  // namespace weft::plan::cpu
