// How a row program runs on a CUDA device: what all launches have in common, and one shape with its own fields.
// What excludes each other cannot be written down. A value: it can be forced in a test, printed and kept.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "compiler/base/integers.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/order.h"
#include "compiler/program/options.h"

namespace weft::plan {

// What the shapes of a CUDA schedule are made of, and these shapes.
namespace cuda {

// ---- who has a row

// So many threads; a block has as many rows as it has such threads.
struct Threads {
  int count = 1;
};
// Blocks that read each other's shared memory.
struct Cluster {
  int blocks = 2;
};
// Blocks of a cooperative launch: all of the grid run at once, and exchange states in global memory.
struct Device {
  int blocks = 2;
};
// Blocks that each reduce a part of the row. One of them joins what all found: along rows the one that begins
// last, down columns the one that ends last.
struct Parts {
  int64_t count = 2;
};

// ---- programs without a row

// A thread takes vectors of points, a block's width apart.
struct Maps {
  int vectors = 1;
  bool shifted = false;  // vectors begin where memory is aligned, before and behind the row's own
  bool divides_at_once =
      false;  // quotients and roots of f32 are computed for all elements of a thread at once
};
// A thread takes vectors one below the other, and loads once what these read of the same rows.
struct Stencils {
  int across = 1;  // threads beside each other
  int rows = 1;    // vectors of a thread
  bool divides_at_once = false;
};
// A block takes a square of points. Loads that are contiguous along `axis` are transposed in shared memory.
struct Tiles {
  int axis = -1;
  int side = 16;  // points
};

// ---- rows: neighbouring threads take neighbouring vectors of a row, and join what they found

// Each sweep loads the row.
struct Rows {
  std::variant<Threads, Parts, Device> owner;
  int vectors = 1;  // of a thread in flight
  bool shifted = false;
};
// The row stays in registers between sweeps.
struct RegisterRows {
  std::variant<Threads, Cluster, Device> owner;
  int vectors = 1;  // of a thread in all
  bool shifted = false;
};
// The row stays in the shared memory of a block, or of each block of a cluster.
struct SharedRows {
  int cluster = 1;            // blocks of a row
  int vectors = 1;            // of a thread in flight
  bool copied_ahead = false;  // asynchronously, before the first sweep
  bool shifted = false;
};
// A look-back scan: blocks take parts of rows in order, and each begins with what the parts before it left.
struct LookBackRows {
  int64_t parts = 2;
  int vectors = 1;         // of a thread in flight
  bool in_shared = false;  // the part is copied to shared memory; else both of its sweeps load it
  bool shifted = false;
};
// Short rows that lie one behind the other: those of a block pass through shared memory as one run.
struct BundledRows {
  int threads = 1;            // of a row
  int elements = 1;           // of a thread: in all where they stay in registers, else in flight
  bool in_registers = false;  // elements stay there between sweeps
};

// Rows with a total for each of their elements over all rows, in registers.
struct Totals {
  // Rows that lie one behind the other, each a thread's, as those of BundledRows.
  struct Bundled {};
  std::variant<Threads, Cluster, Bundled> owner;
  int vectors = 1;            // of a thread in all
  int64_t rows_in_turn = 1;   // that the same threads take one after another
  bool copied_ahead = false;  // the next row is on its way to shared memory while one is computed
};
// Rows with a total for each of their sections, in registers. A block takes whole sections beside each other.
struct Sections {
  int cluster = 1;  // blocks of a row
  int vectors = 1;  // of a thread in all
};

// ---- columns: neighbouring threads take neighbouring columns, and walk them down

// Each sweep loads the column.
struct Columns {
  int down = 1;       // threads of a column
  int elements = 1;   // of a thread in flight
  int64_t parts = 1;  // of a column, of a block each
};
// A thread keeps columns in its registers.
struct RegisterColumns {
  int elements = 1;  // of a column, at least
};
// Strips of columns stay in the shared memory of a block, or of each block of a cluster.
struct SharedColumns {
  enum class Copy {
    None,
    Ahead,    // asynchronously, before the first sweep
    Vectors,  // the same of single columns, in whole vectors from where memory is aligned
  };
  int down = 1;      // threads of a column
  int cluster = 1;   // blocks of a strip
  int elements = 1;  // of a thread in flight
  Copy copy = Copy::None;
  // Single columns: so many are two strips' own, so that each stores whole sectors wherever rows begin.
  int overlap = 0;
};
// Clusters take strips of columns in turn: one is computed in registers while the next is copied.
struct TurnColumns {
  int down = 1;                // threads of a column
  int cluster = 1;             // blocks of a strip
  int elements = 1;            // of a column in a thread's registers
  int64_t strips_at_once = 1;  // that clusters work on
};
// Columns that all reduce over the same elements: a thread computes all pairs of its columns and of
// `neighbours` elements, each of which it loads once.
struct Pairs {
  // Strips that fill no wave of blocks are cut, so that each of `blocks` gets as much to do. A second launch
  // joins what they found.
  struct Shares {
    int64_t blocks = 1;        // that run at once
    int64_t shared_bytes = 0;  // that a block takes at least, so that no more run at once
  };
  struct Whole {};
  std::variant<Whole, Parts, Shares> strip;  // how a strip falls to blocks
  int down = 1;                              // threads of a column
  int neighbours = 1;                        // elements of the column
  int run = 1;                // loads of neighbours between additions to totals of a wider dtype
  bool loaded_ahead = false;  // the next neighbours are loaded while these are computed
};

using Shape = std::variant<Maps, Stencils, Tiles, Rows, RegisterRows, SharedRows, LookBackRows, BundledRows,
                           Totals, Sections, Columns, RegisterColumns, SharedColumns, TurnColumns, Pairs>;

}  // namespace cuda

// Whose stores and loads leave the second-level cache first.
enum class Caching {
  Plain,
  Streaming,  // stores, and what is read once, pass it by
  LoadsStay,  // what is loaded stays longer than what is stored, which so leaves it in order
};

struct CudaSchedule {
  cuda::Shape shape;
  int lane_axis = 0;  // the program's axis that neighbouring threads run along
  int lanes = 1;      // consecutive elements along it that a thread takes as a vector
  int threads = 1;    // of a block
  int resident = 1;   // blocks for which a multiprocessor's registers have to suffice; 1: no bound
  Caching caching = Caching::Plain;
  std::string reason;  // what explain prints
};

// Vectors that so many elements take. `shifted`: they begin where memory is aligned, so that one more may be
// needed at either end.
inline int64_t vectors_of(int64_t elements, int lanes, bool shifted) {
  return shifted ? (elements + 2 * lanes - 2) / lanes : ceil_divide(elements, lanes);
}

// Where values that one sweep computes and another reads stay.
enum class Residence { Nowhere, Registers, Shared };

// What every shape says of a row: its columns are rows, too.
struct RowDivision {
  Order order = Order::Pointwise;
  Residence residence = Residence::Nowhere;
  int threads = 1;           // of a block that share a row
  int vectors = 1;           // of a thread: in all where the row stays in registers, else in flight
  int blocks = 1;            // of a row, that wait for each other
  bool device_wide = false;  // these blocks are no cluster
  int64_t parts = 1;     // of a row; a block may wait for those that began before it, never for later ones
  bool shifted = false;  // vectors begin where memory is aligned, before and behind the row's own
};
RowDivision division_of(const CudaSchedule& schedule);

// Chooses from shapes, dtypes and the target, never from the clock. Also decides what crosses sweeps
// (repeat_cheap_values, rescale_sums), so it may change the program. `contract`: whether sums may round
// otherwise than op by op.
CudaSchedule schedule_cuda(RowProgram& program, const Target& target, const Bias& bias = {},
                           bool contract = true);

// "maps: axis 2 by 16 lanes, chunks of 64"
std::string text_of(const CudaSchedule& schedule);

}  // namespace weft::plan
