// What choosing a CPU's schedule asks of a program and a machine, found once by analyze() and handed to every
// shape.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/base/integers.h"
#include "compiler/plan/plan.h"
#include "compiler/program/options.h"

namespace weft::plan::cpu {

// How lanes walk a program.
enum class Walk {
  Points,    // it has no row
  Rows,      // along rows
  Totals,    // along rows that are totalled across, too
  Sections,  // along rows with sections that are totalled, too
  Ordered,   // across columns, one element after another: a later store may hit what an earlier one wrote
  Columns,   // across columns
};

struct Work {
  float cost = 0;     // multiply-adds of one element
  int64_t bytes = 0;  // loaded and stored for one element
  size_t widest = 1;  // bytes of the largest value
};

struct Facts {
  const Target& target;
  Bias bias;
  Work work;
  int vector = 4;            // elements of a vector of the widest value
  bool masks = false;        // loads and stores take masks
  bool tiny = false;         // an axis of a few elements was unrolled
  bool few_columns = false;  // and it is one of the points
  float unit = 1;            // time of one element, in multiply-adds of a lane

  Walk walk = Walk::Points;
  int lane_axis = 0;
  int64_t lane = 1;       // its extent
  bool one_call = false;  // along it, rows are short enough for one call each, with masks
  int lanes = 8;
  bool short_rows = false;  // columns: the rows are too short to walk along
  std::string reason;       // of the walk, for people
};

// Makes the program ready to be scheduled, which may unroll an axis of a few elements.
Facts analyze(RowProgram& program, const Target& target, const Bias& bias);

// The program where later sweeps compute again what is cheap, or whatever the cost where the rest would not
// stay in a cache.
RowProgram keeping(const RowProgram& program, const Facts& facts, bool stays);

// Whether parts of a scanned row can be totalled first, then scanned from what comes before each.
bool has_parts(const RowProgram& program);

// Whether stores pass the cache by: half of it cannot hold what is written, and rows fill its lines.
bool streams(const RowProgram& program, const Facts& facts);

// Fewest tasks of so many multiply-adds that are worth a thread of their own.
int64_t grain_of(float task);

// `n` by a power of two more, or less where `steps` are below 0.
int64_t shifted(int64_t n, int steps);

}  // namespace weft::plan::cpu
