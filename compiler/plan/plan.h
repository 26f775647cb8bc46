// A kernel as loops, before anyone says how fast: parallel outer axes, row axes, and a list of sweeps over
// the row. It knows no target.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/shape.h"
#include "compiler/ir/lines.h"
#include "compiler/ir/ops/op.h"

namespace weft::ir {
struct Function;
}

namespace weft::plan {

// An integer of the index arithmetic. Where `param` >= 0 the source reads it from the kernel's arguments, so
// that another value needs no other kernel; else the value itself stands in the source.
struct Num {
  int64_t value = 0;
  int param = -1;  // kLiteral: the schedule wants it in the source, whatever it is
  friend bool operator==(const Num&, const Num&) = default;
};

constexpr int kLiteral = -2;

// One scalar expression's name. Statements define each value once.
using Value = int;

struct AxisTerm {
  int axis;  // outer axes first, then row axes
  Num by;
};
struct ValueTerm {
  Value value;  // an i64 value
  Num by;
};
// offset + sum of axis positions and integer values, each times a number. In elements.
struct Index {
  std::vector<AxisTerm> axes;
  std::vector<ValueTerm> values;
  Num offset;
};

// Memory of which a function's loop walks an element a turn: that of turn 0 lies at a position which the call takes
// behind its other operands, and turns are `step` elements apart.
struct Series {
  int buffer;
  Num step;
  int64_t turns = 0;
};

struct Let {
  Value out;
  ir::Op op;
  std::vector<Value> args;
  // Of `apply`: what it computes, and which result it is. Operands beyond the function's are bools: where one is
  // false, nothing is asked for, and no loop is to run.
  std::shared_ptr<const ir::Function> function = {};
  int result = 0;
  std::vector<Series> series = {};
};  // a map op; cast and bitcast go by the values' dtypes
// What it costs an element, as OpInfo::cost.
float cost_of(const Let& let);
struct Literal {
  Value out;
  Scalar value;
};  // stands in the source
struct Argument {
  Value out;
  int scalar;
};  // a scalar argument
struct Position {
  Value out;
  Index at;
};  // i64: the value of an index
struct Divide {
  Value out;
  Value of;
  Num divisor;
  bool remainder;
};  // i64: floor quotient or remainder
struct Clamp {
  Value out;
  Value index;
  Num extent;
};  // i64: counted from the end when negative, then kept in [0, extent)
struct Test {
  Value out;
  Index at;
  Num extent;
};  // bool: 0 <= at < extent
// One of `length` statements that follow each other and access neighbours, this the one behind `nth` others.
struct Run {
  int nth = 0, length = 1;
};
struct Load {
  Value out;
  int buffer;
  Index at;
  std::vector<Value> guards;
  Run run = {};
};  // unspecified, and not touched, where a guard is false
struct Fold {
  int accumulator;
  Value value;
  Value position = -1;  // i64, for argmax and argmin
  Value factor = -1;    // of sums: what is added is value * factor, rounded once with the sum
};
struct Scan {
  Value out;
  int accumulator;
  Value value;
};  // what the (running) accumulator holds once `value` is folded into it
// The largest of what was folded, of these elements and those before. Where that grew, the sums that are
// relative to it are rescaled.
struct Largest {
  Value out;
  int accumulator;
};
// What a store does to the element. Largest (i32) and Sum (integers) come in any order with others at the
// same index: the largest of them and of what was there stays, or their sum.
enum class Storing : uint8_t { Plain, Largest, Sum };
struct Store {
  int buffer;
  Index at;
  Value value;
  Run run = {};
  Storing how = Storing::Plain;
};
using Stmt =
    std::variant<Let, Literal, Argument, Position, Divide, Clamp, Test, Load, Fold, Scan, Largest, Store>;

// What an accumulator totals. The row: `out` is known after the sweep that folds into it.
struct OverRow {
  // A sum of exp(x - m), where m is the largest x that this accumulator found.
  std::optional<int> relative_to = {};
};
// Each stretch of the row from its first element: fed by one Scan, along the only row axis, which is walked in
// order. `out` is read by nobody.
struct Running {};
// The outer points, with a total for each row element. No sweep finishes it; `out` is a row value of `after`.
struct OverPoints {};
// A section of the row, with a total for each of them. `out` is known to Sweep::after_section alone.
struct OverSection {};
using Reach = std::variant<OverRow, Running, OverPoints, OverSection>;

struct Accumulator {
  ir::Op op;    // sum, prod, max, min, any, all, argmax, argmin
  DType dtype;  // of the values folded
  Value out;    // dtype, or i64 for argmax and argmin
  Reach reach = OverRow{};

  bool is_running() const { return std::holds_alternative<Running>(reach); }
  bool is_over_points() const { return std::holds_alternative<OverPoints>(reach); }
  bool is_over_section() const { return std::holds_alternative<OverSection>(reach); }
  std::optional<int> relative_to() const {
    const auto* row = std::get_if<OverRow>(&reach);
    return row ? row->relative_to : std::nullopt;
  }
};

inline bool adds_up(const Accumulator& acc) { return acc.op == ir::Op::sum || acc.op == ir::Op::prod; }
// What a short run of elements accumulates in: halves in f32.
inline DType span_dtype(const Accumulator& acc) { return is_half(acc.dtype) ? DType::F32 : acc.dtype; }
// What the runs are joined in: sums and products of floats in f64, so that long rows lose nothing.
DType total_dtype(const Accumulator& acc);

// One pass over the row. `before` runs once for each outer point, `body` once for each row element.
struct Sweep {
  std::vector<Stmt> before, body;
  std::vector<int> accumulators;  // those it finishes
  // Accumulators of sections that it folds into, and what runs once for each section, when that is walked.
  std::vector<int> section_totals;
  std::vector<Stmt> after_section;
};

struct BufferUse {
  DType dtype;
  bool written = false;
  int64_t elements = 0;         // of the whole buffer
  int64_t first = 0, past = 0;  // there is memory for elements [first, past), counted from where it is passed
};

struct ValueInfo {
  DType dtype;
  bool row = false;  // differs from one row element to the next
};

// A program without row axes is pointwise: one sweep, whose body runs once for each outer point.
struct RowProgram {
  std::vector<Num> outer, row;  // extents
  // Of the row, the first ones: each position on them is a section that is totalled by itself.
  int section_axes = 0;
  std::vector<Sweep> sweeps;
  std::vector<Stmt> epilogue;  // once for each outer point, on finished accumulators
  // Once for each row element, when all outer points are done: on accumulators that go across. Of other
  // values it knows its own alone.
  std::vector<Stmt> after;
  std::vector<Accumulator> accumulators;
  std::vector<ValueInfo> values;
  std::vector<BufferUse> buffers;
  std::vector<DType> scalars;
  // The row has to be walked one element after another: a later store may hit what an earlier one wrote
  // (scatter).
  bool ordered = false;
  // The numbers that the source reads from its arguments, once parameterize() has run.
  std::vector<int64_t> params;

  // Whether anything is scanned: the row is one axis then, and keeps its order.
  bool scans() const;
  // Whether the outer points are reduced, too: some accumulators are OverPoints.
  bool reduces_points() const;

  // Axes are numbered through: the outer ones, then those of the row.
  const Num& extent(int axis) const {
    const size_t a = static_cast<size_t>(axis);
    return a < outer.size() ? outer[a] : row[a - outer.size()];
  }
  int64_t outer_count() const { return count(outer); }
  int64_t row_count() const { return count(row); }
  int64_t section_count() const { return count({row.begin(), row.begin() + section_axes}); }

 private:
  static int64_t count(const std::vector<Num>& axes) {
    int64_t n = 1;
    for (auto& a : axes) n *= a.value;
    return n;
  }
};

// Whether some statement computes a function of scalars.
bool has_function(const RowProgram& program);
// Whether one of them has loops.
bool has_loop(const RowProgram& program);

// The values that a statement reads and the one that it defines (-1: none).
std::vector<Value> uses(const Stmt& stmt);
Value defines(const Stmt& stmt);
// Calls f(series, position of turn 0) on each series of the program's functions.
void for_each_series(const RowProgram& program,
                     const std::function<void(const Series& series, const Index& at)>& f);
bool has_series(const RowProgram& program);
// Gives each value that a statement reads, or the one that it defines, another name.
void rename_uses(Stmt& stmt, const std::function<Value(Value)>& name);
void set_definition(Stmt& stmt, Value v);
// How many elements apart neighbours on an axis lie; 0 where the index does not name the axis.
int64_t stride_along(const Index& at, int axis);
// Whether a load is contiguous along `axis` and jumps along the lanes'.
bool is_transposed(const Load& load, int axis, int lane_axis);
// The index of a statement that has one, else null.
const Index* index_of(const Stmt& stmt);
Index* index_of(Stmt& stmt);

// Calls f(Stmt&) on every statement, in order of execution.
template <class Program, class F>
void for_each_stmt(Program& program, F&& f) {
  for (auto& sweep : program.sweeps) {
    for (auto& s : sweep.before) f(s);
    for (auto& s : sweep.body) f(s);
    for (auto& s : sweep.after_section) f(s);
  }
  for (auto& s : program.epilogue) f(s);
  for (auto& s : program.after) f(s);
}

// Of the statements of a body those that its scans' values are made of, and the scans.
std::vector<Stmt> scanned_only(const std::vector<Stmt>& body);

// Joins neighbouring axes that every index walks as one, and drops axes of extent 1.
void collapse_axes(RowProgram& program);
// The same of a map where tests ask for a range of the outer one of two axes: a range of whole rows is one of
// their elements. Of `i < 3` and `x[i*7 + j]`, with 7 elements of j: `k < 21` and `x[k]`.
void collapse_ranges_of_rows(RowProgram& program);

// Values used in a sweep after the one that computes them are computed again there when that is cheap: loads
// (when `repeat_loads`) and maps of cost at most `repeat_cost` a lane; whatever the cost, when they are the
// same all along `lane_axis` (-1: none). What still crosses is left for the schedule to keep.
void repeat_cheap_values(RowProgram& program, bool repeat_loads, float repeat_cost, int lane_axis = -1);
// Row values defined in one sweep and used in a later one.
std::vector<Value> crossing_values(const RowProgram& program);

// Turns every number but -1, 0 and 1 into an argument, so that the source does not depend on it. Numbers that
// the schedule fixed (`literal`) stay.
void parameterize(RowProgram& program);

// InternalError when a value is used before its definition, an axis does not exist, or a store repeats an
// index.
void verify(const RowProgram& program);

// Text for goldens and `weft show --stage plan`.
std::string print(const RowProgram& program);

}  // namespace weft::plan
