// How a row program runs on a CPU: what all kernels have in common, and one shape with its own fields. What
// excludes each other cannot be written down. A value: it can be forced in a test, printed and kept.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/order.h"
#include "compiler/program/options.h"

namespace weft::plan {

// What the shapes of a CPU's schedule are made of, and these shapes. A thread takes one task after another.
namespace cpu {

// ---- where vectors end, and how stores reach memory

// Runs of whole vectors. Ends that fill none go through padded copies, and guards cut rows into stretches.
struct WholeVectors {
  bool streaming = false;  // stores pass the cache by
};
// A row is one call, with masks for its end and its guards.
struct Masks {
  bool aligned = false;  // whole vectors begin where the first store's memory is aligned
};
using Ends = std::variant<WholeVectors, Masks>;

// ---- programs without a row: lanes along an outer axis

// A task takes `chunk` elements of each of `points` points of the other axes.
struct Maps {
  int64_t chunk = 1;
  int64_t points = 1;
  Ends ends;
};
// The same where some loads are contiguous along `axis` instead: squares of them are transposed into scratch.
struct Tiles {
  int axis = -1;
  int side = 4;  // elements
  int64_t chunk = 1;
  int64_t points = 1;
  bool streaming = false;
};

// ---- rows: lanes along a row, joined at its end

// A task takes whole rows, of `points` points.
struct Rows {
  int64_t points = 1;
  Ends ends;
  bool scratch = false;    // what crosses sweeps stays in the task's scratch memory
  int64_t prefetched = 0;  // bytes of arrays that are asked for a page ahead, at least; 0: none are
};
// A task takes a part of a row. A second launch joins the parts, or scans them.
struct SplitRows {
  int64_t parts = 2;
  bool streaming = false;
  int64_t prefetched = 0;
};
// Rows with a total for each of their elements over all rows: a task adds its rows up in an array of its own,
// and a second launch joins these.
struct Totals {
  int64_t points = 1;
  Ends ends;
  bool scratch = false;
  int64_t prefetched = 0;
};
// Rows with a total for each of their sections, each of which is walked as a row is.
struct Sections {
  int64_t points = 1;
  Ends ends;
  bool scratch = false;
  int64_t prefetched = 0;
};

// ---- columns: lanes across them, which walk them down

// A task takes `chunk` columns, a multiple of the lanes.
struct Columns {
  int64_t chunk = 1;
  bool masked = false;   // a row of them is one call, with masks for its end and its guards
  bool scratch = false;  // what crosses sweeps stays in the task's scratch memory
};
// A task takes a part of its columns. A second launch joins the parts, or scans them.
struct SplitColumns {
  int64_t chunk = 1;
  int64_t parts = 2;
  bool masked = false;
};

using Shape = std::variant<Maps, Tiles, Rows, SplitRows, Totals, Sections, Columns, SplitColumns>;

}  // namespace cpu

struct CpuSchedule {
  cpu::Shape shape;
  int lane_axis = 0;   // the program's axis that lanes run along
  int lanes = 8;       // values of a vector
  int64_t grain = 1;   // fewest tasks worth a thread of their own
  std::string reason;  // what explain prints
};

// What every shape says of a task and of a row: a column is a row, too.
struct TaskDivision {
  Order order = Order::Pointwise;
  int64_t chunk = 0;   // elements of a task along the lane axis, where that is an outer one; else 0
  int64_t points = 1;  // of the other outer axes, of a task
  int64_t parts = 1;   // of a row, each a task's
  cpu::Ends ends;
  bool scratch = false;
  int64_t prefetched = 0;

  bool masked() const { return std::holds_alternative<cpu::Masks>(ends); }
  bool streaming() const {
    const auto* whole = std::get_if<cpu::WholeVectors>(&ends);
    return whole && whole->streaming;
  }
  bool aligned() const {
    const auto* masks = std::get_if<cpu::Masks>(&ends);
    return masks && masks->aligned;
  }
};
TaskDivision division_of(const CpuSchedule& schedule);

// Chooses from shapes, dtypes and the target, never from the clock or the number of threads. Also decides
// what crosses sweeps (repeat_cheap_values), so it may change the program.
CpuSchedule schedule_cpu(RowProgram& program, const Target& target, const Bias& bias = {});

// What a fold adds in, element by element: the dtype of its span, or of its total where lanes are columns.
DType fold_dtype(const CpuSchedule& schedule, const Accumulator& acc);

// "maps: axis 2 by 16 lanes, chunks of 64"
std::string text_of(const CpuSchedule& schedule);

}  // namespace weft::plan
