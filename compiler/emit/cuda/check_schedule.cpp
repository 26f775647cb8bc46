// What a schedule's type cannot say: whether it is one for this program.
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

struct Check {
  const RowProgram& p;
  const CudaSchedule& s;
  const RowDivision& d;

  // What holds for all is enough for the others.
  template <class Other>
  void operator()(const Other&) const {}
  void operator()(const cuda::Stencils&) const {
    demand(p.outer.size() >= 2, "a stencil has rows below each other");
  }
  void operator()(const cuda::Tiles& t) const {
    demand(t.side >= 1 && t.side % s.lanes == 0 && d.vectors * s.threads * s.lanes == t.side * t.side,
           "a block's threads share out a square of points");
  }

  void operator()(const cuda::Rows&) const {
    demand(d.parts == 1 || (p.sweeps.size() == 1 && !p.scans()),
           "only the reductions of one sweep are split");
  }
  void operator()(const cuda::LookBackRows& r) const {
    demand(p.scans() && p.sweeps.size() == 2 && p.accumulators.size() == 2 && r.parts > 1,
           "parts look back that are totalled, then scanned for one value");
    demand(s.threads >= 128, "a part of a look-back scan takes a block of 128 threads or more");
  }
  void operator()(const cuda::BundledRows&) const { bundled(); }
  void operator()(const cuda::Totals& t) const {
    demand(p.reduces_points(), "rows are totalled that have totals across them");
    if (!std::holds_alternative<cuda::Totals::Bundled>(t.owner)) return;
    bundled();
    demand(!t.copied_ahead || last_to_read_bundles(p, s.lane_axis) >= 0,
           "bundled rows come ahead where they are read alone");
  }
  void operator()(const cuda::Sections&) const {
    const int64_t sections = p.section_count(), threads = int64_t{d.threads} * d.blocks;
    demand(p.section_axes > 0 && s.lane_axis >= static_cast<int>(p.outer.size()) + p.section_axes,
           "threads of a section are neighbours along it");
    demand(s.threads % 32 == 0 && sections % d.blocks == 0 && threads % sections == 0 &&
               std::has_single_bit(static_cast<uint64_t>(threads / sections)),
           "a block takes whole sections, each by a power of two of its threads");
  }

  void operator()(const cuda::Columns& c) const {
    demand(c.parts == 1 || p.sweeps.size() == 1, "only the reductions of one sweep are split");
    demand(!p.scans() || (c.down == 1 && (c.parts == 1 || p.accumulators.size() == 1)),
           "one thread scans a column, parts of it for one value");
  }
  void operator()(const cuda::SharedColumns& c) const {
    const int across = s.threads / c.down;
    if (c.copy == cuda::SharedColumns::Copy::Vectors) {
      const int copied = wide_copy_elements(p, s.lane_axis);
      demand(copied > 0 && s.lanes == 1 && across % copied == 0,
             "strips of single columns are copied as vectors");
    }
    if (c.overlap == 0) return;
    const int64_t sector = widest_sector(p, s.lane_axis);
    demand(s.lanes == 1 && sector > 0 && c.overlap >= sector && c.overlap < across,
           "strips of single columns that stay overlap by a sector or more");
  }
  void operator()(const cuda::Pairs& pairs) const {
    demand(p.row.back().value % pairs.neighbours == 0 && !p.scans(),
           "neighbours of the row are a batch of columns");
    demand(std::holds_alternative<cuda::Pairs::Whole>(pairs.strip) || p.sweeps.size() == 1,
           "only the reductions of one sweep are split");
  }

  void bundled() const {
    demand(p.outer.size() == 1 && p.row.size() == 1 && s.lanes == 1 && s.threads / d.threads % 16 == 0,
           "sixteen short rows or more are bundled");
  }
};

}  // namespace

void check_schedule(const RowProgram& p, const CudaSchedule& s) {
  const RowDivision d = division_of(s);
  const bool has_axes = !p.outer.empty() || !p.row.empty();
  demand((d.order == Order::Pointwise) == p.row.empty(), "points have no row, rows and columns have one");
  demand(has_axes || s.lanes == 1, "vectors of a program without axes");
  const bool along_row = s.lane_axis >= static_cast<int>(p.outer.size());
  demand(d.order == Order::Pointwise || along_row == (d.order == Order::Rows),
         "threads of rows run along the row, those of columns across");
  demand(!d.shifted || (has_axes && alignment_reference(p, s.lane_axis) && p.row.size() <= 1 && !p.scans()),
         "shifted vectors lie along plain rows");
  if (d.residence == Residence::Nowhere && !crossing_values(p).empty())
    throw InternalError("emit cuda: values cross sweeps and the schedule does not say where they stay\n" +
                        plan::print(p));
  demand(d.blocks == 1 || !p.scans(), "one block scans a row");
  demand(!d.device_wide || d.blocks <= s.threads, "a thread of a block waits for each of the row's");
  demand(p.reduces_points() == std::holds_alternative<cuda::Totals>(s.shape),
         "totals across rows have a shape of their own");
  demand((p.section_axes > 0) == std::holds_alternative<cuda::Sections>(s.shape),
         "rows of sections have a shape of their own");
  std::visit(Check{p, s, d}, s.shape);
}

}  // namespace weft::emit
