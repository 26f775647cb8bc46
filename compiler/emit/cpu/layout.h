// What a CPU's kernel is before any of its text is written: every number and every choice that the text
// depends on. lay_out() makes it of a program and its schedule; what writes text reads it and changes nothing
// of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/integers.h"
#include "compiler/emit/cpu/lanes.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/program/program.h"

namespace weft::emit::cpu {

using plan::Value;

// One of the integer arguments that the kernel has beside its program's own: its place among these.
using Word = int;

// How the values of an accumulator are added up.
struct TotalLayout {
  DType span = DType::F32;   // within a call of a span
  DType total = DType::F32;  // of what calls and tasks join
  // Of rows alone.
  DType row = DType::F32;    // of a row's total
  bool is_number = false;    // a call joins its lanes; else each lane has a total until the row is over
  bool few_vectors = false;  // so few that lanes are joined in the dtype of a span
  bool widens = false;       // so many terms that some of them at a time join a wider total
  bool counts_nans = false;  // numbers are folded, and bits say whether some were NaN
};

// Memory of one task: an element for each position on the lane axis.
struct Array {
  DType dtype = DType::F32;
  bool rows = false;  // one such line for each position of the other row axes
  Word at = 0;        // bytes before it in scratch
};

// What a task has in its scratch memory.
struct ScratchLayout {
  std::map<Value, Array> arrays;         // values that one span computes and another reads
  std::vector<Array> totals, positions;  // of the accumulators, where lanes go across columns
  Word line = 0;                         // elements of a line of an array
  int side = 0;                          // of squares that are transposed; 0: none are
  std::map<Value, Word> tiles;           // where the rows of transposed loads lie
  std::map<Value, Word> windows;         // of masked loads, where copies of their rows go
  struct Zeros {
    Word at, bytes;
  };
  std::optional<Zeros> zeros;  // a row of them, for loads that a guard shuts off
  int64_t bytes = 0;
};

// What tasks leave for the second launch, in a temporary.
struct PartialLayout {
  // Of each accumulator, bytes before its values and its positions.
  struct Place {
    Word values = 0, positions = 0;
  };
  std::vector<Place> places;
  Word points = 0;  // from one part to the next
  int64_t bytes = 0;
};

// Totals across the points: a task has an array for each, over the whole row.
struct AcrossLayout {
  std::vector<int> accumulators;
  Word elements = 0, parts = 0;  // of an array; how many tasks have one
};

// What the tasks of both launches have in common.
struct TaskLayout {
  Word points = 0, all_points = 0;  // of a task, and in all
  Word parts = 0, part_length = 0;  // of a row
};

// How a statement of a span reaches memory, or what a test is to the lanes.
enum class Way : uint8_t {
  Vector,      // contiguous, or the same step from lane to lane
  Each,        // every lane by itself
  Run,         // neighbours in each lane, one statement after the other: whole vectors are dealt to the lanes
  Neighbours,  // the same of statements that stand apart
  Tile,        // from a transposed square
  One,         // masked: one element for all lanes
  Window,      // masked: from a copy of the row, where not all that a vector covers is mapped
  Bounds,      // a test that holds from one lane to another
  Stretch,     // a test that is the same for a whole stretch of the lanes
};

struct SpanStmt {
  const plan::Stmt* stmt;
  Way way = Way::Vector;
  bool asks_ahead = false;  // for what it will read a page on
  size_t family = 0;        // Neighbours: which of the span's,
  size_t nth = 0;           // and which of its elements
};

// Accesses to elements that are neighbours in memory: one for all of them.
struct Family {
  const plan::Index* first;  // where they begin
  size_t length;
};

// The statements of a block that differ from lane to lane: an inner loop over whole vectors.
struct SpanLayout {
  std::vector<SpanStmt> stmts;
  std::set<Value> own;      // defined here
  std::set<Value> bounded;  // tests that hold from one lane to another
  std::vector<Family> families;
  int rows_axis = -1;            // of this axis several rows are folded at once; -1: of none
  bool folds = false;            // a row's totals go from one call to the next
  bool scans = false;            // a row is scanned
  bool walks_series = false;     // functions write to memory by themselves
  bool takes_positions = false;  // something is computed from the position of each lane
  // The store whose memory decides where whole vectors begin, before which some lanes are done alone.
  const plan::Store* aligned = nullptr;
  bool aligns_positions = false;  // several do: vectors begin at multiples of the lanes
  // Masked.
  bool is_heavy = false;        // masks are nothing beside what is computed
  bool counts_vectors = false;  // a row has so few that the text knows how many
  // Where no test cuts a row, most rows are one run of whole vectors, and call the function themselves.
  bool calls_directly = false;
};

// A list of statements: those that are the same in every lane come first.
struct BlockLayout {
  std::vector<const plan::Stmt*> uniform;
  std::optional<SpanLayout> span;
};

struct SweepLayout {
  const plan::Sweep* sweep = nullptr;
  BlockLayout before, body, after_section;
  int rows_axis = -1;  // as its body's span has it
};

// Where the memory of a buffer begins and ends, in whole pages: masked loads ask for nothing beyond.
struct Bound {
  int buffer;
  bool is_end;
  Word elements;  // from the buffer's first one
};

// One entry of the kernel: the main one, or the one that joins or scans its parts.
struct EntryLayout {
  bool is_finish = false;
  bool has_parts = false;     // a task is a part of a row
  bool totals_scans = false;  // scans are totalled, for the finish to scan
  Word chunk = 0, chunks = 0;
  std::vector<SweepLayout> sweeps;
  BlockLayout end;                      // what comes after the row, or after all of them
  std::map<std::string, Bound> bounds;  // by name
};

struct CpuLayout {
  plan::TaskDivision division;
  LaneLayout lanes;
  int outer_axes = 0;
  bool scans = false;
  std::vector<TotalLayout> totals;  // of each accumulator
  std::set<Value> unrounded;  // stored halves, of which the wider number is kept that they were rounded from
  ScratchLayout scratch;
  PartialLayout partials;
  AcrossLayout across;
  TaskLayout tasks;
  int tile_axis = -1;  // that transposed loads run along
  std::vector<std::vector<plan::Stmt>>
      totalled;  // split scans: the statements of which parts' totals are made
  EntryLayout main;
  std::optional<EntryLayout> finish;
  std::vector<int64_t> words;
  Launch launch;

  bool columns() const { return division.order == plan::Order::Columns; }
  bool has_partials() const { return division.parts > 1 || !across.accumulators.empty(); }
  // Elements of a task along the lanes, and what these are rounded up to.
  int64_t line() const { return columns() ? division.chunk : round_up(lanes.extent, lanes.count); }
};

CpuLayout lay_out(const plan::RowProgram& program, const plan::CpuSchedule& schedule);

}  // namespace weft::emit::cpu
