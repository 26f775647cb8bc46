// One thread's run of a block program: the memory that its slots lie in, where it stands, and what it does for
// a block, a row, a column and a task. Each part has a file of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "compiler/program/blocks.h"
#include "runtime/blocks/arguments.h"
#include "runtime/blocks/elements.h"
#include "runtime/blocks/loops.h"

namespace weft::runtime {

class Run {
 public:
  Run(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments, char* memory);
  // Tasks [begin, end).
  void operator()(int64_t begin, int64_t end, bool finishes);

 private:
  using Kind = BlockInstruction::Kind;
  using How = BlockTotal::How;

  // ---- where things lie

  char* where(int32_t slot) const { return where_[slot]; }
  char* own(int32_t slot) const { return memory_ + p_.slots[static_cast<size_t>(slot)].offset; }
  void put(int32_t slot, const char* element) {
    repeat(where(slot), element, p_.slots[static_cast<size_t>(slot)].bytes, kMostBlockLanes);
  }
  int64_t number(int32_t slot) const { return read<int64_t>(where(slot)); }
  char* buffer(const BlockAccess& a) const { return reinterpret_cast<char*>(arguments_.buffers[a.buffer]); }
  const BlockAccess& access(int32_t k) const { return p_.accesses[static_cast<size_t>(k)]; }
  const BlockTotal& total(int32_t k) const { return p_.totals[static_cast<size_t>(k)]; }
  int64_t extent(int axis) const { return p_.walk.extents[static_cast<size_t>(axis)]; }

  // ---- a block (block.cpp)

  // What is the same for all of its elements.
  void same(const BlockInstruction& i);
  void same(const BlockList& list) {
    for (auto& i : list.same) same(i);
  }
  // Elements [from, to) of the axis that blocks lie along.
  void walk(const BlockList& list, int64_t from, int64_t to);
  void each(const BlockInstruction& i);
  void loop(const BlockInstruction& i, long vectors);
  void load(const BlockInstruction& i, const BlockAccess& a);
  void store(const BlockInstruction& i, const BlockAccess& a);
  void test(const BlockInstruction& i, const BlockAccess& a);
  const char* mask_of(const BlockAccess& a, bool& none) const;
  // The index of each element of the block.
  void numbers(const BlockAccess& a, char* to) const;
  // Of element 0.
  int64_t start(const BlockAccess& a) const;
  // Where a contiguous access begins.
  char* lies(const BlockAccess& a) const { return buffer(a) + (start(a) + at_) * a.bytes; }
  void aim(int32_t slot, const BlockAccess& a) { where_[slot] = partial_ ? own(slot) : lies(a); }
  template <class F>
  void each_run(const BlockAccess& a, F&& f) const;

  // ---- totals (totals.cpp)

  char* lanes(const BlockTotal& t) const { return memory_ + t.lanes; }
  char* wider(const BlockTotal& t) const { return memory_ + t.wider; }
  char* sums(const BlockTotal& t) const { return memory_ + t.sums; }
  char* positions(const BlockTotal& t) const { return memory_ + t.positions; }
  void start_total(const BlockTotal& t);
  void fold(const BlockInstruction& i);
  void finish_total(const BlockTotal& t);
  void put_result(const BlockTotal& t, char* from);
  char* result(const BlockTotal& t) const;
  void join(const BlockTotal& t);
  // The kernel adds up so many elements, and joins their lanes, before it goes on.
  void start_call(const BlockSweep& sweep);
  void end_call(const BlockSweep& sweep);
  void widen(int32_t total);
  template <class Span, class Total>
  void join_as(const BlockTotal& t);

  // ---- running values (scans.cpp)

  void scan(const BlockInstruction& i);
  void scan_columns(const BlockInstruction& i);
  void scan_dtype(const BlockTotal& t, const char* from, bool repeats);
  template <class Span, class Total>
  void scan_as(const BlockTotal& t, const char* from, bool repeats);
  // Values of a total's dtype as those of the result.
  void give(const BlockTotal& t, int32_t out, const char* from);

  // ---- rows (rows.cpp)

  void run_rows(int64_t point, int64_t part, bool finishes);
  void sweep_rows(const BlockSweep& sweep, int64_t part);
  void walk_row(const BlockSweep& sweep, int64_t left, int64_t right);
  void finish_rows(int64_t point);
  void join_parts(const BlockTotal& t, int64_t point, int64_t count);
  void keep_parts(int64_t point, int64_t part);
  // Positions before vectors can be aligned.
  int64_t head(const BlockSweep& sweep, int64_t at) const;

  // ---- columns (columns.cpp)

  void run_columns(int64_t point, int64_t part, bool finishes);
  void sweep_columns(const BlockSweep& sweep, int64_t part, int64_t from, int64_t to);
  void walk_rows(const BlockSweep& sweep, int64_t from, int64_t to, int64_t rows, bool alone);
  void fold_columns(const BlockInstruction& i);
  void add_columns(const BlockTotal& t, char* to, char* places, const char** in, long* steps, int64_t count,
                   bool product, int32_t cast);
  void start_columns(const BlockTotal& t, int64_t count);
  void finish_columns(const BlockTotal& t, int64_t count);
  void join_columns(const BlockTotal& t, int64_t at, int64_t count, int64_t parts);
  void keep_columns(int64_t at, int64_t count);

  // ---- totals across the points (across.cpp)

  void clear_across(int64_t task);
  void fold_across(const BlockInstruction& i);
  void finish_across(int64_t task);
  char* array_of(const BlockTotal& t, int64_t task) const;

  // ---- tasks, as the kernel's (run_blocks.cpp)

  void run_task(int64_t task, bool finishes);
  void stand_at(int64_t point);
  static int64_t unit(const BlockProgram& p, const BlockLoops& loops);
  int64_t points() const {
    return p_.walk.points * (p_.shape == BlockProgram::Shape::Columns ? extent(p_.walk.lane_axis) : 1);
  }
  char* parts(int64_t first) const {
    return reinterpret_cast<char*>(arguments_.buffers[p_.walk.partials]) + first;
  }
  // The end of a stretch from `from` on for which no test changes.
  int64_t stretch(const BlockSweep& sweep, int64_t from, int64_t right) const;
  // Calls f(left, right, rows) for each position on the row's axes from `first` on but for the lane axis, the
  // last of which moves first; in steps of `many` on one axis.
  template <class F>
  void each_line(int first, int64_t part, int32_t many_axis, int64_t many, F&& f);

  const BlockProgram& p_;
  const BlockLoops& loops_;
  const BlockArguments arguments_;
  char* const memory_;
  char** const where_;
  long* const steps_;
  int64_t* const position_;  // on each axis on which a block has one
  int64_t* const terms_;     // of each total, that its lanes have added up
  int64_t* const run_;       // on the strides of an access
  const int64_t unit_;
  int64_t at_ = 0, count_ = 0, vectors_ = 0;  // the block
  int64_t line_ = 0, kept_from_ = 0;          // of values between lists
  int64_t group_ = 1, grouped_from_ = 0;
  int64_t task_ = 0, task_left_ = 0, task_right_ = 0;  // the task, and its columns
  bool partial_ = false, grouped_ = false;
};

inline void fill(char* to, const uint64_t (&words)[2], DType t, int64_t count) {
  repeat(to, reinterpret_cast<const char*>(words), static_cast<int>(size_of(t)), count);
}
void fill_positions(char* to, int64_t count);
// As many as whole vectors of a kernel hold.
constexpr int64_t whole_vectors(int64_t count) {
  return (count + kMostKernelLanes - 1) / kMostKernelLanes * kMostKernelLanes;
}

template <class F>
void Run::each_line(int first, int64_t part, int32_t many_axis, int64_t many, F&& f) {
  const int axes = static_cast<int>(p_.walk.extents.size()), lane = p_.walk.lane_axis;
  int64_t low = 0, high = extent(p_.walk.outer);
  if (p_.walk.split > 1) {
    low = std::min(part * p_.walk.part_length, high);
    high = std::min(low + p_.walk.part_length, high);
  }
  const auto from = [&](int a) { return a == p_.walk.outer ? low : 0; };
  const auto to = [&](int a) { return a == p_.walk.outer ? high : extent(a); };
  const bool along = lane >= p_.walk.outer;
  const int64_t left = along ? from(lane) : 0, right = along ? to(lane) : 0;
  int64_t lines = 1;
  for (int a = first; a < axes; ++a)
    if (a != lane) position_[a] = from(a), lines *= to(a) - from(a);
  if (lines <= 0) return;
  for (;;) {
    line_ = 0;
    for (int a = p_.walk.outer; a < axes; ++a)
      if (a != lane) line_ = line_ * extent(a) + position_[a];
    const int64_t rows = many_axis >= 0 ? std::min(many, to(many_axis) - position_[many_axis]) : 1;
    f(left, right, rows);
    int a = axes - 1;
    for (; a >= first; --a) {
      if (a == lane) continue;
      position_[a] += a == many_axis ? rows : 1;
      if (position_[a] < to(a)) break;
      position_[a] = from(a);
    }
    if (a < first) return;
  }
}

}  // namespace weft::runtime
