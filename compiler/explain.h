// What fusion decided, as text for people.
#pragma once

#include <string>

#include "compiler/ir/group.h"

namespace weft {

// "softmax.cpp:12: max, exp, sum, divide": the ops that a step computes, with the source lines they come
// from.
std::string summarize(const ir::Step& step);

// A paragraph for each step, then a line for each value that went through memory, with the reason.
std::string explain(const ir::Partition& partition);

}  // namespace weft
