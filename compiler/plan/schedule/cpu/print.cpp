// The text of a CPU schedule, for goldens, explain and dumps.
#include <fmt/format.h>

#include "compiler/plan/schedule/cpu/cpu_schedule.h"

namespace weft::plan {

std::string print(const CpuSchedule& s) {
  const char* orders[] = {"pointwise", "rows", "columns"};
  std::string out = fmt::format("schedule {}: axis {} by {} lanes", orders[static_cast<int>(s.order)],
                                s.lane_axis, s.lanes);
  if (s.chunk) out += fmt::format(", chunks of {}", s.chunk);
  if (s.rows_per_task > 1) out += fmt::format(", {} rows a task", s.rows_per_task);
  if (s.split > 1) out += fmt::format(", row split in {}", s.split);
  if (s.scratch) out += ", row kept in scratch";
  if (s.streaming) out += ", streaming stores";
  if (s.prefetched) out += ", prefetches";
  if (s.tile) out += fmt::format(", squares of {} transposed along axis {}", s.tile, s.tile_axis);
  if (s.masked) out += ", masked";
  if (s.aligned) out += ", aligned";
  return out + (s.reason.empty() ? "" : " (" + s.reason + ")") + "\n";
}

}  // namespace weft::plan
