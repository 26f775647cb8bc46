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

CpuSchedule schedule_cpu(RowProgram& p, const Target& target, const Bias& bias) {
  CpuSchedule s;
  collapse_ranges_of_rows(p);
  int outer = static_cast<int>(p.outer.size()), axes = outer + static_cast<int>(p.row.size());
  Work work = measure(p);
  int lanes = std::clamp(target.vector_bytes / static_cast<int>(work.widest), 4, 64);
  const bool masks = has_masks(target);
  const int tiny = masks ? tiny_axis(p, work.cost, lanes) : -1;
  const bool columns_of_few = tiny >= 0 && tiny < outer && !p.row.empty();
  if (tiny >= 0) {
    unroll_axis(p, tiny);
    collapse_axes(p);
    outer = static_cast<int>(p.outer.size()), axes = outer + static_cast<int>(p.row.size());
    work = measure(p);
  }
  bool short_rows = false;
  if (p.ordered) {
    s.order = Order::Columns;
    s.lane_axis = best_axis(p, 0, outer);
    s.reason = "the row is walked in order";
  } else if (p.row.empty()) {
    s.order = Order::Pointwise;
    s.lane_axis = fastest_axis(p, lanes, masks);
    s.reason = "pointwise";
  } else {
    int row_axis = best_axis(p, outer + p.section_axes, axes);
    s.order = Order::Rows;
    s.lane_axis = row_axis;
    s.reason = columns_of_few ? "lanes along a few columns"
               : tiny >= 0    ? "lanes across rows of a few elements, each totalled across too"
                              : "lanes along the row";
    if (outer > 0 && !p.reduces_points() && p.section_axes == 0 && tiny < 0) {
      int column_axis = best_axis(p, 0, outer);
      bool better = contiguity(p, column_axis) > contiguity(p, row_axis);
      if (better && p.extent(column_axis).value >= std::min<int64_t>(lanes, kFewColumns)) {
        s.order = Order::Columns;
        s.lane_axis = column_axis;
        s.reason = "lanes across columns: they are contiguous, the row is not";
      } else if (is_window(p, column_axis, row_axis) && p.extent(column_axis).value >= 2 * lanes) {
        s.order = Order::Columns;
        s.lane_axis = column_axis;
        s.reason = "lanes across windows: they are contiguous, too";
      } else if (mostly_ends(p, p.extent(row_axis).value, lanes, masks) &&
                 p.extent(column_axis).value >= 2 * lanes) {
        s.order = Order::Columns;
        s.lane_axis = column_axis;
        s.reason = "lanes across rows: rows are short";
        short_rows = true;
      }
    }
  }
  // Light bodies run on several vectors at once, for independent chains of additions.
  int widen = work.cost <= kLightBody ? 4 : work.cost <= 24 ? 2 : 1;
  if (s.order == Order::Pointwise) widen = work.cost <= 24 && tiny < 0 ? 2 : 1;
  if ((p.scans() || tiny >= 0) && s.order == Order::Rows) widen = 1;
  // Parts of a scanned row are totalled first, then scanned from what comes before each.
  const bool parts = !p.scans() || p.accumulators.size() == 1;
  const int64_t row = p.row_count(), points = p.outer_count(), lane = p.extent(s.lane_axis).value;
  // Joining four vectors at the end of a row costs as much as some vectors of it; two are worth it sooner.
  auto too_short = [&] { return lane < lanes * widen * (s.order == Order::Rows && widen > 2 ? 32 : 2); };
  const bool masks_fit = p.row.empty() ? points > lane && (lane <= kMaskedRow || in_one_piece(p, s.lane_axis))
                                       : lane <= kMaskedReducedRow;
  const bool short_row = tiny >= 0 || (masks && s.order != Order::Columns && masks_fit);
  // Masks leave out lanes of the last vector: not too many of them.
  auto mostly_left_out = [&] {
    const int64_t vectors = (lane + lanes - 1) / lanes;
    return short_row && 8 * ((vectors + widen - 1) / widen * widen) > 9 * vectors;
  };
  while (widen > 1 && (too_short() || mostly_left_out())) widen /= 2;
  s.lanes = static_cast<int>(std::clamp<int64_t>(shifted(lanes * widen, bias.width), 4, 64));

  float unit = work.cost + kCostOfByte * static_cast<float>(work.bytes);
  if (s.order == Order::Columns) {
    // A block of short rows keeps all that its sweeps share in the first-level cache.
    const bool keeps = row * 2 * s.lanes <= kKeptElements;
    repeat_cheap_values(p, true, keeps ? 6 : std::numeric_limits<float>::infinity(), s.lane_axis);
    s.scratch = !crossing_values(p).empty();
    // Wide blocks read memory in long runs, which prefetchers keep up with; narrow ones make work for more
    // threads. A part has rows enough for its partial results to be a small share of the traffic.
    const bool splits = !p.ordered && parts && p.sweeps.size() == 1 && p.row[0].value >= 64;
    // A scan reads and writes its running values with every row: they stay in the first-level cache.
    for (int64_t most : {p.scans() ? 1024 : 4096, p.scans() ? 512 : 1024}) {
      const int64_t widest = shifted(most, bias.work);
      const int64_t chunks = (lane + widest - 1) / widest, blocks = points / lane * chunks;
      s.chunk = ((lane + chunks - 1) / chunks + s.lanes - 1) / s.lanes * s.lanes;
      s.split = 1;
      if (splits && blocks < 16)
        s.split =
            std::min<int64_t>({p.row[0].value / 64, 64, std::max<int64_t>(1, row * lane / kPartElements)});
      s.split = std::max<int64_t>(s.split, 1);
      if (blocks * s.split >= 16) break;
    }
    if (short_rows || s.scratch)
      s.chunk = std::min(s.chunk,
                         std::max<int64_t>(1, kKeptElements / std::max<int64_t>(row, 1) / s.lanes) * s.lanes);
    const int64_t bytes = lane * static_cast<int64_t>(work.widest);
    s.masked = masks && !short_rows && !p.ordered && bytes < kWideRow &&
               (bytes >= kNarrowRowBytes || lane % s.lanes != 0);
    if (s.masked) s.reason += ", short rows";
    const int64_t per_task = row * std::min(lane, s.chunk) / s.split;
    float task = unit * static_cast<float>(per_task);
    s.grain = std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(task, 1.f)));
    return s;
  }
  if (s.order == Order::Rows) {
    int64_t kept_bytes = row * 8;
    bool keeps = kept_bytes <= static_cast<int64_t>(target.cache_bytes) / 8;
    repeat_cheap_values(p, true, keeps ? 6 : std::numeric_limits<float>::infinity(), s.lane_axis);
    s.scratch = !crossing_values(p).empty();
    if (p.sweeps.size() == 1 && parts && !p.reduces_points() && p.section_axes == 0 &&
        points < (p.scans() ? 16 : 64) && row >= 2 * kPartElements)
      s.split = std::min<int64_t>({p.row[0].value, (row + kPartElements - 1) / kPartElements, 4096});
    if (tiny >= 0 && points < 64)
      s.split =
          std::clamp<int64_t>(row * work.bytes / kPartBytes, 1, std::min<int64_t>(p.row[0].value, 4096));
    const int64_t per_task = row / s.split;
    float task = unit * static_cast<float>(per_task);
    s.rows_per_task = s.split > 1
                          ? 1
                          : std::clamp<int64_t>(
                                shifted(static_cast<int64_t>(4096 / std::max(task, 1.f)), bias.work), 1, 64);
    if (p.reduces_points()) {
      // Totals across rows are written once for as many rows as may be added up without a wider dtype. Few
      // rows make tasks for some threads, but light bodies would read and write little but totals then.
      s.rows_per_task = points < 256
                            ? std::clamp<int64_t>((points + 15) / 16, work.cost <= kLightBody ? 8 : 4, 16)
                            : std::clamp<int64_t>(points / 64, 16, 64);
      s.reason += ", which are totalled across too";
    }
    task *= static_cast<float>(s.rows_per_task);
    s.grain = std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(task, 1.f)));
  } else {
    // About 64 KiB of traffic a task, whole rows where rows are short. Where lanes read another axis's
    // neighbours, squares are turned over along as many lanes as their rows leave room for in the first-level
    // cache; else tiles are small, so that each line of memory that they touch is used up while it is there.
    const int64_t elements =
        shifted(std::clamp<int64_t>(65536 / std::max<int64_t>(work.bytes, 1), 1024, 16384), bias.work);
    s.chunk = std::min<int64_t>((elements + s.lanes - 1) / s.lanes * s.lanes,
                                (lane + s.lanes - 1) / s.lanes * s.lanes);
    s.rows_per_task = std::max<int64_t>(1, elements / std::max<int64_t>(lane, 1));
    if (reads_across(p, s.lane_axis)) {
      choose_tile(p, target, s);
      s.chunk =
          std::min<int64_t>(s.tile ? 512 : std::max(s.lanes, 64), (lane + s.lanes - 1) / s.lanes * s.lanes);
      s.rows_per_task = 128;
      s.reason = "pointwise, in tiles: some arrays are read across";
      if (s.tile) s.reason += fmt::format(", turned over in squares of {}", s.tile);
    }
    float task = unit * static_cast<float>(std::min(lane, s.chunk) * s.rows_per_task);
    s.grain = std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(task, 1.f)));
  }
  // Outputs that no cache can hold pass it by; the first one decides where aligned stores begin, so others
  // have to agree. A line of memory that is written both ways is slow, so rows that do not fill their lines
  // have to be long.
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
  const int64_t uncached = static_cast<int64_t>(target.cache_bytes) / 2;
  if (s.order == Order::Rows)
    for_each_stmt(p, [&](const Stmt& stmt) {
      auto* l = std::get_if<Load>(&stmt);
      if (l && reads_ahead(p, *l, s.lane_axis, uncached)) s.prefetched = uncached;
    });
  bool from_row = s.order == Order::Pointwise || s.lane_axis >= outer;
  s.streaming = stores > 0 && contiguous && from_row && (whole || (stores == 1 && lane >= kStreamedRow)) &&
                written > uncached;
  s.masked = short_row && s.tile == 0 && s.split == 1 &&
             (p.row.empty() || lane <= kFoldedVectors * s.lanes) && !(s.streaming && lane >= kStreamedAnyway);
  if (s.masked) {
    s.streaming = false;
    s.reason += tiny >= 0 ? ", a few elements at once" : lane <= kMaskedReducedRow ? ", short rows" : "";
    if (s.lanes <= kDealtLanes) name_small_steps(p, s.lane_axis);
    s.aligned = tiny < 0 && !p.scans() && crosses_lines(p, s.lane_axis);
  }
  return s;
}

}  // namespace weft::plan
