// How a row program runs on a CPU: chosen from shapes, dtypes and the target, never from the clock. A value:
// it can be forced in a test, printed and kept.
#pragma once

#include <string>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/order.h"
#include "compiler/program/options.h"

namespace weft::plan {

struct CpuSchedule {
  Order order = Order::Pointwise;
  int lane_axis = 0;  // the program's axis that lanes run along
  int lanes = 8;      // values of a vector
  int64_t chunk =
      0;  // Pointwise: lane-axis elements of a task. Columns: columns of a task (a multiple of lanes)
  int64_t rows_per_task = 1;  // outer points (without the lane axis where that is an outer one) of a task
  int64_t split = 1;          // parts that the row is cut into; NAME_finish joins their results
  bool scratch = false;       // values that cross sweeps stay in the task's scratch memory
  int64_t grain = 1;          // fewest tasks worth a thread of their own
  bool streaming = false;     // stores pass the cache by
  int64_t prefetched = 0;     // bytes of arrays that are asked for a page ahead, at least; 0: none
  bool masked = false;        // a row is one call of the span, with masks for its end and its guards
  bool aligned = false;       // masked: whole vectors begin where the first store's memory is aligned
  int tile_axis = -1;         // Pointwise: the axis that transposed loads run along; they go through scratch
  int tile = 0;               // with tile_axis, points along both sides of the squares that are turned over
  std::string reason;         // what explain prints
};

// Also decides what crosses sweeps (repeat_cheap_values), so it may change the program.
CpuSchedule schedule_cpu(RowProgram& program, const Target& target, const Bias& bias = {});

// What a fold adds in, element by element: the dtype of its span, or of its total where lanes are columns.
DType fold_dtype(const CpuSchedule& schedule, const Accumulator& acc);

// Whether a load walks on through an array of at least `bytes`: along a row as long as that, or as rows go by
// that are short enough to feel what happens at their ends.
bool reads_ahead(const RowProgram& program, const Load& load, int lane_axis, int64_t bytes);

std::string print(const CpuSchedule& schedule);

}  // namespace weft::plan
