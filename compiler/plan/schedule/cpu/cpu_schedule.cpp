// What each shape of a CPU's schedule says of a task, and its text for goldens, explain and dumps.
#include "compiler/plan/schedule/cpu/cpu_schedule.h"

#include <fmt/format.h>

namespace weft::plan::cpu {

namespace {

Ends whole(bool streaming) { return WholeVectors{streaming}; }
Ends masks_if(bool masked) { return masked ? Ends(Masks{}) : Ends(WholeVectors{}); }

struct TaskOf {
  TaskDivision operator()(const Maps& m) const {
    return {.chunk = m.chunk, .points = m.points, .ends = m.ends};
  }
  TaskDivision operator()(const Tiles& t) const {
    return {.chunk = t.chunk, .points = t.points, .ends = whole(t.streaming)};
  }
  TaskDivision operator()(const Rows& r) const { return of_rows(r); }
  TaskDivision operator()(const SplitRows& r) const {
    return {.order = Order::Rows, .parts = r.parts, .ends = whole(r.streaming), .prefetched = r.prefetched};
  }
  TaskDivision operator()(const Totals& t) const { return of_rows(t); }
  TaskDivision operator()(const Sections& s) const { return of_rows(s); }
  TaskDivision operator()(const Columns& c) const {
    return {.order = Order::Columns, .chunk = c.chunk, .ends = masks_if(c.masked), .scratch = c.scratch};
  }
  TaskDivision operator()(const SplitColumns& c) const {
    return {.order = Order::Columns, .chunk = c.chunk, .parts = c.parts, .ends = masks_if(c.masked)};
  }

  template <class WholeRows>
  TaskDivision of_rows(const WholeRows& r) const {
    return {.order = Order::Rows,
            .points = r.points,
            .ends = r.ends,
            .scratch = r.scratch,
            .prefetched = r.prefetched};
  }
};

// Of all shapes, in the order of the variant.
constexpr const char* kNamesOfShapes[] = {"maps",   "tiles",    "rows",    "split rows",
                                          "totals", "sections", "columns", "split columns"};
static_assert(std::size(kNamesOfShapes) == std::variant_size_v<Shape>);

}  // namespace
}  // namespace weft::plan::cpu

namespace weft::plan {

using fmt::format;

TaskDivision division_of(const CpuSchedule& s) { return std::visit(cpu::TaskOf(), s.shape); }

DType fold_dtype(const CpuSchedule& s, const Accumulator& acc) {
  const bool columns = division_of(s).order == Order::Columns;
  return columns && !acc.is_over_points() ? total_dtype(acc) : span_dtype(acc);
}

std::string text_of(const CpuSchedule& s) {
  const TaskDivision d = division_of(s);
  std::string out =
      format("{}: axis {} by {} lanes", cpu::kNamesOfShapes[s.shape.index()], s.lane_axis, s.lanes);
  if (d.chunk > 0) out += format(", chunks of {}", d.chunk);
  if (d.points > 1) out += format(", {} rows a task", d.points);
  if (d.parts > 1) out += format(", row split in {}", d.parts);
  if (s.grain > 1) out += format(", {} tasks or more a thread", s.grain);
  if (d.scratch) out += ", row kept in scratch";
  if (const auto* t = std::get_if<cpu::Tiles>(&s.shape))
    out += format(", squares of {} transposed along axis {}", t->side, t->axis);
  if (d.prefetched > 0) out += format(", prefetches arrays of {} bytes and more", d.prefetched);
  if (d.streaming()) out += ", streaming stores";
  if (d.masked()) out += ", masked";
  if (d.aligned()) out += ", aligned";
  return out;
}

}  // namespace weft::plan
