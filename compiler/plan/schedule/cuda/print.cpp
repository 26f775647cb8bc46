// The text of a CUDA schedule, for goldens, explain and dumps.
#include <fmt/format.h>

#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::plan {

std::string print(const CudaSchedule& s) {
  const char* orders[] = {"pointwise", "rows", "columns"};
  const char* keepers[] = {"none", "registers", "shared", "reload"};
  std::string out = fmt::format("schedule {}: axis {} by {} lanes", orders[static_cast<int>(s.order)],
                                s.lane_axis, s.lanes);
  if (s.rows_per_task > 1) out += fmt::format(", {} rows a task", s.rows_per_task);
  if (s.split > 1)
    out += s.shares ? fmt::format(", {} equal shares, row in {} parts at most", s.shares, s.split)
                    : fmt::format(", row split in {}", s.split);
  if (s.keeper != Keeper::None) out += fmt::format(", row kept in {}", keepers[static_cast<int>(s.keeper)]);
  if (s.streaming) out += ", streaming stores";
  if (s.loads_stay) out += ", loads stay in the cache";
  if (s.threads > 1)
    out += fmt::format(", blocks of {} threads, {} a row, {} vectors each", s.threads, s.threads_per_row,
                       s.unroll);
  if (s.walk > 1) out += fmt::format(", {} rows one after another", s.walk);
  if (s.resident > 1) out += fmt::format(", {} blocks resident", s.resident);
  if (s.room > 0) out += ", no more at once";
  if (s.cluster > 1) out += fmt::format(", {} blocks a row", s.cluster);
  if (s.device_wide) out += ", which meet in memory";
  if (s.strips_at_once) out += fmt::format(", {} strips at once", s.strips_at_once);
  if (s.together > 1) out += fmt::format(", {} neighbours of the row together", s.together);
  if (s.run > 1) out += fmt::format(", runs of {}", s.run);
  if (s.shifted) out += ", shifted to aligned vectors";
  if (s.wide_copies) out += ", copied in aligned vectors";
  if (s.overlap > 0) out += fmt::format(", strips overlap by {} columns", s.overlap);
  if (s.bundled) out += ", rows of a block as one run";
  if (s.chained) out += ", chained";
  if (s.ahead) out += s.together > 1 ? ", loaded ahead" : ", copied ahead";
  if (s.at_once) out += ", quotients at once";
  return out + (s.reason.empty() ? "" : " (" + s.reason + ")") + "\n";
}

}  // namespace weft::plan
