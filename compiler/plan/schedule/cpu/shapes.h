// One function for each shape of a CPU's schedule: the program as the shape wants it and the schedule, or
// nothing where another shape does better. The list says in which order schedule_cpu() asks them.
#pragma once

#include <optional>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/plan/schedule/cpu/facts.h"

namespace weft::plan::cpu {

struct Scheduled {
  RowProgram program;
  CpuSchedule schedule;
};
using Choice = std::optional<Scheduled>;

// clang-format off
// Of each walk in the order in which they are asked; the last one of a walk always answers.
#define WEFT_CPU_SHAPES(X)                                                         \
  X(Points, tiles)            /* some arrays are read across, along long axes */   \
  X(Points, maps)             /* all others */                                     \
                                                                                   \
  X(Totals, totals)                                                                \
  X(Sections, sections)                                                            \
                                                                                   \
  X(Ordered, columns)                                                              \
                                                                                   \
  X(Columns, split_columns)   /* too few for the threads, of one sweep */          \
  X(Columns, columns)                                                              \
                                                                                   \
  X(Rows, split_rows)         /* few and long, of one sweep */                     \
  X(Rows, rows)
// clang-format on

#define WEFT_CPU_SHAPE(walk, name) Choice choose_##name(const RowProgram& program, const Facts& facts);
WEFT_CPU_SHAPES(WEFT_CPU_SHAPE)
#undef WEFT_CPU_SHAPE

// ---- what several of them ask

// A schedule with the lanes of the facts, whose tasks are of so many multiply-adds.
CpuSchedule schedule_of(const Facts& facts, const Shape& shape, float task);

// How stores, and the ends of rows, are done where lanes run along rows or points. Masked, the program names
// its small steps, and the schedule says why.
void choose_ends(Scheduled& chosen, Ends& ends, const Facts& facts);

// Bytes of arrays that rows ask for a page ahead, at least; 0 where they read none of so many.
int64_t prefetched_by(const RowProgram& program, const Facts& facts);

// Elements of points, or rows, that a task takes.
int64_t elements_of_task(const Facts& facts);
int64_t rows_of_task(const RowProgram& program, const Facts& facts);

// Whether there is room in the last-level cache for what a row's sweeps share.
bool stays_in_cache(const RowProgram& program, const Facts& facts);

// A shape of rows that are each walked as a whole, so many of a task.
template <class WholeRows>
Scheduled whole_rows(const RowProgram& program, const Facts& facts, int64_t points, WholeRows shape) {
  Scheduled chosen{keeping(program, facts, stays_in_cache(program, facts)), {}};
  shape.points = points;
  shape.scratch = !crossing_values(chosen.program).empty();
  shape.prefetched = prefetched_by(program, facts);
  chosen.schedule = schedule_of(
      facts, shape, facts.unit * static_cast<float>(program.row_count()) * static_cast<float>(points));
  choose_ends(chosen, std::get<WholeRows>(chosen.schedule.shape).ends, facts);
  return chosen;
}

// What a task takes of columns, and the schedule of such blocks.
struct Cut {
  int64_t chunk = 1, parts = 1;
};
Cut cut_columns(const RowProgram& program, const Facts& facts);
Scheduled block_of_columns(const RowProgram& program, const Facts& facts, const Cut& cut, bool split);

}  // namespace weft::plan::cpu
