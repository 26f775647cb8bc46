// What an array holds, as a node: its cell's value, seen through its view. Small parts of host memory are read at
// once; small is what the interpreter would take.
#pragma once

#include <optional>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/strided.h"
#include "frontend/cpp/array/view.h"

namespace weft::detail {

// The array's current value as a node: the cell's, seen through the view.
ir::NodeRef read(const Array& x, const ir::Lines& lines);
// What an array is, where it is one value that is known without a look at memory.
std::optional<Scalar> known_element(const Array& x);

// The elements of a small view as an input of its own, one of rank 0 as a constant; none where the cell's
// value is not in host memory or the view is not small.
ir::NodeRef read_small(const Cell& cell, const View& view, const ir::NodeRef& value);

// How many elements of the cell are read and written at once: none of those that do not lie in host memory.
int64_t small_elements(const Cell& cell);
// Whether the view shows some elements of the cell that are so few, and not all of it.
bool is_small_part(const Cell& cell, const View& view);
// Where the view's elements lie.
Strided strided(const View& view);

}  // namespace weft::detail
