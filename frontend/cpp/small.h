// Small parts of arrays that lie in host memory are read and written at once, as NumPy does: a loop over
// elements then records nothing, compiles nothing and makes no chain of updates. Small is what the
// interpreter would take.
#pragma once

#include "frontend/cpp/record.h"
#include "frontend/cpp/view.h"

namespace weft::detail {

// The elements of a small view as an input of its own; none where the cell's value is not in host memory or
// the view is not small.
ir::NodeRef read_small(const Cell& cell, const View& view, const ir::NodeRef& value);

// What a view shows now, whatever is written to its cell later; it cannot be written. Read at once where that
// is small; else it shares the cell's value, so that computing one computes the other.
Array value_now(const Array& view);

// Writes what `value` computes into the cell's memory. False, with nothing done, where the part or the work
// is not small, or where somebody else still needs what the memory holds.
bool write_small(Cell& cell, const View& view, const ir::NodeRef& value);
// Whether write_small() may come to write: what can be told before there is a value. One value everywhere is
// put in memory for it.
bool may_write_small(Cell& cell, const View* view, const Recording& value);

}  // namespace weft::detail
