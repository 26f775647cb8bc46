#include "compiler/plan/schedule/cpu/facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cpu_access.h"
#include "compiler/plan/facts/deal.h"
#include "compiler/plan/rewrite/unroll.h"

namespace weft::plan::cpu {

using namespace machine;
using namespace tuning;

namespace {

size_t register_bytes(DType t) { return is_half(t) ? 4 : is_complex(t) ? size_of(t) / 2 : size_of(t); }

// What stands outside of the loop over the row counts once a row.
Work measure(const RowProgram& p) {
  Work w;
  double bytes = 0;
  auto add = [&](const Stmt& s, float times) {
    if (auto* l = std::get_if<Let>(&s)) {
      w.cost += times * std::max(cost_of(*l), 0.5f) * (is_complex(p.values[l->out].dtype) ? 4 : 1);
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

// The best axis of [first, last) to run lanes along: contiguous, and long enough for its ends not to matter.
int axis_for_lanes(const RowProgram& p, int first, int last) {
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
    const int length = static_cast<int>(n);
    for_each_stmt(p, [&](const Stmt& s) {
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if ((!l && !st) || is_complex(p.buffers[l ? l->buffer : st->buffer].dtype)) return;
      const Index& at = *index_of(s);
      for (int b = column ? outer : 0; b < (column ? axes : outer); ++b)
        if (b != a && stride_along(at, a) == 1 && stride_along(at, b) == n && p.extent(b).value >= 4 * lanes)
          shuffles += l ? cost_of_deal_in(lanes, length) : cost_of_deal_out(lanes, length);
    });
    const double row = kShufflesOfSweep * static_cast<double>(p.sweeps.size()) +
                       kShufflesOfJoin * static_cast<double>(p.accumulators.size());
    if (shuffles > 0 && shuffles <= lanes * row) return a;
  }
  return -1;
}

// Nanoseconds for an element of squares that are transposed: 0.5 to 1.2 on a Zen 4, where stores apart took 1.6 to 2.5 (2026-11-29).
constexpr double kTimeOfTurned = 0.6;

// Whether squares of what a load reads can be transposed where lanes run along the axis, and fill its rows.
bool is_turned(const RowProgram& p, const Load& load, int lane_axis, int lanes) {
  for (int a = 0; a < static_cast<int>(p.outer.size()); ++a)
    if (is_transposed(load, a, lane_axis) && p.extent(a).value >= lanes &&
        p.extent(lane_axis).value % lanes == 0)
      return true;
  return false;
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
    const auto access = [&](int buffer, int64_t by, double times, bool is_store = false) {
      const int64_t size = static_cast<int64_t>(size_of(p.buffers[buffer].dtype));
      if (by == 1) time += times * kTimeOfByte * static_cast<double>(size);
      if (by != 0 && by != 1)
        time += times * (std::abs(by) * size <= kNear && !is_store ? kTimeOfNear : kTimeOfFar);
    };
    for_each_stmt(p, [&](const Stmt& s) {
      int buffer = -1, run = 1;
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if (l) buffer = l->buffer, run = l->run.length;
      if (st) buffer = st->buffer, run = st->run.length;
      if (buffer < 0) return;
      const int64_t by = stride_along(*index_of(s), a);
      if (l && is_turned(p, *l, a, lanes)) {
        time += kTimeOfTurned;
        return;
      }
      access(buffer, by == run ? 1 : by, 1, st != nullptr);
    });
    for_each_series(p, [&](const Series& series, const Index& at) {
      access(series.buffer, stride_along(at, a), static_cast<double>(series.turns));
    });
    if (time < least) least = time, best = a;
  }
  return best;
}

// Whether most of a row's time would go into what surrounds its sweeps: without masks, an end goes through
// padded copies, as slow as several whole vectors. Lanes across rows gather, so longer rows are walked one by
// one all the same.
bool mostly_ends(const RowProgram& p, int64_t run, int64_t lanes, bool masks) {
  if (p.row_count() > 4 * lanes) return false;
  if (masks) return run <= kGatheredRow;
  return run < 2 * lanes && (run % lanes != 0 || p.sweeps.size() > 1);
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

// Makes the program ready to be scheduled.
Facts prepare(RowProgram& p, const Target& target, const Bias& bias) {
  collapse_ranges_of_rows(p);
  Facts f{.target = target, .bias = bias, .work = measure(p)};
  f.vector = std::clamp(target.vector_bytes / static_cast<int>(f.work.widest), 4, 64);
  f.masks = has_masks(target);
  const int tiny = f.masks ? tiny_axis(p, f.work.cost, f.vector) : -1;
  f.tiny = tiny >= 0;
  f.few_columns = f.tiny && tiny < static_cast<int>(p.outer.size()) && !p.row.empty();
  if (f.tiny) {
    unroll_axis(p, tiny);
    collapse_axes(p);
    f.work = measure(p);
  }
  f.unit = f.work.cost + kCostOfByte * static_cast<float>(f.work.bytes);
  return f;
}

void walk(Facts& f, Walk walk, int lane_axis, const char* reason) {
  f.walk = walk, f.lane_axis = lane_axis, f.reason = reason;
}

// Reductions: lanes along the row, unless something speaks for lanes across the points.
void walk_reduction(const RowProgram& p, Facts& f) {
  const int outer = static_cast<int>(p.outer.size()), axes = outer + static_cast<int>(p.row.size());
  const int row_axis = axis_for_lanes(p, outer + p.section_axes, axes);
  walk(f, Walk::Rows, row_axis,
       f.few_columns ? "lanes along a few columns"
       : f.tiny      ? "lanes across rows of a few elements, each totalled across too"
                     : "lanes along the row");
  if (p.reduces_points()) f.walk = Walk::Totals, f.reason += ", which are totalled across too";
  if (p.section_axes > 0) f.walk = Walk::Sections;
  if (outer == 0 || f.walk != Walk::Rows || f.tiny) return;
  const int column_axis = axis_for_lanes(p, 0, outer);
  const int64_t columns = p.extent(column_axis).value;
  if (contiguity(p, column_axis) > contiguity(p, row_axis) &&
      columns >= std::min<int64_t>(f.vector, kFewColumns))
    return walk(f, Walk::Columns, column_axis, "lanes across columns: they are contiguous, the row is not");
  if (columns < 2 * f.vector) return;
  if (is_window(p, column_axis, row_axis))
    return walk(f, Walk::Columns, column_axis, "lanes across windows: they are contiguous, too");
  if (mostly_ends(p, p.extent(row_axis).value, f.vector, f.masks)) {
    walk(f, Walk::Columns, column_axis, "lanes across rows: rows are short");
    f.short_rows = true;
  }
}

bool goes_across(Walk walk) { return walk == Walk::Columns || walk == Walk::Ordered; }

// Whether rows are short enough for one call each, with masks.
bool suits_masks(const RowProgram& p, const Facts& f) {
  const bool fits = p.row.empty()
                        ? p.outer_count() > f.lane && (f.lane <= kMaskedRow || in_one_piece(p, f.lane_axis))
                        : f.lane <= kMaskedReducedRow;
  return f.tiny || (f.masks && !goes_across(f.walk) && fits);
}

// Light bodies run on several vectors at once, for independent chains of additions. A turn of a loop waits for the one
// before, so two vectors take little longer than one.
constexpr int kNarrowestScan = 4;  // lanes

int most_vectors_at_once(const RowProgram& p, const Facts& f) {
  if (f.walk == Walk::Points) return (f.work.cost <= kMediumBody || has_loop(p)) && !f.tiny ? 2 : 1;
  if (!goes_across(f.walk) && (p.scans() || f.tiny)) return 1;
  return f.work.cost <= kLightBody ? 4 : f.work.cost <= kMediumBody ? 2 : 1;
}

// Of scans along rows that are one call: a vector's prefixes are found beside the next one's, which pays from the second
// vector of f32 on. Shorter rows have no lanes that are left out, since each doubling of the lanes is a step of the scan.
int lanes_of_masked_scan(const Facts& f) {
  int lanes = f.work.widest <= sizeof(float) && f.lane > f.vector ? 2 * f.vector : f.vector;
  while (lanes > kNarrowestScan && f.lane <= lanes / 2) lanes /= 2;
  return lanes;
}

int choose_lanes(const RowProgram& p, const Facts& f) {
  if (p.scans() && f.walk == Walk::Rows && f.one_call && !f.tiny)
    return static_cast<int>(std::clamp<int64_t>(shifted(lanes_of_masked_scan(f), f.bias.width), 4, 64));
  const int64_t vectors = ceil_divide(f.lane, f.vector);
  const bool joins = f.walk != Walk::Points && !goes_across(f.walk);
  int widen = most_vectors_at_once(p, f);
  // Joining four vectors at the end of a row costs as much as some vectors of it; two are worth it sooner.
  auto too_short = [&] { return f.lane < f.vector * widen * (joins && widen > 2 ? kVectorsWorthJoins : 2); };
  // Masks leave out lanes of the last vector: not too many of them.
  auto mostly_left_out = [&] { return f.one_call && 8 * round_up(vectors, widen) > 9 * vectors; };
  while (widen > 1 && (too_short() || mostly_left_out())) widen /= 2;
  return static_cast<int>(std::clamp<int64_t>(shifted(f.vector * widen, f.bias.width), 4, 64));
}

}  // namespace

Facts analyze(RowProgram& p, const Target& target, const Bias& bias) {
  Facts f = prepare(p, target, bias);
  if (p.ordered)
    walk(f, Walk::Ordered, axis_for_lanes(p, 0, static_cast<int>(p.outer.size())),
         "the row is walked in order");
  else if (p.row.empty())
    walk(f, Walk::Points, fastest_axis(p, f.vector, f.masks), "pointwise");
  else
    walk_reduction(p, f);
  f.lane = p.extent(f.lane_axis).value;
  f.one_call = suits_masks(p, f);
  f.lanes = choose_lanes(p, f);
  return f;
}

int64_t shifted(int64_t n, int steps) { return steps < 0 ? n >> -steps : n << steps; }

int64_t grain_of(float task) {
  return std::max<int64_t>(1, static_cast<int64_t>(kWorthAThread / std::max(task, 1.f)));
}

bool has_parts(const RowProgram& p) { return !p.scans() || p.accumulators.size() == 1; }

RowProgram keeping(const RowProgram& p, const Facts& f, bool stays) {
  RowProgram kept = p;
  repeat_cheap_values(kept, true, stays ? kRepeatedBesideScratch : kAnyWork, f.lane_axis);
  return kept;
}

// The first store decides where aligned stores begin, so others have to agree. A line of memory that is
// written both ways waits for memory, and all stores after it wait too, so rows that do not fill their lines
// have to be long.
bool streams(const RowProgram& p, const Facts& f) {
  int64_t written = 0, stores = 0;
  bool contiguous = true, whole = true;
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* st = std::get_if<Store>(&stmt);
    if (!st) return;
    ++stores;
    written += p.buffers[st->buffer].elements * static_cast<int64_t>(size_of(p.buffers[st->buffer].dtype));
    contiguous &= stride_along(st->at, f.lane_axis) == 1;
    whole &= st->at.offset.value == 0 && std::all_of(st->at.axes.begin(), st->at.axes.end(), [&](auto& t) {
               return t.axis == f.lane_axis || t.by.value % 64 == 0;
             });
  });
  const int64_t long_row = p.row.empty() ? kStreamedMapRow : kStreamedRow;
  return stores > 0 && contiguous && (whole || (stores == 1 && f.lane >= long_row)) &&
         written > static_cast<int64_t>(f.target.cache_bytes) / 2;
}

}  // namespace weft::plan::cpu
