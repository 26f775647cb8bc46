// What choosing a CUDA schedule asks of a program and a machine, found once by analyze() and handed to every
// step. Questions about a program that a step rewrote are functions beside it.
#pragma once

#include <cstdint>

#include "compiler/machine/feasible.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/cuda/budget.h"
#include "compiler/plan/schedule/cuda/vectors.h"

namespace weft::plan::cuda {

// How threads walk a program.
enum class Walk {
  Points,          // it has no row
  OrderedColumns,  // one element after another: a later store may hit what an earlier one wrote
  Totals,          // rows that are totalled across, too
  Sections,        // rows with sections that are totalled, too
  Pairs,           // down columns that all reduce over the same elements
  Columns,         // down columns
  Rows,            // along rows
};

struct Facts : Budget {
  Walk walk = Walk::Points;
  int lane_axis = 0;  // that neighbouring threads run along
  // Of Walk::Rows alone: vectors along the row, and whether a thread each takes rows that lie one behind the
  // other.
  Vectors row;
  bool bundles = false;
  bool crosses = false;  // values that one sweep computes and another reads
};

Facts analyze(const RowProgram& program, const Target& target, const Bias& bias, bool contract);

// Bytes of what threads join at the end of a sweep, a multiple of `unit`.
int64_t state_bytes(const RowProgram& program, const Sweep& sweep, int64_t unit = 16);
// The most bytes of crossing values that are alive at once, for each row element.
int64_t live_bytes(const RowProgram& program);
// Statements that are unrolled for each element that a thread keeps.
int64_t body_statements(const RowProgram& program);
// The bytes of the largest element that a buffer has.
int64_t largest_element(const RowProgram& program);

// The program where each sweep loads the row again.
RowProgram loading_again(const RowProgram& program);
// The same where cheap values alone are computed again, and the others stay.
RowProgram keeping(const RowProgram& program, int lane_axis = -1);
// Whether the program became one of a single sweep: sums of exp(x - m) are found together with m.
bool becomes_one_sweep(RowProgram& program, const Facts& facts);

// Parts of a row of `row_steps` steps, each of `steps_of_part` or more, where `busy` threads would work on all
// rows and `fill` keep the device busy.
int64_t parts_of_row(const RowProgram& program, int64_t row_steps, int64_t busy, int64_t steps_of_part,
                     int64_t fill);

// Whether rows are so few and so long that all the device's blocks have something of each of them to do, and
// more of it than clusters do.
bool is_worth_device(const RowProgram& program, const Facts& facts, int64_t row_vectors, int64_t points);

}  // namespace weft::plan::cuda
