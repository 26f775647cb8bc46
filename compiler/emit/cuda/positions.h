// From the number of a step to the position on each axis, in the text of an entry.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

// The axes of the outer points or of the row, the one that neighbouring threads walk first.
std::vector<int> outer_axes(const Entry& entry);
std::vector<int> row_axes(const Entry& entry);
// How many steps the axes have together; the lane axis counts vectors.
std::string count_of(const Entry& entry, const std::vector<int>& order);
// From the step number q, which is used up, to the position on each axis; of a batch, to those of its vector
// u.
void split_position(Entry& entry, const std::vector<int>& order, bool of_batch);
// The element's position on the lane axis, as y where a vector has several. Positions behind the end of a
// last vector that is not full stay on the last element; their folds and stores are left out.
void lane_position(Entry& entry, bool is_inside);
// The elements of a vector with which the row begins and ends, which are those given unless it is a sure one.
std::string from_first(const Entry& entry, const std::string& first);
std::string until_last(const Entry& entry, const std::string& last);
// The number of the part that a block takes.
std::string part_of_block(Entry& entry);
// The number of its row or strip.
std::string row_of_block(Entry& entry);

}  // namespace weft::emit
