#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/deal.h"
#include "compiler/plan/rewrite/unroll.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"

namespace weft::plan {

using namespace machine;
using namespace tuning;

namespace {

constexpr int kDealtLanes = 16;  // most that a word of bits has room for, four elements apart

struct Work {
  float cost = 0;     // multiply-adds of one element
  int64_t bytes = 0;  // loaded and stored for one element
  size_t widest = 1;  // bytes of the largest value
};

size_t register_bytes(DType t) { return is_half(t) ? 4 : is_complex(t) ? size_of(t) / 2 : size_of(t); }

// What stands outside of the loop over the row counts once a row.
Work measure(const RowProgram& p) {
  Work w;
  double bytes = 0;
  auto add = [&](const Stmt& s, float times) {
    if (auto* l = std::get_if<Let>(&s)) {
      w.cost += times * std::max(info(l->op).cost, 0.5f) * (is_complex(p.values[l->out].dtype) ? 4 : 1);
      w.widest = std::max(w.widest, register_bytes(p.values[l->out].dtype));
    }
    if (auto* l = std::get_if<Load>(&s)) {
      bytes += times * static_cast<float>(size_of(p.buffers[l->buffer].dtype));
      w.widest = std::max(w.widest, register_bytes(p.buffers[l->buffer].dtype));
    }
    if (auto* st = std::get_if<Store>(&s))
      bytes += times * static_cast<float>(size_of(p.buffers[st->buffer].dtype));
    if (std::holds_alternative<Scan>(s)) w.cost += 4 * times;
    if (auto* f = std::get_if<Fold>(&s)) {
      w.cost += times;
      w.widest = std::max(w.widest, register_bytes(p.values[f->value].dtype));
    }
  };
  const float once = 1 / static_cast<float>(std::max<int64_t>(p.row_count(), 1));
  for (auto& sweep : p.sweeps) {
    for (auto& s : sweep.before) add(s, once);
    for (auto& s : sweep.body) add(s, 1);
  }
  for (auto& s : p.epilogue) add(s, once);
  w.bytes = std::max<int64_t>(1, std::llround(bytes));
  return w;
}

// Bytes for each element of the row that a lane axis moves contiguously, less those that it gathers. What is
// the same along the row counts once a row.
double contiguity(const RowProgram& p, int axis) {
  double score = 0;
  for_each_stmt(p, [&](const Stmt& s) {
    int buffer = -1;
    if (auto* l = std::get_if<Load>(&s)) buffer = l->buffer;
    if (auto* st = std::get_if<Store>(&s)) buffer = st->buffer;
    if (buffer < 0) return;
    const Index& at = *index_of(s);
    bool in_row = std::any_of(at.axes.begin(), at.axes.end(), [&](auto& t) {
      return t.axis >= static_cast<int>(p.outer.size()) && t.by.value != 0;
    });
    double weight = in_row ? 1.0 : 1.0 / static_cast<double>(std::max<int64_t>(p.row_count(), 1));
    int64_t by = stride_along(at, axis);
    double bytes = static_cast<double>(size_of(p.buffers[buffer].dtype)) * weight;
    if (by == 1) score += 2 * bytes;
    if (by != 0 && by != 1) score -= bytes;
  });
  return score;
}

// The best axis of [first, last) to run lanes along: contiguous, and long enough for its ends not to matter.
int best_axis(const RowProgram& p, int first, int last) {
  int best = last - 1;
  double best_score = -std::numeric_limits<double>::infinity();
  for (int a = last - 1; a >= first; --a) {
    const auto length = static_cast<double>(std::max<int64_t>(p.extent(a).value, 1));
    const double score = contiguity(p, a) - kCostOfEnds / length;
    if (score > best_score) best_score = score, best = a;
  }
  return best;
}

// An axis of a few elements whose rows lie one after another in memory: with lanes across them, as many
// vectors hold the elements of as many rows. To deal those to the lanes takes a shuffle for each pair of
// vectors, which has to cost less than a row of its own. The axis, or -1.
int tiny_axis(const RowProgram& p, float cost, int lanes) {
  const int outer = static_cast<int>(p.outer.size()), axes = outer + static_cast<int>(p.row.size());
  for (int a = axes - 1; a >= 0; --a) {
    const int64_t n = p.extent(a).value;
    const bool column = !p.row.empty() && a < outer;
    if (column && n >= kFewColumns) continue;
    const float most = p.reduces_points() ? kTotalledWork : kUnrolledWork;
    if (n < 2 || n > kTinyRow || static_cast<float>(n) * cost > most || !can_unroll(p, a)) continue;
    int shuffles = 0;
    const int in = deal_in(lanes, static_cast<int>(n)).cost(),
              out = deal_out(lanes, static_cast<int>(n)).cost();
    for_each_stmt(p, [&](const Stmt& s) {
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if ((!l && !st) || is_complex(p.buffers[l ? l->buffer : st->buffer].dtype)) return;
      const Index& at = *index_of(s);
      for (int b = column ? outer : 0; b < (column ? axes : outer); ++b)
        if (b != a && stride_along(at, a) == 1 && stride_along(at, b) == n && p.extent(b).value >= 4 * lanes)
          shuffles += l ? in : out;
    });
    const double row = kShufflesOfSweep * static_cast<double>(p.sweeps.size()) +
                       kShufflesOfJoin * static_cast<double>(p.accumulators.size());
    if (shuffles > 0 && shuffles <= lanes * row) return a;
  }
  return -1;
}

// The axis to run the lanes of a map along. Where rows are short, calling the span for each (and, without
// masks, once more for an end that fills no vector) costs more than gathering over rows.
int fastest_axis(const RowProgram& p, int lanes, bool masks) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int a = static_cast<int>(p.outer.size()) - 1; a >= 0; --a) {
    const int64_t length = std::max<int64_t>(p.extent(a).value, 1);
    const double call = masks && length <= kMaskedRow
                            ? kTimeOfMaskedCall
                            : kTimeOfCall * ((length >= lanes) + (length % lanes != 0));
    double time = call / static_cast<double>(length);
    for_each_stmt(p, [&](const Stmt& s) {
      int buffer = -1, run = 1;
      if (auto* l = std::get_if<Load>(&s)) buffer = l->buffer, run = l->run.length;
      if (auto* st = std::get_if<Store>(&s)) buffer = st->buffer, run = st->run.length;
      if (buffer < 0) return;
      const int64_t size = static_cast<int64_t>(size_of(p.buffers[buffer].dtype));
      int64_t by = stride_along(*index_of(s), a);
      if (by == run) by = 1;
      if (by == 1) time += kTimeOfByte * static_cast<double>(size);
      if (by != 0 && by != 1) time += std::abs(by) * size <= kNear ? kTimeOfNear : kTimeOfFar;
    });
    if (time < least) least = time, best = a;
  }
  return best;
}

// Whether some load steps over memory along the lane axis that another outer axis walks contiguously.
bool reads_across(const RowProgram& p, int lane_axis) {
  bool across = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (!l || std::abs(stride_along(l->at, lane_axis)) <= 1) return;
    for (auto& t : l->at.axes) across |= t.axis != lane_axis && t.by.value == 1;
  });
  return across;
}

// Whether most of a row's time would go into what surrounds its sweeps: without masks, an end goes through
// padded copies, as slow as several whole vectors. Lanes across rows gather, so longer rows are walked one by
// one all the same.
bool mostly_ends(const RowProgram& p, int64_t run, int64_t lanes, bool masks) {
  if (p.row_count() > 4 * lanes) return false;
  if (masks) return run <= kGatheredRow;
  return run < 2 * lanes && (run % lanes != 0 || p.sweeps.size() > 1);
}

// Whether nothing cuts rows along the axis, and all that they access there are neighbours.
bool in_one_piece(const RowProgram& p, int axis) {
  bool all = true;
  for_each_stmt(p, [&](const Stmt& s) {
    all &= !std::holds_alternative<Test>(s);
    if (!std::holds_alternative<Load>(s) && !std::holds_alternative<Store>(s)) return;
    const Index& at = *index_of(s);
    all &= at.values.empty() && (stride_along(at, axis) == 0 || stride_along(at, axis) == 1);
  });
  return all;
}

// Whether the row is a window that moves by one element from point to point: what lanes along the points read
// lies as well, and nothing of theirs has to be joined.
bool is_window(const RowProgram& p, int column_axis, int row_axis) {
  bool any = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    any |= l && stride_along(l->at, column_axis) == 1 && stride_along(l->at, row_axis) == 1;
  });
  return any && in_one_piece(p, column_axis);
}

// Whether some stores are of long rows that do not begin where lines of memory do.
bool crosses_lines(const RowProgram& p, int lane_axis) {
  bool any = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* st = std::get_if<Store>(&s);
    if (!st || stride_along(st->at, lane_axis) != 1) return;
    const auto size = static_cast<int64_t>(size_of(p.buffers[st->buffer].dtype));
    any |= p.extent(lane_axis).value * size >= kAlignedRow &&
           std::any_of(st->at.axes.begin(), st->at.axes.end(),
                       [&](auto& t) { return t.axis != lane_axis && t.by.value * size % kCpuLine != 0; });
  });
  return any;
}

int64_t shifted(int64_t n, int steps) { return steps < 0 ? n >> -steps : n << steps; }

// The axis that most bytes of transposed loads run along, and the side of the squares that are turned over:
// as many elements as fill a vector, where the axes are that long.
void choose_tile(const RowProgram& p, const Target& target, CpuSchedule& s) {
  int64_t most = 0;
  size_t widest = 1;
  for (int a = 0; a < static_cast<int>(p.outer.size()); ++a) {
    int64_t bytes = 0;
    size_t largest = 1;
    for_each_stmt(p, [&](const Stmt& stmt) {
      auto* l = std::get_if<Load>(&stmt);
      if (!l || !is_transposed(*l, a, s.lane_axis)) return;
      const size_t size = size_of(p.buffers[l->buffer].dtype);
      bytes += static_cast<int64_t>(size), largest = std::max(largest, size);
    });
    if (bytes > most) most = bytes, widest = largest, s.tile_axis = a;
  }
  s.tile = std::clamp(target.vector_bytes / static_cast<int>(widest), 4, 16);
  if (s.tile_axis < 0 || std::min(p.extent(s.tile_axis).value, p.extent(s.lane_axis).value) < s.tile)
    s.tile_axis = -1, s.tile = 0;
}

}  // namespace

DType fold_dtype(const CpuSchedule& schedule, const Accumulator& acc) {
  return schedule.order == Order::Columns && !acc.is_over_points() ? total_dtype(acc) : span_dtype(acc);
}

bool reads_ahead(const RowProgram& p, const Load& load, int lane_axis, int64_t bytes) {
  const BufferUse& buffer = p.buffers[load.buffer];
  const auto size = static_cast<int64_t>(size_of(buffer.dtype));
  const int64_t row = p.extent(lane_axis).value;
  if (buffer.elements * size < bytes || !load.at.values.empty() || stride_along(load.at, lane_axis) != 1)
    return false;
  return row * size >= bytes ||
         (row * size <= kFeelsItsEnd && std::any_of(load.at.axes.begin(), load.at.axes.end(), [&](auto& t) {
            return t.axis != lane_axis && t.by.value == row;
          }));
}

// Whether steps of as many elements are dealt from whole vectors: which lane is where, the source has to
// know.
bool deals(DType dtype, int64_t step) {
  return step >= 2 && step <= 4 && !is_complex(dtype) && (size_of(dtype) == 4 || size_of(dtype) == 8);
}

void name_small_steps(RowProgram& p, int lane_axis) {
  for_each_stmt(p, [&](Stmt& s) {
    auto* load = std::get_if<Load>(&s);
    if (!load || !load->at.values.empty() ||
        !deals(p.buffers[load->buffer].dtype, stride_along(load->at, lane_axis)))
      return;
    for (AxisTerm& term : load->at.axes)
      if (term.axis == lane_axis) term.by.param = kLiteral;
  });
}

namespace {

// What choices rest on.
struct Facts {
  const Target& target;
  Bias bias;
  Work work;
  int lanes;         // of a vector of the widest value
  bool masks;        // loads and stores take masks
  bool tiny;         // an axis of a few elements was unrolled
  bool few_columns;  // and it is one of the points
  float unit;        // time of one element
};

// Which way the loops go.
struct Way {
  Order order;
  int lane_axis;
  std::string reason;
  bool short_rows = false;
};

// Makes the program ready to be scheduled, which may unroll an axis of a few elements.
Facts prepare(RowProgram& p, const Target& target, const Bias& bias) {
  collapse_ranges_of_rows(p);
  Work work = measure(p);
  const int lanes = std::clamp(target.vector_bytes / static_cast<int>(work.widest), 4, 64);
  const bool masks = has_masks(target);
  const int tiny = masks ? tiny_axis(p, work.cost, lanes) : -1;
  const bool few_columns = tiny >= 0 && tiny < static_cast<int>(p.outer.size()) && !p.row.empty();
  if (tiny >= 0) {
    unroll_axis(p, tiny);
    collapse_axes(p);
    work = measure(p);
  }
  const float unit = work.cost + kCostOfByte * static_cast<float>(work.bytes);
  return {target, bias, work, lanes, masks, tiny >= 0, few_columns, unit};
}

// Reductions: lanes along the row, unless something speaks for lanes across the points.
Way reduction_way(const RowProgram& p, const Facts& f) {
  const int outer = static_cast<int>(p.outer.size()), axes = outer + static_cast<int>(p.row.size());
  const int row_axis = best_axis(p, outer + p.section_axes, axes);
  const char* along_rows = f.few_columns ? "lanes along a few columns"
                           : f.tiny      ? "lanes across rows of a few elements, each totalled across too"
                                         : "lanes along the row";
  const Way rows{Order::Rows, row_axis, along_rows};
  if (outer == 0 || p.reduces_points() || p.section_axes > 0 || f.tiny) return rows;
  const int column_axis = best_axis(p, 0, outer);
  const int64_t columns = p.extent(column_axis).value;
  if (contiguity(p, column_axis) > contiguity(p, row_axis) &&
      columns >= std::min<int64_t>(f.lanes, kFewColumns))
    return {Order::Columns, column_axis, "lanes across columns: they are contiguous, the row is not"};
  if (columns < 2 * f.lanes) return rows;
  if (is_window(p, column_axis, row_axis))
    return {Order::Columns, column_axis, "lanes across windows: they are contiguous, too"};
  if (mostly_ends(p, p.extent(row_axis).value, f.lanes, f.masks))
    return {Order::Columns, column_axis, "lanes across rows: rows are short", true};
  return rows;
}

Way choose_way(const RowProgram& p, const Facts& f) {
  if (p.ordered)
    return {Order::Columns, best_axis(p, 0, static_cast<int>(p.outer.size())), "the row is walked in order"};
  if (p.row.empty()) return {Order::Pointwise, fastest_axis(p, f.lanes, f.masks), "pointwise"};
  return reduction_way(p, f);
}

// Whether rows are short enough for one call each, with masks.
bool suits_masks(const RowProgram& p, const Facts& f, const Way& way) {
  const int64_t lane = p.extent(way.lane_axis).value;
  const bool fits = p.row.empty()
                        ? p.outer_count() > lane && (lane <= kMaskedRow || in_one_piece(p, way.lane_axis))
                        : lane <= kMaskedReducedRow;
  return f.tiny || (f.masks && way.order != Order::Columns && fits);
}

// Light bodies run on several vectors at once, for independent chains of additions.
int most_vectors_at_once(const RowProgram& p, const Facts& f, Order order) {
  if (order == Order::Rows && (p.scans() || f.tiny)) return 1;
  if (order == Order::Pointwise) return f.work.cost <= 24 && !f.tiny ? 2 : 1;
  return f.work.cost <= kLightBody ? 4 : f.work.cost <= 24 ? 2 : 1;
}

int choose_lanes(const RowProgram& p, const Facts& f, const Way& way) {
  const int64_t lane = p.extent(way.lane_axis).value, vectors = (lane + f.lanes - 1) / f.lanes;
  const bool short_row = suits_masks(p, f, way);
  int widen = most_vectors_at_once(p, f, way.order);
  // Joining four vectors at the end of a row costs as much as some vectors of it; two are worth it sooner.
  auto too_short = [&] { return lane < f.lanes * widen * (way.order == Order::Rows && widen > 2 ? 32 : 2); };
  // Masks leave out lanes of the last vector: not too many of them.
  auto mostly_left_out = [&] {
    return short_row && 8 * ((vectors + widen - 1) / widen * widen) > 9 * vectors;
  };
  while (widen > 1 && (too_short() || mostly_left_out())) widen /= 2;
  return static_cast<int>(std::clamp<int64_t>(shifted(f.lanes * widen, f.bias.width), 4, 64));
}

// Fewest tasks of `elements` that are worth a thread of their own.
int64_t grain_of(const Facts& f, int64_t elements) {
  const float task = f.unit * static_cast<float>(elements);
  return std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(task, 1.f)));
}

// Parts of a scanned row are totalled first, then scanned from what comes before each.
bool has_parts(const RowProgram& p) { return !p.scans() || p.accumulators.size() == 1; }

// Computes again in later sweeps what is cheap, or whatever the cost where the rest would not stay in a
// cache.
void choose_crossing(RowProgram& p, CpuSchedule& s, bool stays) {
  repeat_cheap_values(p, true, stays ? 6 : std::numeric_limits<float>::infinity(), s.lane_axis);
  s.scratch = !crossing_values(p).empty();
}

// Wide blocks read memory in long runs, which prefetchers keep up with; narrow ones make work for more
// threads. A part has rows enough for its partial results to be a small share of the traffic.
void cut_columns(const RowProgram& p, const Facts& f, CpuSchedule& s) {
  const int64_t row = p.row_count(), points = p.outer_count(), lane = p.extent(s.lane_axis).value;
  const bool splits = !p.ordered && has_parts(p) && p.sweeps.size() == 1 && p.row[0].value >= 64;
  // A scan reads and writes its running values with every row: they stay in the first-level cache.
  for (int64_t most : {p.scans() ? 1024 : 4096, p.scans() ? 512 : 1024}) {
    const int64_t widest = shifted(most, f.bias.work);
    const int64_t chunks = (lane + widest - 1) / widest, blocks = points / lane * chunks;
    s.chunk = ((lane + chunks - 1) / chunks + s.lanes - 1) / s.lanes * s.lanes;
    s.split = 1;
    if (splits && blocks < 16)
      s.split =
          std::min<int64_t>({p.row[0].value / 64, 64, std::max<int64_t>(1, row * lane / kPartElements)});
    s.split = std::max<int64_t>(s.split, 1);
    if (blocks * s.split >= 16) break;
  }
}

void schedule_columns(RowProgram& p, const Facts& f, const Way& way, CpuSchedule& s) {
  const int64_t row = p.row_count(), lane = p.extent(s.lane_axis).value;
  // A block of short rows keeps all that its sweeps share in the first-level cache.
  choose_crossing(p, s, row * 2 * s.lanes <= kKeptElements);
  cut_columns(p, f, s);
  if (way.short_rows || s.scratch)
    s.chunk = std::min(s.chunk,
                       std::max<int64_t>(1, kKeptElements / std::max<int64_t>(row, 1) / s.lanes) * s.lanes);
  const int64_t bytes = lane * static_cast<int64_t>(f.work.widest);
  s.masked = f.masks && !way.short_rows && !p.ordered && bytes < kWideRow &&
             (bytes >= kNarrowRowBytes || lane % s.lanes != 0);
  if (s.masked) s.reason += ", short rows";
  s.grain = grain_of(f, row * std::min(lane, s.chunk) / s.split);
}

int64_t parts_of_row(const RowProgram& p, const Facts& f) {
  const int64_t row = p.row_count(), points = p.outer_count();
  if (f.tiny && points < 64)
    return std::clamp<int64_t>(row * f.work.bytes / kPartBytes, 1, std::min<int64_t>(p.row[0].value, 4096));
  if (p.sweeps.size() == 1 && has_parts(p) && !p.reduces_points() && p.section_axes == 0 &&
      points < (p.scans() ? 16 : 64) && row >= 2 * kPartElements)
    return std::min<int64_t>({p.row[0].value, (row + kPartElements - 1) / kPartElements, 4096});
  return 1;
}

int64_t rows_of_task(const RowProgram& p, const Facts& f, int64_t split) {
  const int64_t points = p.outer_count();
  // Totals across rows are written once for as many rows as may be added up without a wider dtype. Few
  // rows make tasks for some threads, but light bodies would read and write little but totals then.
  if (p.reduces_points())
    return points < 256 ? std::clamp<int64_t>((points + 15) / 16, f.work.cost <= kLightBody ? 8 : 4, 16)
                        : std::clamp<int64_t>(points / 64, 16, 64);
  if (split > 1) return 1;
  const float row = f.unit * static_cast<float>(p.row_count());
  return std::clamp<int64_t>(shifted(static_cast<int64_t>(4096 / std::max(row, 1.f)), f.bias.work), 1, 64);
}

void schedule_rows(RowProgram& p, const Facts& f, CpuSchedule& s) {
  const int64_t row = p.row_count();
  choose_crossing(p, s, row * 8 <= static_cast<int64_t>(f.target.cache_bytes) / 8);
  s.split = parts_of_row(p, f);
  s.rows_per_task = rows_of_task(p, f, s.split);
  if (p.reduces_points()) s.reason += ", which are totalled across too";
  const int64_t uncached = static_cast<int64_t>(f.target.cache_bytes) / 2;
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* l = std::get_if<Load>(&stmt);
    if (l && reads_ahead(p, *l, s.lane_axis, uncached)) s.prefetched = uncached;
  });
  const float task = f.unit * static_cast<float>(row / s.split) * static_cast<float>(s.rows_per_task);
  s.grain = std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(task, 1.f)));
}

// About 64 KiB of traffic a task, whole rows where rows are short. Where lanes read another axis's
// neighbours, squares are turned over along as many lanes as their rows leave room for in the first-level
// cache; else tiles are small, so that each line of memory that they touch is used up while it is there.
void schedule_points(const RowProgram& p, const Facts& f, CpuSchedule& s) {
  const int64_t lane = p.extent(s.lane_axis).value, whole = (lane + s.lanes - 1) / s.lanes * s.lanes;
  const int64_t elements =
      shifted(std::clamp<int64_t>(65536 / std::max<int64_t>(f.work.bytes, 1), 1024, 16384), f.bias.work);
  s.chunk = std::min<int64_t>((elements + s.lanes - 1) / s.lanes * s.lanes, whole);
  s.rows_per_task = std::max<int64_t>(1, elements / std::max<int64_t>(lane, 1));
  if (reads_across(p, s.lane_axis)) {
    choose_tile(p, f.target, s);
    s.chunk = std::min<int64_t>(s.tile ? 512 : std::max(s.lanes, 64), whole);
    s.rows_per_task = 128;
    s.reason = "pointwise, in tiles: some arrays are read across";
    if (s.tile) s.reason += fmt::format(", turned over in squares of {}", s.tile);
  }
  s.grain = grain_of(f, std::min(lane, s.chunk) * s.rows_per_task);
}

// Outputs that no cache can hold pass it by; the first one decides where aligned stores begin, so others
// have to agree. A line of memory that is written both ways waits for memory, and all stores after it wait
// too, so rows that do not fill their lines have to be long.
bool streams(const RowProgram& p, const Facts& f, const CpuSchedule& s) {
  int64_t written = 0, stores = 0;
  bool contiguous = true, whole = true;
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* st = std::get_if<Store>(&stmt);
    if (!st) return;
    ++stores;
    written += p.buffers[st->buffer].elements * static_cast<int64_t>(size_of(p.buffers[st->buffer].dtype));
    contiguous &= stride_along(st->at, s.lane_axis) == 1;
    whole &= st->at.offset.value == 0 && std::all_of(st->at.axes.begin(), st->at.axes.end(), [&](auto& t) {
               return t.axis == s.lane_axis || t.by.value % 64 == 0;
             });
  });
  const int64_t long_row = p.row.empty() ? kStreamedMapRow : kStreamedRow;
  return stores > 0 && contiguous && (whole || (stores == 1 && p.extent(s.lane_axis).value >= long_row)) &&
         written > static_cast<int64_t>(f.target.cache_bytes) / 2;
}

// How stores, and the ends of rows, are done where lanes run along rows or points.
void choose_ends(RowProgram& p, const Facts& f, const Way& way, CpuSchedule& s) {
  const int64_t lane = p.extent(s.lane_axis).value;
  s.streaming = streams(p, f, s);
  s.masked = suits_masks(p, f, way) && s.tile == 0 && s.split == 1 &&
             (p.row.empty() || lane <= kFoldedVectors * s.lanes) && !(s.streaming && lane >= kStreamedAnyway);
  if (!s.masked) return;
  s.streaming = false;
  s.reason += f.tiny ? ", a few elements at once" : lane <= kMaskedReducedRow ? ", short rows" : "";
  if (s.lanes <= kDealtLanes) name_small_steps(p, s.lane_axis);
  s.aligned = !f.tiny && !p.scans() && crosses_lines(p, s.lane_axis);
}

}  // namespace

CpuSchedule schedule_cpu(RowProgram& p, const Target& target, const Bias& bias) {
  const Facts f = prepare(p, target, bias);
  const Way way = choose_way(p, f);
  CpuSchedule s;
  s.order = way.order;
  s.lane_axis = way.lane_axis;
  s.reason = way.reason;
  s.lanes = choose_lanes(p, f, way);
  if (way.order == Order::Columns) {
    schedule_columns(p, f, way, s);
    return s;
  }
  if (way.order == Order::Rows)
    schedule_rows(p, f, s);
  else
    schedule_points(p, f, s);
  choose_ends(p, f, way, s);
  return s;
}

}  // namespace weft::plan
