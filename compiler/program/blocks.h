// A row program as a list of loops over blocks of elements: what runs where no kernel is compiled. The loops
// are compiled with the library. Plain data: compiler/blocks makes it, runtime/blocks runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/base/dtype.h"

namespace weft {

// A place in the memory of a run, or in a buffer: what an instruction reads and writes.
struct BlockSlot {
  enum class Kind : uint8_t {
    Same,    // one value, repeated for as many lanes as a vector may have
    Block,   // one value for each element of a block
    Kept,    // one for each element of all blocks between the lists that write and read it
    Memory,  // elements of a buffer, where they lie; what is less than a vector is copied
  } kind = Kind::Block;
  uint8_t bytes = 0;   // of an element
  bool rows = false;   // of Kept: one line for each position on the row's other axes
  int32_t offset = 0;  // in the memory of a run; of Memory: where less than a vector is copied
};

// A number times a position on an axis, or times an i64 value.
struct BlockTerm {
  int32_t of = 0;  // an axis, or a slot
  int64_t by = 0;
};
// Positions that a block walks over, the innermost first: so many, so many elements apart.
struct BlockStride {
  int64_t extent = 0, by = 0;
};

// Which elements of a buffer an instruction reads or writes; without a buffer, a number for each element. The
// lists are ranges of the program's.
struct BlockAccess {
  int32_t buffer = -1;
  uint8_t bytes = 0;  // of an element
  int64_t offset = 0;
  int32_t axes_begin = 0, axes_end = 0;      // terms of axes on which a block has one position
  int32_t same_begin = 0, same_end = 0;      // terms of values that are the same all along a block
  int32_t values_begin = 0, values_end = 0;  // terms of values that are not
  int32_t strides_begin = 0, strides_end = 0;
  int32_t guards_begin = 0, guards_end = 0;  // slots of bools: where one is false, 0 is read
};

struct BlockInstruction {
  enum class Kind : uint8_t {
    Loop,      // out = loop(in...)
    Load,      // out = elements of the access
    Position,  // out = the access's number, i64
    Test,      // out = whether that lies in [0, number)
    Clamp,     // out = in[0], counted from `number` if negative, kept in [0, number)
    Store,     // elements of the access = in[0]
    Fold,      // total += in[0], or in[0] times in[1], or in[0] found at in[1]
    Scan,      // out = total += in[0]; `number` says which total
  } kind = Kind::Loop;
  uint8_t arity = 0;
  uint16_t loop = 0;
  int32_t out = -1;  // a slot; of Fold: a total
  int32_t in[4] = {};
  int32_t access = -1;
  int64_t number = 0;
};

// What runs for a block: first what is the same for all of its elements.
struct BlockList {
  std::vector<BlockInstruction> same, each;
  // Stores whose value is written where it is to lie: found before the others run.
  std::vector<BlockInstruction> written;
};

// What a sweep adds up. Floats are added in the lanes of the kernel: a block's first element in the first
// lane, and so on. So many vectors are added in `span`, then join a wider sum. Lanes are joined by halves.
struct BlockTotal {
  enum class How : uint8_t {
    Lanes,    // sums and products of floats, whose order tells in the result
    Any,      // in any order: what is exact
    Columns,  // one for each element of a block, which the rows of the sweep are folded into
    Running,  // each stretch of the row from its first element
    Across,   // one for each element of the row, which all rows of a task are folded into
  } how = How::Any;
  bool product = false;  // of Lanes: a product; else a sum
  enum class Join : uint8_t { Sum, Product, Most, Least } join_by = Join::Sum;  // of Running
  bool widens = false, narrow = false;  // of Lanes: joins wider sums; joined in `span`
  bool lanewise = false;                // of Lanes: each lane has a total until the row is over
  bool finds = false;                   // gives a position
  DType value = DType::F32;             // of what is folded
  DType span = DType::F32, total = DType::F32;
  DType kept = DType::F32;                          // of a row's total
  uint16_t fold = 0, fold_product = 0;              // loops, of values and of products of two
  uint16_t fold_total = 0, fold_total_product = 0;  // Columns: the same on `total`
  uint16_t join = 0;                                // Any: joins lanes
  int32_t widen = -1, finish = -1;  // casts from span to total, and from the total to the result
  int32_t spread = -1;              // Columns: a cast from a value to total
  // Slots: of the result; Columns: of a value as `total`; Running: of a value as `span`, and of its results.
  int32_t out = -1, wide = -1, narrow_values = -1;
  int32_t lanes = 0, wider = 0, sums = 0, positions = 0;  // places in the memory of a run
  int64_t partials = -1, partial_positions = -1;          // places in the parts' memory
  // What changes nothing: as the format of memory has it in each dtype.
  uint64_t none_of_value[2] = {}, none_of_span[2] = {}, none_of_total[2] = {};
};

// A test that holds for one stretch of the lane axis: 0 <= number of the access < extent.
struct BlockCut {
  int32_t access = -1;
  int64_t extent = 0;
};

struct BlockSweep {
  BlockList before, body, after_section;
  std::vector<int32_t> totals;          // those that it finishes
  std::vector<int32_t> section_totals;  // the same of each section of the row
  std::vector<int32_t> folded;          // both
  std::vector<BlockCut> cuts;           // where sums end and begin anew
  bool folds = false;
  int32_t group = 0;       // vectors that are added in `span`
  int32_t rows_axis = -1;  // Columns: the axis of which several positions are added in `span`
  // Of sums: the access whose memory decides where whole vectors begin, or that positions do.
  static constexpr int32_t kNone = -1, kPositions = -2;
  int32_t aligned = kNone;
};

// By what a first call is decided, in nanoseconds.
struct BlockEstimate {
  double run = 0;      // of one run in blocks
  double compile = 0;  // of the kernel, until it can run
  double load = 0;     // the same for a kernel that lies on disk
  double worth = 0;    // the share of that which is spent in blocks until the kernel is compiled behind,
  int32_t calls = 0;   // at most so many runs
};

// How rows and columns are walked, as the kernel walks them.
struct BlockWalk {
  // Axes, of which the first are of points, and the one that lanes run along.
  std::vector<int64_t> extents;
  int32_t outer = 0, lane_axis = 0, lanes = 1;
  bool masked = false;
  int64_t points = 0, rows_per_task = 0;  // points but for the lane axis
  int64_t chunk = 0, finish_chunk = 0;    // Columns, and Across: of a task
  int64_t split = 1, part_length = 0;
  bool scans = false;        // parts are scanned, once they are totalled
  int32_t section_axes = 0;  // the row's first, of whose positions each is a section
  // Across: elements of a task's array and of one of its lines, and how many there are.
  int64_t across_elements = 0, across_line = 0, across_parts = 0;
  int64_t call_vectors = 0, group_rows = 0;  // that sums take before they join wider ones, at most
  int64_t kept_width = 0;                    // elements of a line of Kept
  int32_t partials = -1;                     // the buffer of the parts
};

struct BlockProgram {
  enum class Shape : uint8_t {
    Maps,     // blocks of all elements, in the order of memory
    Rows,     // blocks along the lane axis, of the row; sweeps over each row
    Columns,  // blocks along the lane axis, of the points; the row is walked for each
  } shape = Shape::Maps;
  std::vector<BlockSlot> slots;
  std::vector<BlockTerm> terms;
  std::vector<BlockStride> strides;
  std::vector<int32_t> guards;
  std::vector<BlockAccess> accesses;
  std::vector<BlockInstruction> once;  // what is the same everywhere
  std::vector<BlockSweep> sweeps;      // Maps: one, of a body alone
  BlockList epilogue;
  BlockList after;  // Across: once all rows are done, for each element of the row
  std::vector<BlockTotal> totals;
  std::vector<int32_t> kept;  // slots
  // Slots that hold a number of the text, or an argument: the words of a scalar.
  struct Constant {
    int32_t slot = 0;
    DType dtype = DType::F32;
    uint64_t words[2] = {};
  };
  struct Argument {
    int32_t slot = 0, word = 0;  // of the kernel's arguments, counted from the first scalar
    DType dtype = DType::F32;
  };
  std::vector<Constant> constants;
  std::vector<Argument> arguments;
  int32_t numbers = -1, mask = -1;  // slots: an index for each element, and the guards of a load as one
  int64_t block = 0;                // most elements of a block
  int64_t memory_bytes = 0;         // of a run, 64-byte aligned
  int64_t tasks = 0, finish_tasks = 0;
  int64_t partial_bytes = 0;  // of the parts, in the last buffer

  // Maps: elements of all blocks and of a task.
  int64_t elements = 0, task = 0;
  BlockWalk walk;           // of rows and columns
  size_t most_strides = 0;  // of an access
  // Of rows that are scanned in parts: what totals these before.
  std::shared_ptr<const BlockProgram> parts;
  BlockEstimate estimate;
};

// Lanes of the widest vector that loops are compiled for, and of a kernel's.
constexpr int64_t kMostBlockLanes = 16, kMostKernelLanes = 64;

}  // namespace weft
