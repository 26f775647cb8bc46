#include "compiler/emit/cpu/check_schedule.h"

#include "compiler/base/error.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

void demand(bool holds, const char* what) {
  if (!holds) throw InternalError(std::string("emit cpu: ") + what);
}

bool stores_in_order(const RowProgram& p) {
  bool all = true;
  for_each_stmt(p, [&](const Stmt& stmt) {
    const auto* store = std::get_if<Store>(&stmt);
    all &= !store || store->how == Storing::Plain;
  });
  return all;
}

}  // namespace

void check_schedule(const RowProgram& p, const CpuSchedule& s) {
  const TaskDivision d = division_of(s);
  const int outer = static_cast<int>(p.outer.size());
  demand((d.order == Order::Pointwise) == p.row.empty(), "points have no row, rows and columns have one");
  demand((d.order == Order::Rows) == (s.lane_axis >= outer),
         "lanes of rows run along the row, others along the points");
  demand(d.order == Order::Rows || d.chunk > 0, "a task takes some elements along the lanes");
  demand(!p.ordered || std::holds_alternative<plan::cpu::Columns>(s.shape),
         "a row that is walked in order is a column, whose parts nobody joins");
  demand(p.reduces_points() == std::holds_alternative<plan::cpu::Totals>(s.shape),
         "rows with totals across them have a shape of their own");
  demand((p.section_axes > 0) == std::holds_alternative<plan::cpu::Sections>(s.shape),
         "rows of sections have a shape of their own");
  demand(p.section_axes == 0 || s.lane_axis >= outer + p.section_axes, "lanes of a section run along it");
  demand(d.parts == 1 || p.sweeps.size() == 1, "only rows of one sweep are split");
  demand(d.scratch || crossing_values(p).empty(),
         "values cross sweeps and the schedule does not say where they stay");
  demand(stores_in_order(p), "rows are stored in order: got a store that comes in any order");
}

}  // namespace weft::emit::cpu
