// How a row program runs on a CUDA device: chosen from shapes, dtypes and the target, never from the clock. A
// value: it can be forced in a test, printed and kept.
#pragma once

#include <string>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/order.h"
#include "compiler/program/options.h"

namespace weft::plan {

enum class Keeper { None, Registers, Shared, Reload };

struct CudaSchedule {
  Order order = Order::Pointwise;
  int lane_axis = 0;          // the program's axis that lanes run along
  int lanes = 8;              // consecutive values of a thread
  int64_t rows_per_task = 1;  // outer points (without the lane axis where that is an outer one) of a block
  int64_t split =
      1;  // parts that the row is cut into; NAME_finish, or one of the blocks, joins their results
  // Columns with `split`: so many blocks run at once. Strips of columns that fill no wave of them are
  // cut where each of them gets as much to do, in at most `split` parts; 0: every strip, in equal parts.
  int64_t shares = 0;
  int64_t room = 0;              // shared memory that a block takes at least, so that no more run at once
  bool chained = false;          // Rows: parts of a scanned row learn from those before what to begin with
  Keeper keeper = Keeper::None;  // where values that cross sweeps stay
  bool streaming = false;        // stores pass the cache by
  // Columns with Registers: strips of columns that blocks work on at once, each taking several in turn,
  // the next one being copied to shared memory meanwhile; 0: each strip has blocks of its own.
  int64_t strips_at_once = 0;
  // What is loaded stays in the cache longer than what is stored, which so leaves it in order.
  bool loads_stay = false;
  int threads = 1;          // threads of a block
  int threads_per_row = 1;  // Rows: threads that share a row
  int64_t walk = 1;         // Rows: rows that these threads take one after another
  int unroll = 1;    // vectors of a thread in flight (Rows with Registers: vectors of a row kept by a thread)
  int resident = 1;  // blocks for which the registers of a multiprocessor have to suffice
  int cluster = 1;   // Rows with Registers or Shared: blocks that share a row
  // Rows with Registers or Reload: the blocks of a row are no cluster. All of the grid run at once, and
  // they tell each other in the device's memory.
  bool device_wide = false;
  bool shifted = false;  // not Columns: vectors begin where they are aligned, before and behind the row's own
  // Columns with Shared and `ahead`: the rows of a strip are copied in whole vectors from where memory
  // is aligned, though rows begin elsewhere.
  bool wide_copies = false;
  // Columns that stay, single ones: so many columns are two strips' own, so that each stores whole
  // sectors of memory wherever rows begin.
  int overlap = 0;
  // Rows: short rows that lie one behind the other pass through shared memory, which reads and writes
  // those of a block as one run.
  bool bundled = false;
  // Shared: the row is copied to shared memory before the first sweep; with `walk`: there while the row
  // before is computed; with `together`: neighbours on the row are loaded while those before them are
  // computed.
  bool ahead = false;
  // Pointwise: quotients and roots of f32 are computed for all elements of a thread at once.
  bool at_once = false;
  int together = 1;    // Columns: neighbours on the row that a thread takes, as vectors
  int run = 1;         // Columns: batches between additions to totals of a wider dtype
  int tile_axis = -1;  // Pointwise: the axis that transposed loads run along; they go through shared memory
  int tile = 0;        // with tile_axis, points along both sides of the squares that are turned over
  std::string reason;  // what explain prints
};

// Also decides what crosses sweeps (repeat_cheap_values, rescale_sums), so it may change the program.
// `contract`: whether sums may round otherwise than op by op.
CudaSchedule schedule_cuda(RowProgram& program, const Target& target, const Bias& bias = {},
                           bool contract = true);

std::string print(const CudaSchedule& schedule);

}  // namespace weft::plan
