// Totals across the points. A task adds its rows up in an array of its own, in the dtype of a span, since a
// task has few rows. These arrays lie one after another in `partials`; NAME_finish joins them in the dtype of
// totals, and runs what comes after all points.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// The pointer to a task's array of an accumulator.
std::string across_array(const Entry& entry, int a);
// What a task begins with.
std::string clear_across(const Entry& entry);
// The loops of NAME_finish.
std::string join_across(Entry& entry);

}  // namespace weft::emit::cpu
