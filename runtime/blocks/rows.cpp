// Rows: blocks along each of them, one sweep after another; sections of rows, and parts of split ones.
#include <algorithm>

#include "runtime/blocks/joins.h"
#include "runtime/blocks/run.h"

namespace weft::runtime {

int64_t Run::head(const BlockSweep& sweep, int64_t at) const {
  if (sweep.aligned == BlockSweep::kPositions) return -at & (p_.walk.lanes - 1);
  const BlockAccess& a = access(sweep.aligned);
  const char* const first = buffer(a) + (start(a) + at) * a.bytes;
  const int64_t unit = std::min<int64_t>(p_.walk.lanes * a.bytes, 64);
  return (-static_cast<int64_t>(reinterpret_cast<uintptr_t>(first)) & (unit - 1)) / a.bytes;
}

void Run::walk_row(const BlockSweep& sweep, int64_t left, int64_t right) {
  same(sweep.body);
  if (!sweep.folds) return walk(sweep.body, left, right);
  if (p_.walk.masked) {
    start_call(sweep);
    walk(sweep.body, left, right);
    return end_call(sweep);
  }
  for (int64_t at = left; at < right;) {
    int64_t count = stretch(sweep, at, right) - at;
    if (sweep.aligned != BlockSweep::kNone)
      if (const int64_t before = head(sweep, at)) count = std::min(count, before);
    const int64_t vectors = std::min<int64_t>(count / p_.walk.lanes, p_.walk.call_vectors);
    const int64_t end = at + (vectors == 0 ? count : vectors * p_.walk.lanes);
    start_call(sweep);
    walk(sweep.body, at, end);
    end_call(sweep);
    at = end;
  }
}

void Run::sweep_rows(const BlockSweep& sweep, int64_t part) {
  const auto walk_it = [&](int64_t left, int64_t right, int64_t) { walk_row(sweep, left, right); };
  if (p_.walk.section_axes == 0) return each_line(p_.walk.outer, part, -1, 1, walk_it);
  const int first = p_.walk.outer, last = first + p_.walk.section_axes;
  int64_t sections = 1;
  for (int a = first; a < last; ++a) position_[a] = 0, sections *= extent(a);
  for (int64_t n = 0; n < sections; ++n) {
    for (int32_t k : sweep.section_totals) start_total(total(k));
    each_line(last, part, -1, 1, walk_it);
    for (int32_t k : sweep.section_totals) finish_total(total(k));
    same(sweep.after_section);
    for (int a = last; a-- > first;) {
      if (++position_[a] < extent(a)) break;
      position_[a] = 0;
    }
  }
}

void Run::run_rows(int64_t point, int64_t part, bool finishes) {
  kept_from_ = 0;
  if (finishes && !p_.walk.scans) return finish_rows(point);
  const bool whole = p_.walk.split == 1;
  for (const BlockSweep& sweep : p_.sweeps) {
    same(sweep.before);
    for (int32_t k : sweep.totals) start_total(total(k));
    // A scan goes on from what the parts before left.
    if (finishes)
      for (int32_t k : sweep.totals) join_parts(total(k), point, part);
    sweep_rows(sweep, part);
    if (whole)
      for (int32_t k : sweep.totals) finish_total(total(k));
  }
  if (whole || finishes) return same(p_.epilogue);
  keep_parts(point, part);
}

void Run::keep_parts(int64_t point, int64_t part) {
  const int64_t at = part * points() + point;
  for (const BlockTotal& t : p_.totals) {
    join(t);
    const size_t bytes = size_of(t.total);
    std::memcpy(parts(t.partials) + at * static_cast<int64_t>(bytes), t.how == How::Any ? lanes(t) : sums(t),
                bytes);
    if (t.finds) std::memcpy(parts(t.partial_positions) + at * 8, positions(t), 8);
  }
}

void Run::finish_rows(int64_t point) {
  same(p_.sweeps[0].before);
  for (const BlockTotal& t : p_.totals) {
    start_total(t);
    join_parts(t, point, p_.walk.split);
    put_result(t, result(t));
  }
  same(p_.epilogue);
}

// The first `count` parts, one after another.
void Run::join_parts(const BlockTotal& t, int64_t point, int64_t count) {
  const int64_t bytes = static_cast<int64_t>(size_of(t.total));
  char* const to = t.how == How::Any ? lanes(t) : sums(t);
  for (int64_t q = 0; q < count; ++q) {
    char* part = parts(t.partials) + (q * points() + point) * bytes;
    if (t.how == How::Lanes) {
      if (t.total == DType::C128) {
        auto* sum = reinterpret_cast<Complex*>(to);
        *sum = joined(t.product, *sum, read<Complex>(part));
      } else {
        auto* sum = reinterpret_cast<double*>(to);
        *sum = joined(t.product, *sum, read<double>(part));
      }
      continue;
    }
    alignas(64) char values[kMostBlockLanes * sizeof(Bytes16)], at[kMostBlockLanes * 8];
    repeat(values, part, static_cast<int>(bytes), loops_.wide.width);
    if (t.finds) repeat(at, parts(t.partial_positions) + (q * points() + point) * 8, 8, loops_.wide.width);
    const char* in[2] = {values, at};
    const long steps[2] = {0, 0};
    loops_.wide.folds[t.fold_total](to, positions(t), in, steps, loops_.wide.width, 1);
  }
}

}  // namespace weft::runtime
