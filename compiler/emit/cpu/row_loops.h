// Loops over the row axes that are none of the lanes.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// Where a row axis begins and ends: for the first one of a split row, those of the task's part, which `text`
// finds.
struct AxisBounds {
  std::string text, from = "0", to;
};
AxisBounds bounds_of(const Entry& entry, int axis);

// Opens a loop. Its position joins that of the other row axes in the entry's.
std::string open_row_loop(Entry& entry, int axis, const std::string& from, const std::string& to);

}  // namespace weft::emit::cpu
