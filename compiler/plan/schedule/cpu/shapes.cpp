// What several shapes of a CPU's schedule ask.
#include "compiler/plan/schedule/cpu/shapes.h"

#include <algorithm>

#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cpu_access.h"

namespace weft::plan::cpu {

using namespace tuning;

namespace {

// Most lanes that a word of bits has room for, four elements apart.
constexpr int kDealtLanes = 16;

}  // namespace

CpuSchedule schedule_of(const Facts& facts, const Shape& shape, float task) {
  return {.shape = shape,
          .lane_axis = facts.lane_axis,
          .lanes = facts.lanes,
          .grain = grain_of(task),
          .reason = facts.reason};
}

void choose_ends(Scheduled& chosen, Ends& ends, const Facts& facts) {
  RowProgram& p = chosen.program;
  const bool streaming = streams(p, facts);
  const bool is_one_call = facts.one_call && (p.row.empty() || facts.lane <= kFoldedVectors * facts.lanes);
  if (!is_one_call || (streaming && facts.lane >= kStreamedAnyway)) {
    ends = WholeVectors{streaming};
    return;
  }
  ends = Masks{.aligned = !facts.tiny && !p.scans() && crosses_lines(p, facts.lane_axis)};
  chosen.schedule.reason += facts.tiny                        ? ", a few elements at once"
                            : facts.lane <= kMaskedReducedRow ? ", short rows"
                                                              : "";
  if (facts.lanes <= kDealtLanes) name_small_steps(p, facts.lane_axis);
}

int64_t prefetched_by(const RowProgram& p, const Facts& facts) {
  const int64_t uncached = static_cast<int64_t>(facts.target.cache_bytes) / 2;
  bool any = false;
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* l = std::get_if<Load>(&stmt);
    any |= l && reads_ahead(p, *l, facts.lane_axis, uncached);
  });
  return any ? uncached : 0;
}

bool stays_in_cache(const RowProgram& p, const Facts& facts) {
  return p.row_count() * 8 <= static_cast<int64_t>(facts.target.cache_bytes) / 8;
}

int64_t elements_of_task(const Facts& facts) {
  return shifted(std::clamp(kTaskBytes / std::max<int64_t>(facts.work.bytes, 1), kFewestOfTask, kMostOfTask),
                 facts.bias.work);
}

int64_t rows_of_task(const RowProgram& p, const Facts& facts) {
  const float row = facts.unit * static_cast<float>(p.row_count());
  const auto rows = static_cast<int64_t>(kWorkOfRows / std::max(row, 1.f));
  return std::clamp<int64_t>(shifted(rows, facts.bias.work), 1, kMostRowsOfTask);
}

}  // namespace weft::plan::cpu
