// How emit_cpu works inside. The entry loops over tasks and outer points; there it runs the statements that
// are the same in every lane, and a CpuSpan for each stretch of those that differ. What one span computes and
// another reads, and the accumulators of Columns, live in arrays of the task's scratch memory.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/cpu/emit_cpu.h"
#include "compiler/emit/reduction.h"
#include "compiler/machine/tuning.h"

namespace weft::emit {

using namespace tuning;

// Where an entry unpacks its numbers.
constexpr const char* kArguments = "WEFT_ARGUMENTS\n";

class CpuEmitter {
 public:
  CpuEmitter(const plan::RowProgram& p, const plan::CpuSchedule& s);
  Emitted run();

 private:
  friend class CpuSpan;

  // ---- cpu.cpp: what varies along the lanes
  void find_varying();
  bool varies(const plan::Stmt& s) const;
  bool values_vary(const plan::Index& at) const;
  const plan::Num* along_x(const plan::Index& at) const;
  // How far a row is from the next along the axis that spans fold several rows of.
  std::string along_rows(const plan::Index& at) const;
  // A test that is the same for a whole stretch of the lane axis.
  bool segments(plan::Value v) const;
  bool per_lane(const plan::Load& load) const;

  // Memory of one task: one element for each position on the lane axis.
  struct Array {
    std::string pointer;  // at lane position left of the current row
    DType dtype;
    bool rows = false;  // one such line for each position of the other row axes
  };
  int64_t lane_extent() const { return extent(x_).value; }
  int64_t padded_lane_extent() const { return (lane_extent() + s_.lanes - 1) / s_.lanes * s_.lanes; }
  int64_t array_elements(bool rows) const;
  Array add_array(DType dtype, bool rows = false);
  void find_arrays();
  // One more argument word after the program's own parameters.
  std::string extra(int64_t value);

  // ---- cpu.cpp: entries and their loops
  std::string entry();
  std::string finish_entry();
  std::string signature(const char* suffix) const;
  std::string unpack() const;
  std::string unpack_arguments() const;
  void plan_tasks();
  // Loops over tasks and outer points around `point`; `before` runs once for each task.
  std::string task_loops(bool parts, const std::string& point, const std::string& before = "") const;
  std::string loop_bounds(int axis, std::string& from, std::string& to) const;
  int many_rows_axis(const plan::Sweep& sweep) const;
  std::string sweep(const plan::Sweep& sweep);
  std::string block(const std::vector<plan::Stmt>& stmts);
  std::string start_total(int a) const;

  // ---- reduce.cpp: totals of a row, and partial ones where it is split
  // The accumulator whose result a value is, or -1.
  int accumulator_of(plan::Value v) const;
  // Sums and products of a row are joined span by span: no vectors of totals to load and store.
  bool scalar_total(const plan::Accumulator& acc) const {
    return adds_up(acc) && !is_complex(acc.dtype) && !acc.is_running();
  }
  // `total` joined with a vector of its dtype.
  std::string add_to_total(int a, const std::string& total, const std::string& value) const;
  // Whether a span folds numbers and tells by bits whether some were NaN.
  bool counts_nans(const plan::Accumulator& acc) const;
  // Whether a sum has so few vectors that they are joined in their own precision: no more terms than a span
  // adds up in it.
  bool few_vectors(const plan::Accumulator& acc) const;
  // Whether a row has more terms than are added up in their own dtype.
  bool widens(const plan::Accumulator& acc) const;
  // What a row's total is kept in. One of few vectors that is a single span's is in no need of a wider dtype.
  DType row_total_dtype(const plan::Accumulator& acc) const;
  std::string total_type(const plan::Accumulator& acc) const;
  // The total as a value; once a row is over.
  std::string total_value(int a) const;
  std::string declare_total(int a) const;
  std::string clear_total(int a) const;
  std::string finish_total(int a) const;
  // Defines an accumulator's result, given in the dtype of its total.
  std::string define_total(const plan::Accumulator& acc, DType total, const std::string& value) const;
  void place_partials();
  std::string partial_at(int a, bool position, const std::string& part) const;
  std::string store_partials() const;
  std::string load_partials() const;
  // The total of an accumulator over the first `count` parts.
  std::string join_partials(int a, const std::string& count) const;
  std::string convert(DType from, DType to, const std::string& x) const;
  std::string identity(const plan::Accumulator& acc, DType t) const { return identity_of(acc, t, dialect_); }

  // ---- across.cpp: totals across the points, an element of the row each
  void place_across();
  std::string clear_across() const;
  std::string across_entry();

  // ---- transpose.cpp: loads that run along another axis than the lanes
  bool transposed(const plan::Load& load) const;
  void find_transposed();
  // At an outer point: turns squares over where a row begins that none of the last holds.
  std::string fill_tiles() const;
  // Where a transposed load's current row lies, less the position on the lane axis where it begins.
  std::string tile_row(plan::Value loaded) const;

  // ---- window.cpp: what rows of masked loads may ask for
  void find_windows();
  // Names of the bounds of a buffer's memory, which the entry at hand finds.
  std::string first_of(int buffer);
  std::string past_of(int buffer);
  // What an entry finds before its loops.
  std::string find_bounds() const;

  // ---- uniform.cpp: statements that are the same in every lane
  // Whether a half is stored that was rounded from a wider number. Stores round by themselves, so they take
  // that, which is named e<n>: LLVM does not see that it would be rounded twice.
  bool keeps_unrounded(plan::Value v) const;
  std::string stored_name(plan::Value v) const;
  // Statements that define such a value.
  std::string define_rounded(plan::Value v, const std::string& unrounded) const;
  // Values are vectors everywhere; those that index also have their first lane as `x<n>`, tests as `g<n>`.
  std::string define_uniform(plan::Value v, const std::string& expression) const;
  std::string define_position(plan::Value v, const std::string& expression) const;
  std::string uniform(const plan::Stmt& stmt) const;
  std::string argument(const plan::Argument& a) const;
  // An index as a number, without its term on the lane axis.
  std::string offset(const plan::Index& at) const;
  // Those that are the same in every lane, as one condition.
  std::string guard(const std::vector<plan::Value>& guards) const;

  bool has_partials() const { return s_.split > 1 || goes_across_; }
  int outer_rank() const { return static_cast<int>(p_.outer.size()); }
  const plan::Num& extent(int axis) const { return p_.extent(axis); }
  std::string type(DType t) const { return dialect_.value_type(t); }

  const plan::RowProgram& p_;
  const plan::CpuSchedule& s_;
  int x_;         // the lane axis
  bool columns_;  // accumulators are arrays over the lanes
  CpuDialect dialect_;

  std::vector<char> varies_;
  std::vector<const plan::Stmt*> definition_;
  std::set<plan::Value> stored_halves_;
  std::map<plan::Value, Array> arrays_;
  std::map<plan::Value, std::string> tiles_;    // of the transposed loads
  std::map<plan::Value, std::string> windows_;  // of masked loads, where copies of their rows go
  std::string zeros_, zeros_bytes_;             // a row of them, for loads that a guard shuts off
  std::map<std::string, std::string> bounds_;   // of buffers, that the entry at hand finds
  // Of the accumulators: Columns. In the finishing entry, of those that go across.
  std::vector<Array> totals_, positions_;
  std::vector<Array> across_;  // what a task has of the accumulators that go across, over the whole row
  std::vector<std::string> partials_;  // where each accumulator's values and positions begin
  int rows_axis_ = -1;                 // see many_rows_axis(); of the sweep at hand
  bool scans_ = false, goes_across_ = false;
  bool tests_rows_ = false;  // some masked span has bounds
  // Split scans: the entry totals each part, where it folds what the finishing entry scans.
  bool totalling_ = false;

  struct TaskNames {
    std::string rows, chunk, chunks, split, part_length, points;
  } names_;
  struct AcrossNames {
    std::string elements, parts, chunk, chunks;
  } across_names_;
  std::vector<int64_t> extra_;
  std::string points_, pad_, row_ = "0";
  std::string functions_;
  std::set<std::string> run_functions_;
  std::set<int> prefetched_;  // buffers, of the entry at hand
  int64_t scratch_bytes_ = 0, partial_bytes_ = 0, tasks_ = 1, finish_tasks_ = 0;
  int spans_ = 0;
};

inline std::string name_of(plan::Value v) { return fmt::format("v{}", v); }

}  // namespace weft::emit
