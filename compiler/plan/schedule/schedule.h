// How a row program runs on a target: chosen from shapes, dtypes and the target, never from the clock. A
// value: it can be forced in a test, printed and kept.
#pragma once

#include <string>

#include "compiler/plan/plan.h"
#include "compiler/program/options.h"

namespace weft::plan {

// Which loop the vector lanes (CPU) or neighbouring threads (CUDA) run along.
enum class Order {
  Pointwise,  // no row: lanes along an outer axis
  Rows,       // lanes along the last row axis, joined at the end of a sweep
  Columns,    // lanes along an outer axis, the row walked one element after another
};

enum class Keeper { None, Registers, Shared, Scratch, Reload };

struct Schedule {
  Order order = Order::Pointwise;
  int lane_axis = 0;  // the program's axis that lanes run along
  int lanes = 8;      // CPU: values of a vector; CUDA: consecutive values of a thread
  int64_t chunk =
      0;  // Pointwise: lane-axis elements of a task. Columns: columns of a task (a multiple of lanes)
  int64_t rows_per_task = 1;  // outer points (without the lane axis where that is an outer one) of a task
  int64_t split =
      1;  // parts that the row is cut into; NAME_finish, or one of CUDA's blocks, joins their results
  // CUDA, Columns with `split`: so many blocks run at once. Strips of columns that fill no wave of them are
  // cut where each of them gets as much to do, in at most `split` parts; 0: every strip, in equal parts.
  int64_t shares = 0;
  int64_t room = 0;      // CUDA: shared memory that a block takes at least, so that no more run at once
  bool chained = false;  // CUDA, Rows: parts of a scanned row learn from those before what to begin with
  Keeper keeper = Keeper::None;  // where values that cross sweeps stay
  int64_t grain = 1;             // CPU: fewest tasks worth a thread of their own
  bool streaming = false;        // stores pass the cache by
  // CUDA, Columns with Registers: strips of columns that blocks work on at once, each taking several in turn,
  // the next one being copied to shared memory meanwhile; 0: each strip has blocks of its own.
  int64_t strips_at_once = 0;
  // CUDA: what is loaded stays in the cache longer than what is stored, which so leaves it in order.
  bool loads_stay = false;
  int64_t prefetched = 0;   // CPU: bytes of arrays that are asked for a page ahead, at least; 0: none
  bool masked = false;      // CPU: a row is one call of the span, with masks for its end and its guards
  bool aligned = false;     // CPU, masked: whole vectors begin where the first store's memory is aligned
  int threads = 1;          // CUDA: threads of a block
  int threads_per_row = 1;  // CUDA, Rows: threads that share a row
  int64_t walk = 1;         // CUDA, Rows: rows that these threads take one after another
  int unroll =
      1;  // CUDA: vectors of a thread in flight (Rows with Registers: vectors of a row kept by a thread)
  int resident = 1;  // CUDA: blocks for which the registers of a multiprocessor have to suffice
  int cluster = 1;   // CUDA, Rows with Registers or Shared: blocks that share a row
  // CUDA, Rows with Registers or Reload: the blocks of a row are no cluster. All of the grid run at once, and
  // they tell each other in the device's memory.
  bool device_wide = false;
  bool shifted =
      false;  // CUDA, not Columns: vectors begin where they are aligned, before and behind the row's own
  // CUDA, Columns with Shared and `ahead`: the rows of a strip are copied in whole vectors from where memory
  // is aligned, though rows begin elsewhere.
  bool wide_copies = false;
  // CUDA, Columns that stay, single ones: so many columns are two strips' own, so that each stores whole
  // sectors of memory wherever rows begin.
  int overlap = 0;
  // CUDA, Rows: short rows that lie one behind the other pass through shared memory, which reads and writes
  // those of a block as one run.
  bool bundled = false;
  // CUDA, Shared: the row is copied to shared memory before the first sweep; with `walk`: there while the row
  // before is computed; with `together`: neighbours on the row are loaded while those before them are
  // computed.
  bool ahead = false;
  // CUDA, Pointwise: quotients and roots of f32 are computed for all elements of a thread at once.
  bool at_once = false;
  int together = 1;  // CUDA, Columns: neighbours on the row that a thread takes, as vectors
  int run = 1;       // CUDA, Columns: batches between additions to totals of a wider dtype
  int tile_axis =
      -1;  // Pointwise: the axis that transposed loads run along; they go through shared memory, or scratch
  int tile = 0;        // with tile_axis, points along both sides of the squares that are turned over
  std::string reason;  // what explain prints
};

// Both also decide what crosses sweeps (repeat_cheap_values, rescale_sums), so they may change the program.
Schedule schedule_cpu(RowProgram& program, const Target& target, const Bias& bias = {});
// `contract`: whether sums may round otherwise than op by op.
Schedule schedule_cuda(RowProgram& program, const Target& target, const Bias& bias = {},
                       bool contract = true);

// Whether a load walks on through an array of at least `bytes`: along a row as long as that, or as rows go by
// that are short enough to feel what happens at their ends.
bool reads_ahead(const RowProgram& program, const Load& load, int lane_axis, int64_t bytes);

// Whether a load is contiguous along `axis` and jumps along the lanes'.
bool is_transposed(const Load& load, int axis, int lane_axis);

std::string print(const Schedule& schedule);

}  // namespace weft::plan
