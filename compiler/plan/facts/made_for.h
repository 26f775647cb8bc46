// What a kernel was made for, in words: what tells it from another kernel of the same ops.
#pragma once

#include <string>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/schedule.h"

namespace weft::plan {

// A line for each fact, "SUBJECT: TEXT", the last without an end: dtypes, steps and lengths of the arrays, the axes and the schedule. Before
// parameterize(), which takes the numbers out of the program.
std::string made_for(const RowProgram& program, const Schedule& schedule);

}  // namespace weft::plan
