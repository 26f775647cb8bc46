// Rules that hold for all schedules, then those of points, of rows and of columns.
#include "compiler/emit/cuda/check_schedule.h"

#include <bit>

#include "compiler/base/error.h"
#include "compiler/plan/facts/cuda_access.h"

namespace weft::emit {

using namespace plan;

namespace {

void demand(bool holds, const char* what) {
  if (!holds) throw InternalError(std::string("emit cuda: ") + what);
}

bool stays(const CudaSchedule& s) { return s.keeper == Keeper::Registers || s.keeper == Keeper::Shared; }

void check_points(const RowProgram& p, const CudaSchedule& s) {
  if (s.order != Order::Pointwise) return demand(s.tile_axis < 0, "tiles are squares of a pointwise program");
  demand(s.split == 1, "only the reductions of one sweep are split");
  if (s.tile_axis >= 0)
    return demand(s.tile >= 1 && s.tile % s.lanes == 0 && s.unroll * s.threads * s.lanes == s.tile * s.tile,
                  "tiles are squares of a pointwise program");
  if (s.rows_per_task > 1)
    demand(p.outer.size() >= 2 && s.rows_per_task == int64_t{s.threads} / s.threads_per_row * s.unroll,
           "a block's rows are its threads'");
}

void check_sections(const RowProgram& p, const CudaSchedule& s) {
  const int64_t sections = p.section_count(), threads = int64_t{s.threads_per_row} * s.cluster;
  demand(s.order == Order::Rows && s.keeper == Keeper::Registers && s.split == 1 && !s.device_wide &&
             !s.shifted && !s.ahead && s.threads == s.threads_per_row && s.threads % 32 == 0 &&
             s.lane_axis >= static_cast<int>(p.outer.size()) + p.section_axes,
         "rows of sections stay in registers, of a block or a cluster each");
  demand(sections % s.cluster == 0 && threads % sections == 0 &&
             std::has_single_bit(static_cast<uint64_t>(threads / sections)),
         "a block takes whole sections, each by a power of two of its threads");
}

void check_rows(const RowProgram& p, const CudaSchedule& s) {
  const bool is_rows = s.order == Order::Rows, in_registers = s.keeper == Keeper::Registers;
  demand(s.walk == 1 || p.reduces_points(), "rows are walked for totals across them");
  demand(!p.reduces_points() || (is_rows && in_registers && s.split == 1 && !s.device_wide),
         "totals across rows stay in registers, of rows of a block or a cluster");
  demand(!s.device_wide || (is_rows && (in_registers || s.keeper == Keeper::Reload) && s.cluster >= 2 &&
                            s.cluster <= s.threads),
         "blocks that exchange states in memory keep a row in registers, or read it again");
  if (s.bundled) {
    demand(is_rows && p.outer.size() == 1 && p.row.size() == 1 && s.lanes == 1 &&
               s.threads / s.threads_per_row % 16 == 0 && s.split == 1 && s.keeper != Keeper::Shared,
           "sixteen short rows or more are bundled");
    demand(!s.ahead || last_to_read_bundles(p, s.lane_axis) >= 0,
           "bundled rows come ahead where they are read alone");
  }
  demand(!s.chained || (s.threads == s.threads_per_row && s.threads >= 128),
         "a part of a look-back scan takes a block of 128 threads or more");
  if (p.section_axes > 0) check_sections(p, s);
}

void check_columns(const RowProgram& p, const CudaSchedule& s) {
  const bool is_columns = s.order == Order::Columns;
  const int across = s.threads / s.threads_per_row;
  demand(is_columns || s.run == 1, "columns alone have runs of several batches");
  demand(s.strips_at_once == 0 || (is_columns && s.keeper == Keeper::Registers && s.split == 1 && !p.scans()),
         "strips that blocks take in turn stay in registers");
  demand(s.room == 0 || (is_columns && s.keeper != Keeper::Shared),
         "shared memory is kept free for blocks that use none but to join");
  demand(s.shares == 0 || (is_columns && !p.scans() && s.split > 1),
         "only strips of columns that are reduced are shared out");
  if (s.wide_copies) {
    const int copied = wide_copy_elements(p, s.lane_axis);
    demand(copied > 0 && is_columns && s.keeper == Keeper::Shared && s.ahead && s.lanes == 1 &&
               across % copied == 0,
           "strips of single columns are copied as vectors");
  }
  if (s.overlap > 0) {
    const int64_t sector = widest_sector(p, s.lane_axis);
    demand(is_columns && !crossing_values(p).empty() && !p.scans() && s.lanes == 1 && s.split == 1 &&
               sector > 0 && s.overlap >= sector && s.overlap < across,
           "strips of single columns that stay overlap by a sector or more");
  }
  demand(s.together == 1 || (is_columns && s.unroll == s.together && p.row.back().value % s.together == 0),
         "neighbours of the row are a batch of columns");
}

}  // namespace

void check_schedule(const RowProgram& p, const CudaSchedule& s) {
  const bool has_axes = !p.outer.empty() || !p.row.empty(), is_columns = s.order == Order::Columns;
  demand(has_axes || s.lanes == 1, "vectors of a program without axes");
  demand(!s.shifted || (has_axes && alignment_reference(p, s.lane_axis) && !is_columns && s.tile_axis < 0 &&
                        p.row.size() <= 1 && !p.reduces_points() && !p.scans()),
         "shifted vectors lie along plain rows");
  if (!stays(s) && !crossing_values(p).empty())
    throw InternalError("emit cuda: values cross sweeps and the schedule does not say where they stay\n" +
                        plan::print(p));
  demand(s.cluster == 1 ||
             ((stays(s) || s.device_wide) && s.split == 1 && (is_columns || s.threads_per_row == s.threads)),
         "a cluster takes one row or strip, in registers or shared memory");
  demand(!s.ahead || s.keeper == Keeper::Shared || s.together > 1 || p.reduces_points(),
         "only rows in shared memory, or in turn, and neighbours are loaded ahead");
  demand(s.split == 1 || p.sweeps.size() == (s.chained ? 2 : 1),
         "only the reductions of one sweep are split");
  demand(!p.scans() || (s.cluster == 1 && (!is_columns || s.threads_per_row == 1)),
         "one block scans a row, one thread a column");
  demand(!p.scans() || s.split == 1 || p.accumulators.size() == (s.chained ? 2 : 1),
         "parts of a row are scanned for one value only");
  demand((p.scans() && s.split > 1 && !is_columns) == s.chained,
         "parts of scanned rows look back, and no others");
  check_points(p, s);
  check_rows(p, s);
  check_columns(p, s);
}

}  // namespace weft::emit
