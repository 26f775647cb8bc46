// What a CUDA kernel is before any of its text is written: every number and every choice that the text
// depends on. lay_out() makes it of a program and its schedule; what writes text reads it and changes nothing
// of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/emit/cuda/batch.h"
#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"
#include "compiler/plan/schedule/cuda/strips.h"
#include "compiler/program/program.h"

namespace weft::emit {

// What the program's numbers and statements tell, whatever the schedule.
struct CudaFacts {
  bool contract = true;  // sums and quotients may round otherwise than op by op
  bool wide = false;     // 64-bit index arithmetic
  int outer_axes = 0;
  bool scans = false, totals_across = false;
  std::vector<plan::Range> ranges;                       // of i64 values
  std::map<plan::Value, const plan::Stmt*> definitions;  // of all body statements
  std::vector<int> defined_in;                           // value -> sweep whose body defines it, -1
  std::set<plan::Value> crossing;                        // values that cross sweeps
  std::set<plan::Value> beside_one;  // values that are only added to 1, or subtracted from it
};

// Vectors along the lane axis.
struct VectorLayout {
  int axis = -1;             // the lane axis; -1: the program has no axes
  std::vector<bool> varies;  // which values differ along it
  bool ragged = false;       // the last vector is not full
  bool shifted = false;      // vectors begin where memory is aligned, before and behind the row's own
  // The access that is aligned where vectors, or copies of them, begin.
  const plan::Index* reference = nullptr;
  bool whole_row = false;  // a batch takes the whole row, in registers
  bool exact = false;      // all vectors of all batches are vectors of the row
  // So many of a thread's vectors end within the row, whichever row and thread it is; 0 where a batch does
  // not take the whole row. Shifted, the very first may still begin before it.
  int sure = 0;
  bool skips_last = false;   // the others are not computed where they are no row's
  bool asks_once = false;    // shifted: one branch tells a batch whose elements are all of the row
  bool all_at_once = false;  // quotients and roots of f32 are computed for all elements of a batch at once
};

// How an accumulator's total is kept, as a member of its sweep's state.
struct TotalLayout {
  DType dtype = DType::F32;  // of the total
  bool has_run = false;      // runs of elements are folded in a narrower dtype before they join it
  size_t sweep = 0;          // whose state it is in; that of sections is behind all sweeps
};

// The accumulators that threads, warps and blocks join at once.
struct StateLayout {
  std::vector<int> accumulators;
  int64_t bytes = 0;
};

// Steps of the row that a part, or a block of a cluster, takes.
struct PartLayout {
  int64_t count = 1;    // parts of a row
  int64_t vectors = 0;  // vectors (columns: elements) of a part
  int64_t length = 0;   // the same as the kernel is told it, a multiple of what a thread takes; 0: not at all
  bool look_back = false;     // parts of a scanned row learn from those before what to begin with
  bool has_partials = false;  // the kernel has a temporary for its parts
};

// Blocks that share a row or a strip, and what their threads tell each other.
struct ClusterLayout {
  int blocks = 1;
  bool device_wide = false;  // no cluster: all blocks of the grid run at once, and exchange states in memory
  bool in_turns = false;     // they exchange states again for the next row or strip
  int first_join = -1;       // the first sweep whose states they exchange
};

// Values and rows that lie in dynamic shared memory.
struct SharedLayout {
  bool holds_rows = false;   // it has room for rows, or for parts of them
  bool values_stay = false;  // values that cross sweeps lie there
  bool is_used = false;
  int64_t bytes = 0;
  std::set<plan::Value> ahead;  // loads that are copied there before they are read
  struct Value {
    plan::Value value;
    int64_t before;  // bytes before it; of a row's element where values stay
  };
  std::vector<Value> values;
  struct Rows {
    int buffer;
    int64_t before;  // bytes of a row element before it
    bool is_read;
  };
  std::vector<Rows> rows;
};

// One block's totals across the points, in the temporary.
struct AcrossLayout {
  std::vector<int> accumulators;
  std::vector<int64_t> places;  // where each begins, in bytes
  int64_t blocks = 1;           // how many blocks or clusters have totals
  int64_t rows_of_block = 1;
  int64_t bytes = 0;     // of all of them
  int threads_down = 1;  // of the finish: threads that share an element
};

// A thread takes vectors of points.
struct PointsShape {
  int64_t vectors = 0;
};
// A block takes rows of vectors, a thread of it some that lie one below the other.
struct StackedShape {
  int down = -1;     // the axis along which a thread's rows lie
  int across = 1;    // threads beside each other
  int64_t rows = 1;  // of a block
};
// A block takes a square of points, some of whose loads are contiguous along another axis.
struct TransposedShape {
  int axis = -1;
  int side = 1;
};
// Threads share rows.
struct RowsShape {
  int64_t walk = 1;         // rows that the threads of a row take one after another
  bool is_bundled = false;  // short rows pass through shared memory as one run
  bool is_ahead = false;    // what rows read is copied to shared memory before it is needed
  int last_to_read = -1;    // bundled: the last sweep that reads the copies
  int section_threads = 1;  // threads of a block that share a section
};
// Threads walk columns down.
struct ColumnsShape {
  int across = 1;              // threads beside each other
  int own = 1;                 // columns from a strip to the next one, in vectors
  int overlap = 0;             // columns that two neighbouring strips both compute
  int copied = 0;              // elements of a vector that rows of a strip are copied by; 0: none
  bool is_ahead = false;       // loads are in flight, or copied, before they are needed
  int64_t strips_at_once = 0;  // strips that blocks work on at once, each taking several in turn; 0: one each
  bool has_shares = false;     // strips are shared out to blocks in equal shares
  plan::cuda::Strips strips;
  int64_t strip_columns = 1;
};
using CudaShape = std::variant<PointsShape, StackedShape, TransposedShape, RowsShape, ColumnsShape>;

// How the states of a strip's columns are joined: by the rows of a warp, then by the groups of a block.
struct ColumnJoin {
  int across = 1;     // threads beside each other
  int columns = 1;    // of a block
  int in_warp = 1;    // rows that a warp has
  int groups = 1;     // warps, or rows of warps, below each other
  int64_t bytes = 0;  // of static shared memory
};

// One entry of the kernel: the main one, or the one that joins or scans its parts.
struct EntryLayout {
  bool is_finish = false;
  int threads = 1, threads_per_row = 1, lanes = 1, unroll = 1;
  int64_t tasks = 0;
  int64_t lane_vectors = 1;
  bool all_live = false;      // every thread has a row
  bool totals_scans = false;  // scans are totalled, for the finish to scan
  ColumnJoin column_join;
  std::vector<Batch> batches;            // of each sweep
  std::map<int, Batch> single;           // some of them again, one element of the row at a time
  std::vector<std::vector<int>> joined;  // of each sweep, the accumulators whose folds are joined
};

struct CudaLayout {
  CudaFacts facts;
  VectorLayout vectors;
  PartLayout parts;
  ClusterLayout cluster;
  AcrossLayout across;
  SharedLayout shared;
  CudaShape shape;
  std::vector<TotalLayout> totals;    // of each accumulator
  std::vector<StateLayout> states;    // of each sweep, then of sections
  std::vector<plan::Sweep> totalled;  // split scans: the statements of which parts' totals are made
  EntryLayout main;
  std::optional<EntryLayout> finish;
  bool streaming = false;   // stores, and loads that are read once, pass the cache by
  bool loads_stay = false;  // what is loaded stays in the cache longer than what is stored
  int resident = 0;         // blocks for which registers have to suffice; 0: nobody asks
  Launch launch;            // all but where the counters' argument is
  int64_t partial_bytes = 0;

  const ColumnsShape* columns() const { return std::get_if<ColumnsShape>(&shape); }
  const RowsShape* rows() const { return std::get_if<RowsShape>(&shape); }
};

CudaLayout lay_out(const plan::RowProgram& program, const plan::CudaSchedule& schedule, bool contract);

// Axes of the outer points or of the row, the one that neighbouring threads walk first. Threads of a row have
// sections of their own, each of which is a row to them.
std::vector<int> axis_order(const plan::RowProgram& program, int lane_axis, bool outer);

}  // namespace weft::emit
