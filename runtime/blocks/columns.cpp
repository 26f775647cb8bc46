// Columns: a block of them is walked down, with a total for each.
#include <algorithm>

#include "runtime/blocks/run.h"

namespace weft::runtime {

// Totals of `total`, or of `span` while rows are grouped.
void Run::fold_columns(const BlockInstruction& i) {
  const BlockTotal& t = total(i.out);
  const int width = loops_.wide.width;
  const int64_t count = (count_ + width - 1) / width * width;
  const bool product = i.arity == 2 && !t.finds;
  const char* in[2];
  long steps[2];
  const int64_t bytes[2] = {int64_t(size_of(t.value)), t.finds ? 8 : int64_t(size_of(t.value))};
  for (int k = 0; k < i.arity; ++k)
    in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]] == 0 ? 0 : width * bytes[k];
  alignas(64) char pads[2][kMostKernelLanes * sizeof(Bytes16)];
  if (count != count_)
    // What lies beyond is not looked at; it is only there.
    for (int k = 0; k < i.arity; ++k) {
      if (steps[k] == 0) continue;
      std::memset(pads[k], 0, static_cast<size_t>(count * bytes[k]));
      std::memcpy(pads[k], in[k], static_cast<size_t>(count_ * bytes[k]));
      in[k] = pads[k];
    }
  if (grouped_)
    return loops_.wide.folds[product ? t.fold_product : t.fold](
        lanes(t) + (at_ - grouped_from_) * static_cast<int64_t>(size_of(t.span)), positions(t), in, steps,
        count, 1);
  const int64_t first = at_ - kept_from_;
  add_columns(t, sums(t) + first * static_cast<int64_t>(size_of(t.total)), positions(t) + first * 8, in,
              steps, count, product, t.spread);
}

// Values become `total` by a cast and join the sums.
void Run::add_columns(const BlockTotal& t, char* to, char* places, const char** in, long* steps,
                      int64_t count, bool product, int32_t cast) {
  if (cast >= 0) {
    const long step = steps[0] / loops_.wide.width * loops_.lanes;
    loops_.loops[cast](where(t.wide), in, &step, count / loops_.lanes);
    in[0] = where(t.wide);
    steps[0] = loops_.wide.width * static_cast<long>(size_of(t.total));
  }
  loops_.wide.folds[product ? t.fold_total_product : t.fold_total](to, places, in, steps, count, 1);
}

void Run::start_columns(const BlockTotal& t, int64_t count) {
  fill(sums(t), t.none_of_total, t.total, whole_vectors(count));
  if (t.finds) fill_positions(positions(t), whole_vectors(count));
}

void Run::finish_columns(const BlockTotal& t, int64_t count) {
  if (t.out < 0) return;
  const char* from = t.finds ? positions(t) : sums(t);
  if (t.finish < 0) {
    std::memcpy(own(t.out), from, static_cast<size_t>(count * p_.slots[static_cast<size_t>(t.out)].bytes));
    return;
  }
  const long step = static_cast<long>(t.finds ? 8 : size_of(t.total)) * loops_.lanes;
  loops_.loops[t.finish](own(t.out), &from, &step, (count + loops_.lanes - 1) / loops_.lanes);
}

// Several rows of columns [from, to): they are added in `span` before they join wider totals. `alone`: no
// columns of the block lie behind them.
void Run::walk_rows(const BlockSweep& sweep, int64_t from, int64_t to, int64_t rows, bool alone) {
  const int64_t first = position_[sweep.rows_axis], width = loops_.wide.width,
                padded = (to - from + width - 1) / width * width;
  for (int32_t k : sweep.totals) fill(lanes(total(k)), total(k).none_of_span, total(k).span, padded);
  grouped_ = true, grouped_from_ = from;
  for (int64_t r = 0; r < rows; ++r) {
    position_[sweep.rows_axis] = first + r;
    same(sweep.body);
    walk(sweep.body, from, to);
  }
  position_[sweep.rows_axis] = first;
  grouped_ = false;
  for (int32_t k : sweep.totals) {
    const BlockTotal& t = total(k);
    const char* in = lanes(t);
    long step = static_cast<long>(size_of(t.span)) * width;
    const int64_t bytes = static_cast<int64_t>(size_of(t.total));
    const auto live = static_cast<size_t>((to - from) * bytes);
    char *const at = sums(t) + (from - kept_from_) * bytes, *const to_add = alone ? at : wider(t);
    // A whole vector would reach into what lies behind.
    if (!alone) std::memcpy(to_add, at, live);
    add_columns(t, to_add, nullptr, &in, &step, padded, false, t.widen);
    if (!alone) std::memcpy(at, to_add, live);
  }
}

// Columns [from, to) of those of a task, which begin at `left`; at most a block.
void Run::sweep_columns(const BlockSweep& sweep, int64_t part, int64_t from, int64_t to) {
  const int64_t lanes = p_.walk.lanes;
  const bool groups = sweep.rows_axis >= 0;
  each_line(p_.walk.outer, part, sweep.rows_axis, p_.walk.group_rows, [&](int64_t, int64_t, int64_t rows) {
    if (!groups) {
      same(sweep.body);
      return walk(sweep.body, from, to);
    }
    // A stretch for which no test changes has whole vectors, which add several rows in `span`, then less than
    // one, which adds one row after another.
    const int64_t first = position_[sweep.rows_axis];
    same(sweep.body);
    int64_t begin = task_left_, end = stretch(sweep, begin, task_right_);
    for (int64_t at = from; at < to;) {
      while (end <= at) begin = end, end = stretch(sweep, begin, task_right_);
      const int64_t vectors_end = begin + (end - begin) / lanes * lanes;
      const bool whole = at < vectors_end;
      const int64_t next = std::min(to, whole ? vectors_end : end);
      for (int64_t r = 0; r < rows; r += whole ? rows : 1) {
        position_[sweep.rows_axis] = first + r;
        walk_rows(sweep, at, next, whole ? rows : 1, next == to);
      }
      position_[sweep.rows_axis] = first;
      at = next;
    }
  });
}

void Run::run_columns(int64_t point, int64_t part, bool finishes) {
  const bool whole = p_.walk.split == 1, scans = p_.walk.scans;
  const int64_t line = point * extent(p_.walk.lane_axis);
  for (int64_t from = task_left_, to; from < task_right_; from = to) {
    to = std::min(from + p_.block, task_right_);
    kept_from_ = from;
    for (const BlockSweep& sweep : p_.sweeps) {
      same(sweep.before);
      walk(sweep.before, from, to);
      for (int32_t k : sweep.totals) start_columns(total(k), to - from);
      // A scan goes on from what the parts before left.
      if (finishes)
        for (int32_t k : sweep.totals)
          join_columns(total(k), line + from, to - from, scans ? part : p_.walk.split);
      if (!finishes || scans) sweep_columns(sweep, part, from, to);
      if (whole || finishes)
        for (int32_t k : sweep.totals) finish_columns(total(k), to - from);
    }
    if (whole || finishes) {
      same(p_.epilogue);
      walk(p_.epilogue, from, to);
    } else {
      keep_columns(part * points() + line + from, to - from);
    }
  }
}

void Run::keep_columns(int64_t at, int64_t count) {
  for (const BlockTotal& t : p_.totals) {
    const int64_t bytes = static_cast<int64_t>(size_of(t.total));
    std::memcpy(parts(t.partials) + at * bytes, sums(t), static_cast<size_t>(count * bytes));
    if (t.finds)
      std::memcpy(parts(t.partial_positions) + at * 8, positions(t), static_cast<size_t>(count * 8));
  }
}

// The first `count` parts, one after another.
void Run::join_columns(const BlockTotal& t, int64_t at, int64_t count, int64_t parts_count) {
  const int64_t bytes = static_cast<int64_t>(size_of(t.total)), width = loops_.wide.width,
                padded = (count + width - 1) / width * width;
  for (int64_t q = 0; q < parts_count; ++q) {
    const int64_t first = q * points() + at;
    std::memcpy(where(t.wide), parts(t.partials) + first * bytes, static_cast<size_t>(count * bytes));
    const char* in[2] = {where(t.wide), nullptr};
    long steps[2] = {width * bytes, width * 8};
    if (t.finds) {
      std::memcpy(lanes(t), parts(t.partial_positions) + first * 8, static_cast<size_t>(count * 8));
      in[1] = lanes(t);
    }
    loops_.wide.folds[t.fold_total](sums(t), positions(t), in, steps, padded, 1);
  }
}

}  // namespace weft::runtime
