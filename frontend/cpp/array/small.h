// Small parts of arrays that lie in host memory are read and written at once, as NumPy does: a loop over
// elements then records nothing, compiles nothing and makes no chain of updates. Small is what the
// interpreter would take.
#pragma once

#include <span>

#include "frontend/cpp/array/view.h"
#include "frontend/cpp/record/record.h"

namespace weft::detail {

// One element, read at once. False, with nothing done, where the positions are not those of one element of
// memory on the host, and in a function that is being recorded.
bool element_now(const Array& x, std::span<const int64_t> positions, Scalar& out);
// The array that such an element is: a constant of rank 0 that cannot be written, so that what is computed of
// such values is computed as it is recorded.
Array array_of_element(DeviceSlot& device, const Scalar& value);
// Writes one element at once; false as above, and where the value is not known or somebody else needs what
// the memory holds. Errors are those of assign().
bool write_element(const Array& x, std::span<const int64_t> positions, const Operand& value);
// The same with a value that an array of x's dtype may be assigned, whatever it is.
bool write_element(const Array& x, std::span<const int64_t> positions, const Scalar& value,
                   const ir::SourceLine& line);

// Fills a view with such a value, as write_moved() does: a number needs no graph.
bool write_number(const Array& view, const Scalar& value, const ir::SourceLine& line);

// What a view shows now, whatever is written to its cell later; it cannot be written. Read at once where that
// is small; else it shares the cell's value, so that computing one computes the other.
Array value_now(const Array& view);

// x[index] = value, or x[index] += value where each occurrence of a position counts, along the first axis: element by
// element at once, where that is small work. The positions were checked. False as above.
enum class AtRows : uint8_t { Put, Add };
bool write_rows(const Array& x, const Array& index, const Operand& value, AtRows how);

// Writes what `value` computes into the cell's memory. False, with nothing done, where the part or the work
// is not small, or where somebody else still needs what the memory holds.
bool write_small(Cell& cell, const View& view, const ir::NodeRef& value);
// Writes what lies in memory, or is one value everywhere, to a part of the cell's memory: a copy, which costs
// the host less than a kernel as long as it is no large one. False as above.
bool write_moved(Cell& cell, const View* view, const ir::NodeRef& value);
// Whether write_small() may come to write: what can be told before there is a value. One value everywhere is
// put in memory for it.
bool may_write_small(Cell& cell, const View* view, const Recording& value);

}  // namespace weft::detail
