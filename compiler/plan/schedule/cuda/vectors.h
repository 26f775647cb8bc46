// What accesses look like along an axis: which one neighbouring threads run along, so that accesses are
// coalesced, and how many neighbours a thread takes as a vector.
#pragma once

#include <cstdint>

#include "compiler/machine/tuning.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/cuda/budget.h"

namespace weft::plan::cuda {

// Vectors along an axis.
struct Vectors {
  int axis = 0;
  int lanes = 1;         // elements of a vector
  bool shifted = false;  // they begin where memory is aligned, before and behind the axis' own elements

  // How many of them the axis takes.
  int64_t count(const RowProgram& program) const;
};

// Bytes that accesses move between neighbours on an axis, each weighed by how often it runs.
struct Neighbours {
  int64_t bytes = 0, stored = 0;
};
Neighbours neighbours_along(const RowProgram& program, int axis);

// The axis of [first, last) along which most bytes are neighbours; the last one where nothing tells.
int axis_of_most_bytes(const RowProgram& program, int first, int last);

// The widest vectors along an axis that all accesses allow: 16 bytes of the largest dtype. Loads that are
// contiguous along `transposed` instead are left out. `flat`: the axis is rows that are walked as one.
int lanes_along(const RowProgram& program, const Budget& budget, int axis, int transposed = -1,
                bool flat = false);
// The same, shifted where that pays.
Vectors vectors_along(const RowProgram& program, const Budget& budget, int axis, bool flat = false);

// Vectors in flight in one thread, at most `most`: enough bytes, but neither more code nor more registers
// than pay.
int vectors_in_flight(const RowProgram& program, const Budget& budget, const Vectors& vectors, int64_t most,
                      int64_t bytes = tuning::kRowBytes);

// How many lines of `count` points run along the axis; a row may be empty.
int64_t lines(const RowProgram& program, int64_t count, int axis);

}  // namespace weft::plan::cuda
